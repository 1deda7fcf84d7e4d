#include "report.h"

#include <time.h>

static const char *const check_names[] = {"unchecked", "yes", "planted", "naive", "WRONG"};

const char *report_check_name(check_result check) {
    return check_names[check];
}

void report_head(FILE *file, const bench_device *device, int width) {
    fprintf(file, "%s, %s, driver %s%s%s\n", device->name, device->platform, device->driver,
            device->processor[0] ? ", " : "", device->processor);
    fprintf(file, "%-*s %9s %6s %9s %6s %6s %11s %11s %9s  %-9s %s\n", width, "problem", "GB/s", "spread", "limit",
            "ratio", "best", "device us", "wall us", "launch us", "right", "strategy");
    fflush(file);
}

void report_row(FILE *file, const char *line, const run_result *r, int width) {
    if (r->failure[0] != 0) {
        fprintf(file, "%-*s %s\n", width, line, r->failure);
    } else {
        const double rate = run_rate(r), limit = run_limit_rate(r);
        fprintf(file, "%-*s %9.2f %5.1f%% %9.2f %6.3f %6.3f %11.1f %11.1f %9.1f  %-9s %s%s%s\n", width, line,
                1e-9 * rate, 100 * r->spread, 1e-9 * limit, run_ratio(r), run_best_ratio(r), 1e6 * r->device,
                1e6 * r->wall, 1e6 * r->launch, check_names[r->check], r->strategy, r->cached ? " (cached)" : "",
                r->calm ? "" : " (disturbed)");
    }
    fflush(file);
}

static void put_string(FILE *file, const char *name, const char *text) {
    fprintf(file, "\"%s\": \"", name);
    for (; *text != 0; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', file);
        if ((unsigned char)*text >= ' ')
            fputc(*text, file);
    }
    fputs("\", ", file);
}

void report_strings(FILE *file, const bench_device *device, const char *commit, const char *line) {
    char date[32] = "", version[32];
    const time_t seconds = time(NULL);
    struct tm utc;
    if (gmtime_r(&seconds, &utc) != NULL)
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    snprintf(version, sizeof version, "%d.%d.%d", ARGMAX_CL_VERSION_MAJOR, ARGMAX_CL_VERSION_MINOR,
             ARGMAX_CL_VERSION_PATCH);
    put_string(file, "problem", line);
    put_string(file, "device", device->name);
    put_string(file, "processor", device->processor);
    put_string(file, "platform", device->platform);
    put_string(file, "driver", device->driver);
    put_string(file, "version", version);
    put_string(file, "commit", commit);
    put_string(file, "date", date);
    fprintf(file, "\"compute_units\": %u, ", (unsigned)device->compute_units);
}

void report_json(FILE *file, const bench_device *device, const char *commit, const char *line, const problem_line *p,
                 const run_result *r) {
    const double rate = run_rate(r), limit = run_limit_rate(r);
    fputc('{', file);
    report_strings(file, device, commit, line);
    put_string(file, "dtype", p != NULL ? argmax_cl_dtype_name(p->dtype) : "");
    if (r->failure[0] != 0) {
        put_string(file, "failure", r->failure);
        fputs("\"ok\": false}\n", file);
    } else {
        fprintf(file, "\"gbps\": %.3f, \"spread\": %.4f, \"limit_gbps\": %.3f, ", 1e-9 * rate, r->spread, 1e-9 * limit);
        fprintf(file, "\"ratio\": %.4f, \"ratio_best\": %.4f, ", run_ratio(r), run_best_ratio(r));
        fprintf(file, "\"outputs\": %llu, \"us_limit\": %.2f, ", (unsigned long long)r->outputs, 1e6 * r->limit);
        fprintf(file, "\"programs\": %u, \"us_plan\": %.1f, ", r->builds, 1e6 * r->planned);
        if (r->naive > 0)
            fprintf(file, "\"us_naive\": %.2f, \"ratio_naive\": %.4f, \"to_naive\": %.4f, ", 1e6 * r->naive,
                    r->limit / r->naive, r->naive / r->device);
        fprintf(file, "\"us_device\": %.2f, \"us_wall\": %.2f, \"launch_us\": %.2f, \"bytes\": %llu, ", 1e6 * r->device,
                1e6 * r->wall, 1e6 * r->launch, (unsigned long long)r->bytes);
        fprintf(file, "\"repetitions\": %zu, \"cached\": %s, \"calm\": %s, ", r->repetitions,
                r->cached ? "true" : "false", r->calm ? "true" : "false");
        put_string(file, "reader", r->reader);
        put_string(file, "strategy", r->strategy);
        put_string(file, "plan", r->plan);
        put_string(file, "checked", check_names[r->check]);
        fprintf(file, "\"ok\": %s}\n", r->check == CHECK_WRONG ? "false" : r->check == CHECK_NONE ? "null" : "true");
    }
    fflush(file);
}
