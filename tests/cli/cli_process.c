#include "cli_process.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *program;

void use_program(const char *path) {
    program = path;
}

static bool children_ignored;

void use_ignored_children(bool ignored) {
    children_ignored = ignored;
}

static void use(int file, int as) {
    if (dup2(file, as) < 0)
        _exit(125);
}

/* In the child: its streams. The captured ones lie in the folder above the test's own. */
static void set_streams(streams way) {
    const int output = open("../output", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const int error = open("../error", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const struct rlimit small = {256, 256}; /* a message on stderr fits */
    int ends[2];
    use(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
    use(output, 1);
    use(error, 2);
    switch (way) {
    case STREAMS_DEFAULT:
        break;
    case STREAMS_OUTPUT_FULL:
        use(open("/dev/full", O_WRONLY | O_CLOEXEC), 1);
        break;
    case STREAMS_OUTPUT_CLOSED:
        (void)close(1);
        break;
    case STREAMS_OUTPUT_PIPE_CLOSED:
        if (pipe(ends) != 0)
            _exit(125);
        use(ends[1], 1);
        (void)close(ends[0]);
        (void)close(ends[1]);
        break;
    case STREAMS_ALL_CLOSED:
        for (int i = 0; i < 3; ++i)
            (void)close(i);
        break;
    case STREAMS_SMALL_FILES:
        if (setrlimit(RLIMIT_FSIZE, &small) != 0)
            _exit(125);
        break;
    }
}

static pid_t start(const char *const *arguments, streams way, bool group) {
    const char *argv[32] = {"argmax-cl"};
    size_t count = 1;
    for (; *arguments; ++arguments) {
        ck_assert_uint_lt(count, 31);
        argv[count++] = *arguments;
    }
    /* Check's own handlers would kill the test when a signal came before the program is there. */
    static const int handled[] = {SIGINT, SIGTERM};
    sigset_t both, before;
    (void)sigemptyset(&both);
    for (size_t i = 0; i < 2; ++i)
        (void)sigaddset(&both, handled[i]);
    (void)sigprocmask(SIG_BLOCK, &both, &before);
    const pid_t child = fork();
    if (child == 0) {
        if (group && setpgid(0, 0) != 0)
            _exit(125);
        for (size_t i = 0; i < 2; ++i)
            (void)signal(handled[i], SIG_DFL);
        (void)signal(SIGCHLD, children_ignored ? SIG_IGN : SIG_DFL);
        (void)sigprocmask(SIG_SETMASK, &before, NULL);
        set_streams(way);
        (void)execv(program, (char *const *)argv);
        _exit(126);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    ck_assert_int_ge(child, 0);
    return child;
}

static void slurp(const char *path, char *text, size_t capacity) {
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, capacity - 1, file)] = 0;
    (void)fclose(file);
}

result run_program(const char *const *arguments, streams way) {
    result r;
    int status = 0;
    const pid_t child = start(arguments, way, false);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    r.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    slurp("../output", r.output, sizeof r.output);
    slurp("../error", r.error, sizeof r.error);
    return r;
}

/* The words of the text, NULL last. */
typedef struct word_list {
    char text[1024];
    const char *words[32];
} word_list;

static void split(const char *text, word_list *list) {
    size_t count = 0;
    ck_assert_uint_lt(strlen(text), sizeof list->text);
    (void)strcpy(list->text, text);
    for (char *word = strtok(list->text, " "); word && count < 31; word = strtok(NULL, " "))
        list->words[count++] = word;
    list->words[count] = NULL;
}

result run_words(const char *words, streams way) {
    word_list list;
    split(words, &list);
    return run_program(list.words, way);
}

static bool has_temporary(void) {
    DIR *entries = opendir(".");
    bool found = false;
    ck_assert_ptr_nonnull(entries);
    for (const struct dirent *entry; (entry = readdir(entries)) && !found;)
        found = strncmp(entry->d_name, ".argmax-cl.", 11) == 0;
    (void)closedir(entries);
    return found;
}

int run_until_temporary(const char *words, int signal_number) {
    const struct timespec pause = {0, 200000};
    word_list list;
    int status = 0;
    split(words, &list);
    const pid_t child = start(list.words, STREAMS_DEFAULT, false);
    while (!has_temporary() && waitpid(child, &status, WNOHANG) == 0)
        (void)nanosleep(&pause, NULL);
    if (kill(child, signal_number) == 0)
        (void)waitpid(child, &status, 0);
    return status;
}

static void pause_for(unsigned microseconds) {
    const struct timespec time = {(time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000};
    (void)nanosleep(&time, NULL);
}

/* A thread of the process that is not its first one; 0 when it has none. */
static pid_t other_thread_of(pid_t process) {
    char path[64];
    pid_t found = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *const threads = opendir(path);
    for (const struct dirent *entry; threads && !found && (entry = readdir(threads));) {
        const pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        found = thread != process ? thread : 0;
    }
    if (threads)
        (void)closedir(threads);
    return found;
}

static void send_to(pid_t process, int signal_number, bool to_other_thread) {
    const pid_t thread = to_other_thread ? other_thread_of(process) : 0;
    if (thread)
        (void)syscall(SYS_tgkill, process, thread, signal_number);
    else if (kill(-process, signal_number) != 0)
        (void)kill(process, signal_number); /* its group is not there yet */
}

int run_and_signal(const char *words, unsigned microseconds, int signal_number, bool to_other_thread) {
    word_list list;
    int status = 0;
    split(words, &list);
    const pid_t child = start(list.words, STREAMS_DEFAULT, true);
    pause_for(microseconds);
    send_to(child, signal_number, to_other_thread);
    for (unsigned i = 0; waitpid(child, &status, WNOHANG) == 0; ++i) {
        if (i == 10000)
            (void)kill(child, SIGKILL);
        pause_for(1000);
    }
    ck_assert_msg(!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL, "%s: hangs after signal %d", words,
                  signal_number);
    return status;
}

void expect_error(const char *words, int status, const char *says) {
    const result r = run_words(words, STREAMS_DEFAULT);
    const char *end = strchr(r.error, '\n');
    ck_assert_msg(r.status == status, "%s: exit status %d, expected %d; it said: %s", words, r.status, status, r.error);
    ck_assert_msg(strstr(r.error, says) != NULL, "%s: said \"%s\", expected \"%s\"", words, r.error, says);
    ck_assert_msg(strncmp(r.error, "argmax-cl: ", 11) == 0 && end && end[1] == 0, "%s: not one line: %s", words,
                  r.error);
    ck_assert_msg(r.output[0] == 0, "%s: printed \"%s\"", words, r.output);
}

void expect_output(const char *words, const char *says) {
    const result r = run_words(words, STREAMS_DEFAULT);
    ck_assert_msg(r.status == 0 && r.error[0] == 0, "%s: exit status %d, %s", words, r.status, r.error);
    ck_assert_msg(strstr(r.output, says) != NULL, "%s: printed \"%s\", expected \"%s\"", words, r.output, says);
}

void expect_silence(const char *words) {
    const result r = run_words(words, STREAMS_DEFAULT);
    ck_assert_msg(r.status == 0 && r.error[0] == 0 && r.output[0] == 0, "%s: exit status %d, %s%s", words, r.status,
                  r.error, r.output);
}
