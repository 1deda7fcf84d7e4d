/* How the stub behaves, from the environment at a program's start. */
#include "stub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

stub_conduct stub_manners;

/* The number behind a name in the text, 1 where it has none, 0 where the name is not there. */
static uint32_t manner(const char *text, const char *name) {
    const size_t length = strlen(name);
    for (const char *word = text; *word; word += strcspn(word, " ") + strspn(word + strcspn(word, " "), " "))
        if (strncmp(word, name, length) == 0 && strchr(" =", word[length]))
            return word[length] == '=' ? (uint32_t)strtoul(word + length + 1, NULL, 10) : 1;
    return 0;
}

__attribute__((constructor)) static void read_manners(void) {
    const char *const text = getenv("STUB_OPENCL_MANNERS");
    if (!text)
        return;
    atomic_store(&stub_manners.kill, manner(text, "kill"));
    stub_manners.kill_one_in = manner(text, "kill_one_in");
    stub_manners.kill_after = manner(text, "kill_after");
    stub_manners.reuse = manner(text, "reuse");
    stub_manners.drop_queues = manner(text, "drop_queues");
    stub_manners.keep_arguments = manner(text, "keep_arguments");
    stub_manners.hold_queues = manner(text, "hold_queues");
    stub_manners.noise = manner(text, "noise");
    stub_manners.queues = manner(text, "queues");
    stub_manners.units = manner(text, "units");
    stub_manners.group = manner(text, "group");
    stub_manners.local = manner(text, "local");
    stub_manners.parameters = manner(text, "parameters");
    stub_manners.platform = manner(text, "rusticl") ? "rusticl" : NULL;
}
