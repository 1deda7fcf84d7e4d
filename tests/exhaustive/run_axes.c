/* run_axes [--device SELECTOR] [--rank N] [--seeds N] [--first SEED] [--deal 0|1] TYPE...
 *
 * Every non-empty subset of axes of every rank up to --rank (8), on small sizes of 1 to 3, packed and with the axes in
 * memory in another order, against the oracle; both tuning rows, or with --deal 1 one for each type. A seed is a set of
 * sizes and orders, an operator and a direction: four seeds have them all. Exit status 0 when all answers are right. */
#include "arguments.h"
#include "own_kernels.h"
#include "random_problem.h"
#include "sweep.h"

#include <inttypes.h>
#include <string.h>

typedef struct options {
    const char *device;
    uint64_t rank, seeds, first, deal;
} options;

/* Strides of a packed tensor whose axes lie in memory in a mixed order. */
static void permute(random_source *source, problem_line *p) {
    uint32_t order[PROBLEM_MAX_RANK];
    int64_t stride = 1;
    for (uint32_t d = 0; d < p->rank; d++)
        order[d] = d;
    for (uint32_t d = p->rank; d > 1; d--) {
        const uint32_t other = (uint32_t)random_below(source, d), held = order[d - 1];
        order[d - 1] = order[other];
        order[other] = held;
    }
    for (uint32_t d = 0; d < p->rank; d++) {
        p->input.stride[order[d]] = stride;
        stride *= (int64_t)p->size[order[d]];
    }
    p->input.has_strides = true;
    problem_resolve(p);
}

static void run_subset(sweep *s, const problem_dtype *type, uint32_t rank, uint32_t mask, bool permuted, uint64_t seed,
                       bool deal) {
    random_source source = {problem_mix(seed * 16 + rank)};
    problem_line p;
    problem_init(&p);
    p.dtype = type->dtype;
    p.rank = rank;
    for (uint32_t d = 0; d < rank; d++) {
        p.size[d] = 1 + random_below(&source, 3);
        if (mask >> d & 1)
            p.axes[p.axis_count++] = d;
    }
    /* One way for a type and a seed, so that few programs are compiled. */
    const uint64_t way = seed + type->bits / 16;
    p.op = way & 1 ? ARGMAX_CL_ARGMIN : ARGMAX_CL_ARGMAX;
    p.direction = (way + way / 2) & 1 ? ARGMAX_CL_DECREASING : ARGMAX_CL_INCREASING;
    p.has_value = way % 3 == 0;
    p.data = mask & 2 ? DATA_TIES : DATA_SPECIAL;
    p.seed = seed + mask;
    problem_resolve(&p);
    if (permuted)
        permute(&source, &p);
    sweep_chosen(s, &p, deal ? SWEEP_DEALT_TUNING : SWEEP_BOTH_TUNINGS);
}

static bool run_type(sweep *s, const options *o, const char *name) {
    const problem_dtype *const type = arguments_type(name);
    if (!type)
        return false;
    for (uint64_t seed = o->first; seed < o->first + o->seeds; seed++)
        for (uint32_t rank = 1; rank <= o->rank; rank++)
            for (uint32_t mask = 1; mask < 1u << rank; mask++)
                for (int permuted = 0; permuted < 2; permuted++)
                    run_subset(s, type, rank, mask, permuted, seed, o->deal != 0);
    return true;
}

int main(int argc, char **argv) {
    static runner r;
    sweep s = {.r = &r};
    options o = {.rank = 8, .seeds = 1};
    const argument_option known[] = {{"--device", &o.device, NULL},
                                     {"--rank", NULL, &o.rank},
                                     {"--seeds", NULL, &o.seeds},
                                     {"--first", NULL, &o.first},
                                     {"--deal", NULL, &o.deal}};
    const double start = own_seconds();
    int i = 1;
    bool ok = true;
    for (; i + 1 < argc && argv[i][0] == '-' && ok; i += 2)
        ok = arguments_take(known, sizeof known / sizeof known[0], argv[i], argv[i + 1]);
    if (ok && i < argc && o.rank >= 1 && o.rank <= PROBLEM_MAX_RANK) {
        REQUIRE(runner_open(&r, o.device));
        for (; i < argc && ok; i++)
            ok = run_type(&s, &o, argv[i]);
        runner_close(&r);
    } else {
        ok = false;
    }
    if (!ok) {
        fprintf(stderr,
                "usage: run_axes [--device SELECTOR] [--rank N] [--seeds N] [--first SEED] [--deal 0|1] TYPE...\n");
        return 2;
    }
    printf("%lu problems, %lu runs, %lu failures, %.1f s\n", s.problems, s.runs, s.failures, own_seconds() - start);
    return s.failures ? 1 : 0;
}
