/* Problem lines of the tests and the benchmark: any line is either refused with a message, or prints as a line that
 * reads back the same, and its memory is what the library says. */
#include "fuzz.h"
#include "internal.h"
#include "problem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void check_against_library(const problem_line *p) {
    problem_desc d;
    problem checked;
    problem_describe(p, &d);
    if (check_desc(p->op, &d.desc, &checked) != ARGMAX_CL_SUCCESS) {
        REQUIRE(argmax_cl_last_error()[0], "no message");
        return;
    }
    REQUIRE(problem_output_count(p) == checked.outputs, "%" PRIu64 " outputs", checked.outputs);
    REQUIRE(!checked.outputs || problem_reduction_count(p) == checked.reduction, "%" PRIu64 " in a reduction",
            checked.reduction);
    REQUIRE(problem_input_extent(p) == (checked.input.empty ? 0 : checked.input.last + 1), "last %" PRIu64,
            checked.input.last);
    REQUIRE(problem_output_extent(p, &p->index) == (checked.index.empty ? 0 : checked.index.last + 1), "last %" PRIu64,
            checked.index.last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char error[300] = "", printed[PROBLEM_LINE_SIZE], reprinted[PROBLEM_LINE_SIZE];
    problem_line p, again;
    char *const line = malloc(size + 1);
    REQUIRE(line, "no memory");
    memcpy(line, data, size);
    line[size] = 0;
    if (problem_parse(line, &p, error, sizeof error)) {
        for (uint32_t i = 0; i < p.axis_count; ++i)
            REQUIRE(p.axes[i] < p.rank, "axis %" PRIu32 " of %" PRIu32, p.axes[i], p.rank);
        problem_print(&p, printed, sizeof printed);
        REQUIRE(strlen(printed) + 1 < sizeof printed, "%s", printed);
        REQUIRE(problem_parse(printed, &again, error, sizeof error), "%s: %s", printed, error);
        problem_print(&again, reprinted, sizeof reprinted);
        REQUIRE(strcmp(printed, reprinted) == 0, "%s\n%s", printed, reprinted);
        REQUIRE(p.rank == again.rank && memcmp(&p.input, &again.input, sizeof p.input) == 0, "%s", printed);
        check_against_library(&p);
    } else {
        REQUIRE(error[0] == '"' && strstr(error, ": expected "), "%s", error);
    }
    free(line);
    return 0;
}
