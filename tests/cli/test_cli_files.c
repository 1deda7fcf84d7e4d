/* Which files the program argmax-cl touches: the ones it was asked to write and no other, whatever their names and what
 * lies there already. On an OpenCL of the tests' own (tests/stub/), so that no driver's files come in between. */
#include "cli_process.h"
#include "snapshot.h"
#include "unit.h"

#include <limits.h>
#include <stdint.h>
#include <unistd.h>

#define NAME_50 "12345678901234567890123456789012345678901234567890"
#define NAME_255 NAME_50 NAME_50 NAME_50 NAME_50 NAME_50 "12345"

static void make_links(void) {
    ck_assert_int_eq(link("old.npy", "hard.npy"), 0);
    ck_assert_int_eq(link("x.npy", "x2.npy"), 0);
    ck_assert_int_eq(symlink("old.npy", "link.npy"), 0);
    ck_assert_int_eq(symlink("nowhere.npy", "dangling"), 0);
    ck_assert_int_eq(symlink("loop", "loop"), 0);
    ck_assert_int_eq(symlink("sub", "linkdir"), 0);
}

/* What the folder holds before each case; the user's own folders lie in it. */
static void set_out(void) {
    enter_folder();
    write_native_npy("x.npy", "u1", "(3,)", "abc", 3);
    write_file("old.npy", "old", 3);
    ck_assert_int_eq(chmod("old.npy", 0640), 0);
    ck_assert_int_eq(mkdir("sub", 0777), 0);
    ck_assert_int_eq(mkdir("home", 0777), 0);
    ck_assert_int_eq(mkdir("tmp", 0777), 0);
    ck_assert_int_eq(mkfifo("fifo", 0666), 0);
    make_links();
    ck_assert_int_eq(setenv("HOME", "home", 1) | setenv("TMPDIR", "tmp", 1) | unsetenv("XDG_CONFIG_HOME"), 0);
}

/* ---- Names ----------------------------------------------------------------------------------------------------- */

/* `writes` is the file that then is new, or another one than before; without it, the error says `says`. The name is
 * given with so many "./" in front. */
static const struct {
    const char *name, *writes, *says;
    size_t folders;
} names[] = {
    {"plain.npy", "plain.npy", NULL, 0},
    {"a b\tc\n.npy", "a b\tc\n.npy", NULL, 0},
    {"%s%n%99999d.npy", "%s%n%99999d.npy", NULL, 0},
    {"$(touch hacked)`touch hacked`;touch hacked", "$(touch hacked)`touch hacked`;touch hacked", NULL, 0},
    {"-x.npy", "-x.npy", NULL, 0},
    {"--", "--", NULL, 0},
    {"\xc3\xb6\xff\xfe.npy", "\xc3\xb6\xff\xfe.npy", NULL, 0},
    {"no-suffix", "no-suffix", NULL, 0},
    {"*", "*", NULL, 0},
    {"...", "...", NULL, 0},
    {NAME_255, NAME_255, NULL, 0},
    {NAME_255 "6", NULL, "cannot be written: File name too long", 0},
    {"y.npy", "y.npy", NULL, PATH_MAX / 2 - 10},
    {"sub/x.npy", "sub/x.npy", NULL, 0},
    {"./sub//../sub/x.npy", "sub/x.npy", NULL, 0},
    {"linkdir/x.npy", "sub/x.npy", NULL, 0},
    {"linkdir/../y.npy", "y.npy", NULL, 0},
    {"old.npy", "old.npy", NULL, 0},
    {"link.npy", "old.npy", NULL, 0},
    {"hard.npy", "hard.npy", NULL, 0},
    {"", NULL, "an empty name, expected a file to write", 0},
    {".", NULL, "a folder, expected a file to write", 0},
    {"..", NULL, "a folder, expected a file to write", 0},
    {"/", NULL, "a folder, expected a file to write", 0},
    {"sub", NULL, "a folder, expected a file to write", 0},
    {"sub/", NULL, "a folder, expected a file to write", 0},
    {"linkdir", NULL, "a folder, expected a file to write", 0},
    {"new/", NULL, "cannot be written: No such file or directory", 0},
    {"~/y.npy", NULL, "cannot be written: No such file or directory", 0},
    {"sub/missing/y.npy", NULL, "cannot be written: No such file or directory", 0},
    {"old.npy/", NULL, "cannot be written: Not a directory", 0},
    {"old.npy/y.npy", NULL, "cannot be written: Not a directory", 0},
    {"dangling", NULL, "cannot be written: No such file or directory", 0},
    {"loop", NULL, "cannot be written: Too many levels of symbolic links", 0},
    {"fifo", NULL, "a device or a pipe, expected a regular file", 0},
    {"/dev/null", NULL, "a device or a pipe, expected a regular file", 0},
    {"x.npy", NULL, "the INPUT file, expected another one to write", 0},
    {"x2.npy", NULL, "the INPUT file, expected another one to write", 0},
};

