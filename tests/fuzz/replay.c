/* replay_TARGET FILE|FOLDER...
 *
 * Runs a fuzz target on each file, and on each file of each folder, without a fuzzer; what is wrong ends the process.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_MAX (1u << 20)

static unsigned long files;

static bool run_file(const char *path) {
    uint8_t *const bytes = malloc(INPUT_MAX);
    FILE *const file = fopen(path, "rb");
    const size_t size = file && bytes ? fread(bytes, 1, INPUT_MAX, file) : 0;
    const bool good = file && bytes && !ferror(file);
    if (file)
        fclose(file);
    /* Of exactly its size, so that a sanitizer sees what reads beyond it. */
    uint8_t *const exact = good ? malloc(size ? size : 1) : NULL;
    if (exact) {
        memcpy(exact, bytes, size);
        LLVMFuzzerTestOneInput(exact, size);
        ++files;
    } else {
        fprintf(stderr, "%s: cannot be read\n", path);
    }
    free(exact);
    free(bytes);
    return exact != NULL;
}

static bool run_path(const char *path) {
    DIR *const folder = opendir(path);
    bool good = true;
    if (!folder)
        return run_file(path);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            good = run_file(name) && good;
    }
    closedir(folder);
    return good;
}

int main(int argc, char **argv) {
    bool good = argc > 1;
    for (int i = 1; i < argc; ++i)
        good = run_path(argv[i]) && good;
    printf("%lu files\n", files);
    return good && files > 0 ? 0 : 1;
}
