/* Tuning files: which one is read, for which device, and what is wrong in it. Needs no device. */
#include "internal.h"

#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const device_facts gpu = {.type = CL_DEVICE_TYPE_GPU, .name = "Some GPU # 1"};
static const device_facts cpu = {.type = CL_DEVICE_TYPE_CPU, .name = "Some CPU"};

static void write_file(const char *name, const char *text) {
    FILE *const file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

/* part_bytes of the row that a device gets; 0 when that fails. */
static uint32_t part_bytes(const char *name, const device_facts *device) {
    tuning_row row;
    return tuning_choose(name, device, &row) == ARGMAX_CL_SUCCESS ? row.part_bytes : 0;
}

START_TEST(sections_are_for_their_device) {
    static const char name[] = "sections_are_for_their_device.tuning";
    tuning_row row;
    write_file(name, "gpu part_bytes=100 group=8\ncpu part_bytes=200\n"
                     "device \"Other\"\ngpu colour=3\nno such row\n"
                     "\tdevice  \"Some GPU # 1\" # a comment\ngpu part_bytes=300\ncpu part_bytes=400\n"
                     "device\"Some CPU\"\r\n");
    ck_assert_int_eq(setenv("ARGMAX_CL_TUNING", name, 1), 0);
    ck_assert_int_eq(tuning_choose(NULL, &gpu, &row), ARGMAX_CL_SUCCESS);
    ck_assert_uint_eq(row.part_bytes, 300);
    ck_assert_uint_eq(row.group, 8);
    ck_assert_uint_eq(row.panel_bytes, tuning_find("gpu").panel_bytes);
    ck_assert_str_eq(row.name, "gpu+file");
    ck_assert_uint_eq(part_bytes(NULL, &cpu), 200);
    ck_assert_uint_eq(part_bytes("gpu", &gpu), tuning_find("gpu").part_bytes); /* named: no file */
    remove(name);
}
END_TEST

START_TEST(mistakes_are_named_with_their_line) {
    static const struct {
        const char *text, *words[2];
    } files[] = {
        {"device Some CPU\n", {"line 1", "between quotes"}},
        {"\ndevice \"Some CPU\n", {"line 2", "between quotes"}},
        {"device \"Some CPU\" cpu group=1\n", {"line 1", "between quotes"}},
        {"device \"Some CPU\"\ncpu group=3\n", {"line 2", "power of two"}},
        {"device \"Other\"\ncpu group=3\ndevice \"Some CPU\"\ndevices \"Other\"\n",
         {"line 4", "a row's name, or type"}},
        {"vendor Some\n", {"line 1", "between quotes"}},
        {"processor \"x\" y\n", {"line 1", "between quotes"}},
        {"type \"CPU\"\n", {"line 1", "cpu, gpu or accelerator"}},
        {"cpu hint=5\n", {"line 1", "0..4"}},
        {"cpu hint=t3\n", {"line 1", "0..4"}},
        {"cpu hint=t\n", {"line 1", "0..4"}},
        {"cpu part_bytes=nta\n", {"line 1", "1..1073741824"}},
        {"cpu-zen hint=1\n", {"line 1", "a row's name"}},
        {"cpu part_bytes=0\n", {"line 1", "1..1073741824"}},
        {"cpu part_bytes=99999999999999999999\n", {"line 1", "1..1073741824"}},
        {"cpu part_bytes=-1\n", {"line 1", "1..1073741824"}},
        {"cpu part_bytes=-18446744073709551615\n", {"line 1", "1..1073741824"}},
        {"cpu part_bytes=+1\n", {"line 1", "1..1073741824"}},
        {"cpu part_bytes=\n", {"line 1", "1..1073741824"}},
        {"cpu part_bytes=1k\n", {"line 1", "1..1073741824"}},
        {"cpu part_byte=1\n", {"line 1", "FIELD=NUMBER"}},
        {"cpu part_bytes\n", {"line 1", "FIELD=NUMBER"}},
        {"cpu part_bytes_more=1\n", {"line 1", "FIELD=NUMBER"}},
    };
    static const char name[] = "mistakes_are_named_with_their_line.tuning";
    ck_assert_int_eq(setenv("ARGMAX_CL_TUNING", name, 1), 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        tuning_row row;
        write_file(name, files[i].text);
        ck_assert_int_eq(tuning_choose(NULL, &cpu, &row), ARGMAX_CL_ERROR_INVALID_TUNING);
        ck_assert_ptr_nonnull(strstr(argmax_cl_last_error(), name));
        for (size_t w = 0; w < 2; w++)
            ck_assert_msg(strstr(argmax_cl_last_error(), files[i].words[w]), "%s: %s", files[i].words[w],
                          argmax_cl_last_error());
    }
    remove(name);
    ck_assert_uint_eq(part_bytes(NULL, &cpu), 0);
    ck_assert_ptr_nonnull(strstr(argmax_cl_last_error(), "cannot read"));
    ck_assert_int_eq(setenv("ARGMAX_CL_TUNING", ".", 1), 0); /* a folder */
    ck_assert_uint_eq(part_bytes(NULL, &cpu), 0);
    ck_assert_ptr_nonnull(strstr(argmax_cl_last_error(), "cannot read"));
}
END_TEST

/* Both makers' rows differ from the one for unknown processors in the hint, and from nothing else's in what they leave
 * out. */
START_TEST(rows_are_chosen_by_the_maker) {
    static const struct {
        device_facts device;
        const char *row;
        uint32_t hint, local_index_hint;
    } cases[] = {
        {{.type = CL_DEVICE_TYPE_CPU}, "cpu", 3, 3},
        {{.type = CL_DEVICE_TYPE_CPU, .processor = "AuthenticAMD family 26 model 2"}, "cpu-zen5", 1, 1},
        {{.type = CL_DEVICE_TYPE_CPU, .processor = "AuthenticAMD family 25 model 17"}, "cpu-zen4", 0, 1},
        {{.type = CL_DEVICE_TYPE_CPU, .processor = "AuthenticAMD family 25 model 1"}, "cpu-amd", 1, 1},
        {{.type = CL_DEVICE_TYPE_CPU, .processor = "GenuineIntel family 6 model 143"}, "cpu-intel", 3, 3},
        {{.type = CL_DEVICE_TYPE_CPU, .processor = "GenuineIntels family 6"}, "cpu", 3, 3},
        {{.type = CL_DEVICE_TYPE_GPU, .processor = "AuthenticAMD family 26 model 2"}, "gpu", 0, 0},
        {{.type = CL_DEVICE_TYPE_ACCELERATOR}, "gpu", 0, 0},
        {{.type = CL_DEVICE_TYPE_GPU, .vendor = "Intel(R) Corporation"}, "gpu-intel", 0, 0},
        {{.type = CL_DEVICE_TYPE_CPU, .vendor = "Intel(R) Corporation"}, "cpu", 3, 3},
    };
    ck_assert_int_eq(setenv("ARGMAX_CL_TUNING", "", 1), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tuning_row row;
        ck_assert_str_eq(tuning_class(&cases[i].device), cases[i].row);
        ck_assert_int_eq(tuning_choose(NULL, &cases[i].device, &row), ARGMAX_CL_SUCCESS);
        ck_assert_uint_eq(row.hint, cases[i].hint);
        ck_assert_uint_eq(row.local_index_hint, cases[i].local_index_hint);
        ck_assert_uint_eq(row.groups_per_unit,
                          tuning_find(cases[i].device.type == CL_DEVICE_TYPE_CPU ? "cpu" : "gpu").groups_per_unit);
    }
    ck_assert(tuning_is_kind_of("cpu-amd", "cpu"));
    ck_assert(tuning_is_kind_of("cpu-zen5", "cpu"));
    ck_assert(!tuning_is_kind_of("cpu", "cpu-amd"));
    ck_assert(!tuning_is_kind_of("gpu", "cpu"));
    ck_assert_ptr_null(tuning_find("any").name);
}
END_TEST

/* Of a cache that is told, no more than 16 MiB for each compute unit; a row's own, where that is more. GPUs' have none.
 */
START_TEST(caches_are_shared) {
    static const struct {
        device_facts device;
        uint32_t mebibytes;
    } cases[] = {
        {{.type = CL_DEVICE_TYPE_CPU, .compute_units = 2, .cache_bytes = UINT64_C(260) << 20}, 32},
        {{.type = CL_DEVICE_TYPE_CPU, .compute_units = 8, .cache_bytes = UINT64_C(260) << 20}, 128},
        {{.type = CL_DEVICE_TYPE_CPU, .compute_units = 8, .cache_bytes = UINT64_C(96) << 20}, 96},
        {{.type = CL_DEVICE_TYPE_CPU, .compute_units = 8, .cache_bytes = UINT64_C(8) << 20}, 32},
        {{.type = CL_DEVICE_TYPE_CPU, .compute_units = 1000, .cache_bytes = UINT64_C(9) << 30}, 2048},
        {{.type = CL_DEVICE_TYPE_GPU, .compute_units = 8, .cache_bytes = UINT64_C(50) << 20}, 0},
    };
    ck_assert_int_eq(setenv("ARGMAX_CL_TUNING", "", 1), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tuning_row row;
        ck_assert_int_eq(tuning_choose(NULL, &cases[i].device, &row), ARGMAX_CL_SUCCESS);
        ck_assert_uint_eq(row.cache_bytes >> 20, cases[i].mebibytes);
    }
}
END_TEST

START_TEST(hints_have_names) {
    static const char *const hints[] = {"none", "nta", "t2", "t1", "t0"};
    static const char name[] = "hints_have_names.tuning";
    ck_assert_int_eq(setenv("ARGMAX_CL_TUNING", name, 1), 0);
    for (uint32_t i = 0; i < 5; i++) {
        char text[64];
        tuning_row row;
        snprintf(text, sizeof text, "cpu hint=%s far_hint=%s local_index_hint=%s\n", hints[i], hints[4 - i], hints[i]);
        write_file(name, text);
        ck_assert_int_eq(tuning_choose(NULL, &cpu, &row), ARGMAX_CL_SUCCESS);
        ck_assert_uint_eq(row.hint, i);
        ck_assert_uint_eq(row.far_hint, 4 - i);
        ck_assert_uint_eq(row.local_index_hint, i);
    }
    remove(name);
}
END_TEST

START_TEST(built_in_values_are_in_range) {
    static const char *const names[] = {
#define ROW(name, ...) name,
#include "policy/tuning.def"
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const tuning_row row = tuning_find(names[i]);
        ck_assert_str_eq(row.name, names[i]);
#define FIELD(rows, name, least, most, power, otherwise, meaning)                                                      \
    ck_assert_msg((row.name + UINT64_C(1) > (least)) && row.name <= (most) &&                                          \
                      (!(power) || !(row.name & (row.name - 1))),                                                      \
                  "%s: %s = %u", names[i], #name, (unsigned)row.name);
#include "policy/tuning.def"
    }
}
END_TEST

/* Lines for a row's parent change the row; what stands under a property counts where the device has it. */
START_TEST(sections_are_for_their_property) {
    static const char name[] = "sections_are_for_their_property.tuning";
    static const device_facts zen = {.type = CL_DEVICE_TYPE_CPU,
                                     .name = "pthread-skylake-avx512",
                                     .vendor = "GenuineIntel",
                                     .processor = "AuthenticAMD family 26 model 2"};
    static const struct {
        const char *section;
        bool ours;
    } cases[] = {
        {"type \"cpu\"", true},
        {"type \"gpu\"", false},
        {"vendor \"GenuineIntel\" # by the runtime", true},
        {"vendor \"Genuine\"", false},
        {"processor \"AuthenticAMD\"", true},
        {"processor\t\"AuthenticAMD family 26\"", true},
        {"processor \"AuthenticAMD family 26 model 2\"", true},
        {"processor \"AuthenticAMD family 2\"", false},
        {"processor \"AuthenticAMD family 26 model 21\"", false},
        {"processor \"GenuineIntel\"", false},
        {"processor \"\"", false},
        {"device \"pthread-skylake-avx512\"", true},
        {"device \"pthread\"", false},
    };
    static const char *const rows[] = {"cpu", "cpu-amd", "cpu-zen5", "cpu-zen4", "cpu-intel", "gpu", "gpu-intel"};
    ck_assert_int_eq(setenv("ARGMAX_CL_TUNING", name, 1), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            char text[256];
            tuning_row row;
            const bool changed = cases[i].ours && r < 3;
            snprintf(text, sizeof text, "%s\n%s part_bytes=7\ndevice \"Other\"\n%s part_bytes=8\n", cases[i].section,
                     rows[r], rows[r]);
            write_file(name, text);
            ck_assert_int_eq(tuning_choose(NULL, &zen, &row), ARGMAX_CL_SUCCESS);
            ck_assert_msg((row.part_bytes == 7) == changed, "%s", text);
            ck_assert_str_eq(row.name, changed ? "cpu-zen5+file" : "cpu-zen5");
        }
    remove(name);
}
END_TEST

/* Lines of 1023 characters are read; more is refused, and so is what is no text, wherever it stands. */
START_TEST(only_text_is_read) {
    static const char name[] = "only_text_is_read.tuning";
    char long_line[1030] = "cpu part_bytes=7 #";
    memset(long_line + strlen(long_line), 'x', 1023 - strlen(long_line));
    ck_assert_int_eq(setenv("ARGMAX_CL_TUNING", name, 1), 0);
    write_file(name, long_line);
    ck_assert_uint_eq(part_bytes(NULL, &cpu), 7);
    long_line[1023] = 'x';
    write_file(name, long_line);
    ck_assert_uint_eq(part_bytes(NULL, &cpu), 0);
    ck_assert_ptr_nonnull(strstr(argmax_cl_last_error(), "line 1: \"cpu part_bytes=7"));
    ck_assert_ptr_nonnull(strstr(argmax_cl_last_error(), "at most 1023 characters"));
    static const char with_zero[] = "cpu part_bytes=7\ncpu part_bytes=8\0 rubbish\n";
    FILE *const file = fopen(name, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(with_zero, 1, sizeof with_zero - 1, file), sizeof with_zero - 1);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_uint_eq(part_bytes(NULL, &cpu), 0);
    ck_assert_ptr_nonnull(strstr(argmax_cl_last_error(), "line 2: \"cpu part_bytes=8\": expected text"));
    remove(name);
}
END_TEST

/* None of these is waited for, or read without end. */
START_TEST(only_files_are_read) {
    static const char fifo[] = "only_files_are_read.fifo";
    const char *const paths[] = {".", "/dev/zero", fifo, "/dev/null/x", "/proc/self/mem"};
    remove(fifo); /* of a run that was killed */
    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        ck_assert_int_eq(setenv("ARGMAX_CL_TUNING", paths[i], 1), 0);
        ck_assert_uint_eq(part_bytes(NULL, &cpu), 0);
        ck_assert_ptr_nonnull(strstr(argmax_cl_last_error(), paths[i]));
        ck_assert_ptr_nonnull(strstr(argmax_cl_last_error(), "cannot read"));
    }
    remove(fifo);
    ck_assert_int_eq(setenv("ARGMAX_CL_TUNING", "/dev/null", 1), 0); /* the empty file of every Unix */
    ck_assert_uint_gt(part_bytes(NULL, &cpu), 0);
}
END_TEST

/* ARGMAX_CL_TUNING, else XDG_CONFIG_HOME, else HOME. */
START_TEST(the_users_file_is_found) {
    const uint32_t built_in = tuning_find("cpu").part_bytes;
    char folder[4096], path[4200];
    ck_assert_ptr_nonnull(getcwd(folder, sizeof folder));
    mkdir("argmax_cl", 0777);
    mkdir(".config", 0777);
    mkdir(".config/argmax_cl", 0777);
    write_file("argmax_cl/tuning", "cpu part_bytes=1\n");
    write_file(".config/argmax_cl/tuning", "cpu part_bytes=2\n");
    write_file("given.tuning", "cpu part_bytes=3\n");
    unsetenv("ARGMAX_CL_TUNING");
    ck_assert_int_eq(setenv("HOME", folder, 1), 0);
    ck_assert_int_eq(setenv("XDG_CONFIG_HOME", folder, 1), 0);
    ck_assert_uint_eq(part_bytes(NULL, &cpu), 1);
    ck_assert(tuning_user_file(path, sizeof path));
    ck_assert_ptr_nonnull(strstr(path, "/argmax_cl/tuning"));
    ck_assert(!tuning_user_file(path, strlen(path)));
    ck_assert_uint_eq(part_bytes("cpu", &cpu), built_in);
    ck_assert_int_eq(setenv("XDG_CONFIG_HOME", "relative", 1), 0);
    ck_assert_uint_eq(part_bytes(NULL, &cpu), 2);
    unsetenv("XDG_CONFIG_HOME");
    ck_assert_uint_eq(part_bytes(NULL, &cpu), 2);
    ck_assert_int_eq(setenv("ARGMAX_CL_TUNING", "given.tuning", 1), 0);
    ck_assert_uint_eq(part_bytes(NULL, &cpu), 3);
    ck_assert_int_eq(setenv("ARGMAX_CL_TUNING", "", 1), 0);
    ck_assert_uint_eq(part_bytes(NULL, &cpu), built_in);
    unsetenv("ARGMAX_CL_TUNING");
    write_file(".config/argmax_cl/tuning", "cpu colour=2\n");
    ck_assert_uint_eq(part_bytes(NULL, &cpu), 0);
    ck_assert_ptr_nonnull(strstr(argmax_cl_last_error(), "the user's tuning file"));
    remove(".config/argmax_cl/tuning");
    ck_assert_uint_eq(part_bytes(NULL, &cpu), built_in);                /* no file, no matter */
    ck_assert_int_eq(symlink("tuning", ".config/argmax_cl/tuning"), 0); /* to itself */
    ck_assert_uint_eq(part_bytes(NULL, &cpu), 0);
    ck_assert_ptr_nonnull(strstr(argmax_cl_last_error(), "cannot read"));
    remove(".config/argmax_cl/tuning");
    ck_assert_int_eq(setenv("HOME", "/dev/null", 1), 0); /* no folder */
    ck_assert_uint_eq(part_bytes(NULL, &cpu), built_in);
    unsetenv("HOME");
    ck_assert_uint_eq(part_bytes(NULL, &cpu), built_in);
    remove("argmax_cl/tuning");
    remove("given.tuning");
}
END_TEST

SUITE_MAIN("tuning", sections_are_for_their_device, rows_are_chosen_by_the_maker, caches_are_shared, hints_have_names,
           built_in_values_are_in_range, sections_are_for_their_property, mistakes_are_named_with_their_line,
           only_text_is_read, only_files_are_read, the_users_file_is_found)