static void write_to(size_t folders, const char *name, const char *writes, const char *says) {
    char option[PATH_MAX + 400] = "--output=";
    snapshot before, after;
    const char *const arguments[] = {option, "x.npy", NULL};
    char *end = option + strlen(option);
    for (size_t i = 0; i < folders; ++i, end += 2)
        (void)strcpy(end, "./");
    (void)strcpy(end, name);
    snapshot_take(&before, ".");
    const result r = run_program(arguments, STREAMS_DEFAULT);
    snapshot_take(&after, ".");
    ck_assert_msg((r.status == 0) == (writes != NULL), "%s: status %d, %s", name, r.status, r.error);
    ck_assert_msg(!says || strstr(r.error, says), "%s: said \"%s\", expected \"%s\"", name, r.error, says);
    snapshot_expect(&before, &after, name, writes);
    if (writes)
        expect_npy(writes, "i8", "(1,)", (const int64_t[]){2}, 8);
    snapshot_free(&before);
    snapshot_free(&after);
}

START_TEST(only_the_named_file_is_written) {
    write_to(names[_i].folders, names[_i].name, names[_i].writes, names[_i].says);
}
END_TEST

/* What was at the name keeps its permissions, its links and its other names. */
START_TEST(what_is_replaced_keeps_its_place) {
    struct stat status;
    write_to(0, "link.npy", "old.npy", NULL);
    ck_assert_int_eq(lstat("link.npy", &status), 0);
    ck_assert(S_ISLNK(status.st_mode));
    ck_assert_int_eq(stat("old.npy", &status), 0);
    ck_assert_int_eq(status.st_mode & 0777, 0640);
    expect_file("hard.npy", "old", 3);
}
END_TEST

static const char *const unasked[] = {"x.npy",
                                      "--explain x.npy",
                                      "--list-devices",
                                      "--help",
                                      "--version",
                                      "-a 9 -o y.npy x.npy",
                                      "-d none-such -o y.npy x.npy",
                                      "-o y.npy",
                                      "-o y.npy missing.npy",
                                      "-o y.npy old.npy",
                                      "-o y.npy --values sub x.npy",
                                      "-o y.npy --values ./sub/../y.npy x.npy",
                                      "-o hard.npy --values old.npy x.npy",
                                      "-o y.npy --values fifo x.npy"};

START_TEST(nothing_is_written_unasked) {
    snapshot before, after;
    snapshot_take(&before, ".");
    (void)run_words(unasked[_i], STREAMS_DEFAULT);
    snapshot_take(&after, ".");
    snapshot_expect(&before, &after, unasked[_i], NULL);
    snapshot_free(&before);
    snapshot_free(&after);
}
END_TEST

int main(void) {
    use_program(ARGMAX_CL_STUB_PROGRAM);
    const listed_test tests[] = {
        EACH(only_the_named_file_is_written, names),
        ONCE(what_is_replaced_keeps_its_place),
        EACH(nothing_is_written_unasked, unasked),
    };
    return run_tests("argmax-cl's files", tests, sizeof tests / sizeof tests[0], set_out, leave_folder);
}
