/* Result files: all and whole, or not at all. No device is needed. */
#include "files.h"
#include "unit.h"
#include <output.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct stat no_file; /* device 0, inode 0 */
static const output_source no_input = {"the INPUT file", &no_file};

static void make_file(const char *name, const char *text) {
    write_file(name, text, strlen(text));
}

static void expect_text(const char *name, const char *text) {
    expect_file(name, text, strlen(text));
}

static void open_and_write(output *out, const char *name, const char *text) {
    message m;
    ck_assert_msg(output_open(out, name, 1, &no_input, strlen(text), &m), "%s", m.text);
    ck_assert_msg(output_write(out, "", 0, text, strlen(text), &m), "%s", m.text);
}

START_TEST(appears_at_commit) {
    output out[2] = {OUTPUT_INIT, OUTPUT_INIT};
    message m;
    make_file("old.npy", "old");
    open_and_write(&out[0], "new.npy", "first");
    open_and_write(&out[1], "old.npy", "second");
    ck_assert_int_ne(access("new.npy", F_OK), 0);
    expect_text("old.npy", "old");
    ck_assert(output_commit(out, 2, &m));
    expect_text("new.npy", "first");
    expect_text("old.npy", "second");
    output_close(&out[0]);
    output_close(&out[1]);
    expect_entries(2);
}
END_TEST

START_TEST(closing_uncommitted_leaves_nothing) {
    output out = OUTPUT_INIT;
    make_file("old.npy", "old");
    open_and_write(&out, "old.npy", "new");
    output_close(&out);
    expect_text("old.npy", "old");
    expect_entries(1);
}
END_TEST

/* The second target becomes a folder after it was checked: the first result must go, what it replaced come back. */
START_TEST(second_failure_undoes_the_first) {
    for (int existed = 0; existed < 2; ++existed) {
        output out[2] = {OUTPUT_INIT, OUTPUT_INIT};
        message m;
        if (existed)
            make_file("a.npy", "old");
        open_and_write(&out[0], "a.npy", "first");
        open_and_write(&out[1], "b.npy", "second");
        ck_assert_int_eq(mkdir("b.npy", 0777), 0);
        ck_assert(!output_commit(out, 2, &m));
        ck_assert_msg(strstr(m.text, "b.npy: cannot be written: Is a directory"), "%s", m.text);
        if (existed)
            expect_text("a.npy", "old");
        output_close(&out[0]);
        output_close(&out[1]);
        expect_entries(1 + existed);
        ck_assert_int_eq(rmdir("b.npy"), 0);
    }
}
END_TEST

START_TEST(first_failure_leaves_the_second) {
    output out[2] = {OUTPUT_INIT, OUTPUT_INIT};
    message m;
    make_file("b.npy", "old");
    open_and_write(&out[0], "a.npy", "first");
    open_and_write(&out[1], "b.npy", "second");
    ck_assert_int_eq(mkdir("a.npy", 0777), 0);
    ck_assert(!output_commit(out, 2, &m));
    expect_text("b.npy", "old");
    output_close(&out[0]);
    output_close(&out[1]);
    expect_entries(2);
}
END_TEST

START_TEST(keeps_links_and_permissions) {
    output out = OUTPUT_INIT;
    message m;
    struct stat status;
    make_file("real.npy", "old");
    ck_assert_int_eq(chmod("real.npy", 0640), 0);
    ck_assert_int_eq(symlink("real.npy", "link.npy"), 0);
    open_and_write(&out, "link.npy", "new");
    ck_assert(output_commit(&out, 1, &m));
    output_close(&out);
    expect_text("real.npy", "new");
    ck_assert_int_eq(lstat("link.npy", &status), 0);
    ck_assert(S_ISLNK(status.st_mode));
    ck_assert_int_eq(stat("real.npy", &status), 0);
    ck_assert_int_eq(status.st_mode & 0777, 0640);
    expect_entries(2);
}
END_TEST

START_TEST(new_file_obeys_umask) {
    output out = OUTPUT_INIT;
    message m;
    struct stat status;
    const mode_t before = umask(027);
    open_and_write(&out, "new.npy", "new");
    (void)umask(before);
    ck_assert(output_commit(&out, 1, &m));
    output_close(&out);
    ck_assert_int_eq(stat("new.npy", &status), 0);
    ck_assert_int_eq(status.st_mode & 0777, 0640);
}
END_TEST

