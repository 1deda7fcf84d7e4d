/* Numbers as text: short, and read again the same. No device is needed. */
#include "unit.h"
#include <number.h>

static const struct {
    argmax_cl_dtype dtype;
    uint64_t bits;
    const char *text;
} numbers[] = {
    {ARGMAX_CL_FLOAT16, 0x3c00, "1"},
    {ARGMAX_CL_FLOAT16, 0x2e66, "0.1"},
    {ARGMAX_CL_FLOAT16, 0x0001, "6e-08"},
    {ARGMAX_CL_FLOAT16, 0x0400, "6.104e-05"},
    {ARGMAX_CL_FLOAT16, 0x7bff, "65504"},
    {ARGMAX_CL_FLOAT16, 0x8000, "-0"},
    {ARGMAX_CL_FLOAT16, 0xfc00, "-inf"},
    {ARGMAX_CL_FLOAT16, 0xfe00, "nan"},
    {ARGMAX_CL_FLOAT32, 0x3dcccccd, "0.1"},
    {ARGMAX_CL_FLOAT32, 0x43480000, "200"},
    {ARGMAX_CL_FLOAT32, 0x60ad78ec, "1e+20"},
    {ARGMAX_CL_FLOAT32, 0x00000001, "1e-45"},
    {ARGMAX_CL_FLOAT32, 0x7f7fffff, "3.4028235e+38"},
    {ARGMAX_CL_FLOAT64, 0x3fb999999999999a, "0.1"},
    {ARGMAX_CL_FLOAT64, 0x3fd3333333333334, "0.30000000000000004"},
    {ARGMAX_CL_FLOAT64, 0x0000000000000001, "5e-324"},
    {ARGMAX_CL_INT8, 0x80, "-128"},
    {ARGMAX_CL_INT64, 0x8000000000000000, "-9223372036854775808"},
    {ARGMAX_CL_UINT64, 0xffffffffffffffff, "18446744073709551615"},
    {ARGMAX_CL_UINT16, 0xffff, "65535"},
};

START_TEST(prints_numbers) {
    char text[NUMBER_TEXT];
    uint64_t element = numbers[_i].bits;
    const uint16_t one = 1;
    if (*(const uint8_t *)&one == 0) /* the element's bytes come last in the word */
        element <<= 64 - 8 * argmax_cl_dtype_size(numbers[_i].dtype);
    number_format(text, numbers[_i].dtype, number_load(numbers[_i].dtype, &element, 0));
    ck_assert_str_eq(text, numbers[_i].text);
}
END_TEST

/* Every finite half's text names that half and no other. */
START_TEST(prints_every_half) {
    double previous = -1;
    for (uint16_t bits = 0; bits < 0x7c00; ++bits) {
        char text[NUMBER_TEXT];
        const uint16_t next_bits = (uint16_t)(bits + 1);
        const double value = number_load(ARGMAX_CL_FLOAT16, &bits, 0).as.real;
        const double next = bits + 1 < 0x7c00 ? number_load(ARGMAX_CL_FLOAT16, &next_bits, 0).as.real : 65536;
        number_format(text, ARGMAX_CL_FLOAT16, number_load(ARGMAX_CL_FLOAT16, &bits, 0));
        const double read = strtod(text, NULL);
        ck_assert_msg(read > (previous + value) / 2 && read < (value + next) / 2, "0x%04x: %s", bits, text);
        previous = value;
    }
}
END_TEST

TESTS_MAIN("number", NULL, NULL, EACH(prints_numbers, numbers), ONCE(prints_every_half))
