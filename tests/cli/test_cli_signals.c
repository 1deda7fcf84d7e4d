/* The program argmax-cl interrupted at any moment: both files are new or neither is, nothing else is left, it ends at
 * once and by that signal. */
#include "cli_process.h"
#include "unit.h"

#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BOTH_FILES "-a 1 -o old.npy --values new.npy x.npy"

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void set_out(void) {
    write_file("old.npy", "old", 3);
    (void)unlink("new.npy");
}

static bool is_old(const char *path) {
    char bytes[4] = "";
    FILE *const file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s is missing", path);
    const bool old = fread(bytes, 1, sizeof bytes, file) == 3 && memcmp(bytes, "old", 3) == 0;
    (void)fclose(file);
    return old;
}

/* Whether the files are new, which must be so when the run came to its end. */
static bool look(int status, int signal_number, unsigned moment) {
    const bool ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    ck_assert_msg(ended || (WIFSIGNALED(status) && WTERMSIG(status) == signal_number),
                  "signal %d after %u us: ended with %x", signal_number, moment, (unsigned)status);
    const bool new = !is_old("old.npy");
    ck_assert_msg(new == (access("new.npy", F_OK) == 0), "signal %d after %u us: one of two files", signal_number,
                  moment);
    ck_assert_msg(new || !ended, "signal %d after %u us: success without files", signal_number, moment);
    expect_entries(new ? 3 : 2); /* with x.npy */
    return new;
}

/* Signals at moments that are spread over the time that a run takes. */
static void interrupt(unsigned runs, bool to_other_thread) {
    unsigned counts[2] = {0, 0}; /* of runs that left the old files, and new ones */
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    const double start = now();
    set_out();
    ck_assert_int_eq(run_words(BOTH_FILES, STREAMS_DEFAULT).status, 0);
    const double seconds = now() - start;
    for (unsigned i = 0; i < runs; ++i) {
        const unsigned moment = (unsigned)(1.3e6 * seconds * i / runs);
        set_out();
        const int signal_number = signals[i % 3];
        ++counts[look(run_and_signal(BOTH_FILES, moment, signal_number, to_other_thread), signal_number, moment)];
    }
    ck_assert_msg(counts[0] > 0, "no run of %u was interrupted", runs);
}

/* On an OpenCL of the tests' own a run is short, so that many moments fall into the writing of the files. */
START_TEST(interrupted_while_writing) {
    static uint8_t data[64 * 50];
    use_program(ARGMAX_CL_STUB_PROGRAM);
    write_native_npy("x.npy", "u1", "(64, 50)", data, sizeof data);
    interrupt(60, _i == 1);
}
END_TEST

/* 16 MiB on the device that is there: in the driver's start, the compiler, the kernel. */
START_TEST(interrupted_while_computing) {
    const size_t bytes = (size_t)16 << 20;
    uint8_t *const data = calloc(bytes, 1);
    use_program(ARGMAX_CL_PROGRAM);
    ck_assert_ptr_nonnull(data);
    write_native_npy("x.npy", "u1", "(16384, 1024)", data, bytes);
    free(data);
    interrupt(6, _i == 1);
}
END_TEST

/* As under nohup. */
START_TEST(ignored_signals_stay_ignored) {
    use_program(ARGMAX_CL_STUB_PROGRAM);
    write_native_npy("x.npy", "u1", "(3, 1)", "abc", 3);
    (void)signal(SIGHUP, SIG_IGN);
    for (unsigned moment = 0; moment < 5000; moment += 500) {
        set_out();
        const int status = run_and_signal(BOTH_FILES, moment, SIGHUP, false);
        ck_assert_msg(WIFEXITED(status), "ended with %x", (unsigned)status);
        ck_assert(look(status, SIGHUP, moment));
    }
    (void)signal(SIGHUP, SIG_DFL);
}
END_TEST

TESTS_MAIN("argmax-cl's signals", enter_folder, leave_folder, TIMES(interrupted_while_writing, 2),
           TIMES(interrupted_while_computing, 2), ONCE(ignored_signals_stay_ignored))
