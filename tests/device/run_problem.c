/* run_problem [--device SELECTOR] [--route plan|call|host] [--explain] [--file FILE]
 *     [--largest-buffer BYTES] [--memory-limit BYTES] [--copies] ['PROBLEM LINE']...
 *
 * Runs problem lines (problem.h has the grammar) and compares the answers with the oracle; exit status 0 when all are
 * right. The last line counts them and names the device. --file reads lines from a file, - is standard input. Options
 * apply to the lines after them. The last three are about the host route: the device's largest buffer is that small,
 * the call has that limit, and nothing is used in place. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct session {
    runner r;
    bool open, explain;
    const char *selector;
    run_route route;
    uint64_t largest_buffer, memory_limit;
    bool copies;
} session;

static void explain(session *s, const problem_line *p) {
    problem_desc d;
    argmax_cl_plan plan = NULL;
    char text[2048];
    problem_describe(p, &d);
    if (argmax_cl_plan_create(&plan, s->r.handle, p->op, &d.desc) == ARGMAX_CL_SUCCESS &&
        argmax_cl_plan_describe(plan, text, sizeof text, NULL) == ARGMAX_CL_SUCCESS)
        printf("  %s\n", text);
    argmax_cl_plan_destroy(plan);
}

static bool run_line(session *s, const char *line) {
    problem_line p;
    char error[300];
    if (problem_is_blank(line))
        return true;
    if (!problem_parse(line, &p, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return false;
    }
    if (!s->open && !runner_open(&s->r, s->selector)) {
        fprintf(stderr, "%s\n", s->r.message);
        return false;
    }
    s->open = true;
    if (s->largest_buffer || s->memory_limit || s->copies) {
        s->r.largest_buffer = s->largest_buffer;
        s->r.memory_limit = s->memory_limit;
        s->r.copies = s->copies;
    }
    const run_result result = runner_run(&s->r, &p, s->route);
    const char *const verdict = result == RUN_OK ? "ok" : result == RUN_REFUSED ? "refused" : "FAIL";
    printf("%-7s %.*s%s%s\n", verdict, (int)strcspn(line, "\n"), line, result == RUN_OK ? "" : "\n  ",
           result == RUN_OK ? "" : s->r.message);
    if (s->explain)
        explain(s, &p);
    return result == RUN_OK || (result == RUN_REFUSED && runner_may_refuse(&s->r));
}

static bool run_file(session *s, const char *name) {
    char line[4096];
    bool ok = true;
    FILE *const file = strcmp(name, "-") == 0 ? stdin : fopen(name, "r");
    if (!file) {
        perror(name);
        return false;
    }
    while (fgets(line, sizeof line, file))
        ok = run_line(s, line) && ok;
    if (file != stdin)
        fclose(file);
    return ok;
}

static bool set_route(session *s, const char *name) {
    for (int i = 0; i < ROUTE_COUNT; i++)
        if (strcmp(name, run_route_names[i]) == 0) {
            s->route = (run_route)i;
            return true;
        }
    fprintf(stderr, "--route %s: expected plan, call or host\n", name);
    return false;
}

int main(int argc, char **argv) {
    session s;
    bool ok = argc > 1;
    memset(&s, 0, sizeof s);
    for (int i = 1; i < argc; i++) {
        const bool more = i + 1 < argc;
        if (strcmp(argv[i], "--device") == 0 && more && !s.open)
            s.selector = argv[++i];
        else if (strcmp(argv[i], "--route") == 0 && more)
            ok = set_route(&s, argv[++i]) && ok;
        else if (strcmp(argv[i], "--file") == 0 && more)
            ok = run_file(&s, argv[++i]) && ok;
        else if (strcmp(argv[i], "--largest-buffer") == 0 && more)
            s.largest_buffer = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--memory-limit") == 0 && more)
            s.memory_limit = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--copies") == 0)
            s.copies = true;
        else if (strcmp(argv[i], "--explain") == 0)
            s.explain = true;
        else
            ok = run_line(&s, argv[i]) && ok;
    }
    if (argc == 1)
        fprintf(stderr, "usage: run_problem [--device SELECTOR] [--route plan|call|host] [--explain] [--file FILE] "
                        "[--largest-buffer BYTES] [--memory-limit BYTES] [--copies] ['PROBLEM LINE']...\n");
    if (s.open) {
        runner_print(&s.r);
        runner_close(&s.r);
    }
    return ok ? 0 : 1;
}