START_TEST(longest_name_is_fine) {
    char name[256];
    output out = OUTPUT_INIT;
    message m;
    memset(name, 'x', 255);
    name[255] = 0;
    open_and_write(&out, name, "new");
    ck_assert_msg(output_commit(&out, 1, &m), "%s", m.text);
    output_close(&out);
    expect_text(name, "new");
    expect_entries(1);
}
END_TEST

static const struct {
    const char *path, *says;
} refused[] = {
    {"missing/x.npy", "missing/x.npy: cannot be written: No such file or directory"},
    {"folder", "folder: a folder, expected a file"},
    {"folder/", "folder/: a folder, expected a file"},
    {"/dev/full", "/dev/full: a device or a pipe, expected a regular file"},
    {"/dev/null", "/dev/null: a device or a pipe"},
    {"fifo", "fifo: a device or a pipe"},
    {"dangling", "dangling: cannot be written: No such file or directory"},
    {"input.npy/x.npy", "input.npy/x.npy: cannot be written: Not a directory"},
    {"input.npy", "input.npy: the INPUT file, expected another one to write"},
    {"./folder/../input.npy", "the INPUT file"},
    {"linked.npy", "linked.npy: the INPUT file"},
    {"hard.npy", "hard.npy: the INPUT file"},
};

START_TEST(refuses) {
    output out = OUTPUT_INIT;
    message m = {""};
    struct stat input;
    make_file("input.npy", "input");
    ck_assert_int_eq(stat("input.npy", &input), 0);
    ck_assert_int_eq(mkdir("folder", 0777), 0);
    ck_assert_int_eq(mkfifo("fifo", 0666), 0);
    ck_assert_int_eq(symlink("nothing", "dangling"), 0);
    ck_assert_int_eq(symlink("input.npy", "linked.npy"), 0);
    ck_assert_int_eq(link("input.npy", "hard.npy"), 0);
    ck_assert(!output_open(&out, refused[_i].path, 1, &(output_source){"the INPUT file", &input}, 100, &m));
    ck_assert_msg(strstr(m.text, refused[_i].says), "said \"%s\", expected \"%s\"", m.text, refused[_i].says);
    output_close(&out);
    expect_text("input.npy", "input");
    expect_entries(6);
}
END_TEST

/* A disk that fills up while the result is written. */
START_TEST(failed_write_leaves_nothing) {
    char text[2000] = "";
    output out = OUTPUT_INIT;
    message m = {""};
    struct rlimit before, small;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    make_file("old.npy", "old");
    ck_assert(output_open(&out, "old.npy", 1, &no_input, 10, &m));
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    const bool written = output_write(&out, "head", 4, text, sizeof text, &m);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, handler);
    output_close(&out);
    ck_assert(!written);
    ck_assert_str_eq(m.text, "old.npy: cannot be written: File too large");
    expect_text("old.npy", "old");
    expect_entries(1);
}
END_TEST

START_TEST(tells_one_file_from_two) {
    make_file("a.npy", "");
    ck_assert_int_eq(symlink("a.npy", "link.npy"), 0);
    ck_assert_int_eq(link("a.npy", "hard.npy"), 0);
    ck_assert(output_same_target("a.npy", "./a.npy"));
    ck_assert(output_same_target("a.npy", "link.npy"));
    ck_assert(output_same_target("a.npy", "hard.npy"));
    ck_assert(output_same_target("new.npy", "././new.npy"));
    ck_assert(output_same_target("no/such.npy", "no/such.npy"));
    ck_assert(!output_same_target("a.npy", "b.npy"));
    ck_assert(!output_same_target("new.npy", "other.npy"));
    ck_assert(!output_same_target("no/such.npy", "no/other.npy"));
}
END_TEST

TESTS_MAIN("output", enter_folder, leave_folder, ONCE(appears_at_commit), ONCE(closing_uncommitted_leaves_nothing),
           ONCE(second_failure_undoes_the_first), ONCE(first_failure_leaves_the_second),
           ONCE(keeps_links_and_permissions), ONCE(new_file_obeys_umask), ONCE(longest_name_is_fine),
           EACH(refuses, refused), ONCE(failed_write_leaves_nothing), ONCE(tells_one_file_from_two))
