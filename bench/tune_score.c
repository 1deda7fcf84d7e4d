#include "tune_search.h"

#include <math.h>

/* How often the error of the measurement a gain must exceed. */
static const double ERRORS = 3;

void score_add(score *t, const tune_gain *g, double weight) {
    t->sum += weight * g->gain;
    t->squares += weight * g->gain * g->gain;
    t->variance += weight * weight * g->error * g->error;
    t->weights += weight;
    t->count++;
}

double score_mean(const score *t) {
    return t->weights > 0 ? t->sum / t->weights : 0;
}

double score_error(const score *t) {
    return t->weights > 0 ? sqrt(t->variance) / t->weights : 0;
}

/* Of the mean over all problems, of which these are a sample. */
static double sample_error(const score *t) {
    const double mean = score_mean(t), between = t->weights > 0 ? t->squares / t->weights - mean * mean : 0;
    return score_error(t) + (t->count > 1 && between > 0 ? sqrt(between / (t->count - 1)) : 0);
}

bool score_is_gain(const score *t, double share) {
    return score_mean(t) > share * TUNE_GAIN_LEAST && score_mean(t) > share * ERRORS * score_error(t);
}

bool score_is_loss(const score *t) {
    const double most = score_mean(t) + 2 * sample_error(t);
    return (t->count >= 2 && most < -0.1) || (t->count >= 4 && most < 0);
}

bool score_is_idle(const score *t) {
    return t->count >= 8 && score_mean(t) + 2 * sample_error(t) < TUNE_GAIN_LEAST;
}

bool score_is_clear_gain(const score *t) {
    return t->count >= 10 && score_mean(t) - 3 * sample_error(t) > 2 * TUNE_GAIN_LEAST;
}

bool score_is_beyond_doubt(const score *t) {
    return t->count >= 4 && score_mean(t) > 5 * TUNE_GAIN_LEAST && score_mean(t) > 2 * ERRORS * score_error(t);
}
