/* The correctly rounded float32 result of a unary function for every float32 operand.
 *
 *   oracle NAME hashes FROM TO    the hash of each block of 2^24 operands, in order of their bits, in hexadecimal; of a function
 *                                 that is odd or even also that of the block with the other sign
 *   oracle NAME results BLOCK     the bits of one block's results, 64 MiB on standard output
 *   oracle NAME given             operands on standard input, results on standard output, all by MPFR
 *   oracle NAME pairs             the same of two operands: pow, atan2, hypot, logAddExp
 *   oracle NAME drawn FROM TO     of two operands, the hash of each block of 2^22 pairs that `draw` makes
 *
 * A result is the float64 value rounded where both ends of its error interval, 2^-42 of it, many times what is known of
 * the C library's functions, round alike; else it is MPFR's. fast.c has the float64 values. NaN results are 0x7fc00000.
 */
#include <math.h>
#include <mpfr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Fast)(const float *x, double *y, int count);
Fast fast_of(const char *name);

static const double interval = 0x1p-42;
static const char *name;
static mpfr_t x, y, z, t, u;

static int is(const char *other) { return strcmp(name, other) == 0; }

/* exp of t into y, 1 + that into t. */
static void gate(void) {
  mpfr_neg(t, t, MPFR_RNDN);
  mpfr_exp(t, t, MPFR_RNDN);
  mpfr_add_ui(t, t, 1, MPFR_RNDN);
}

/* y = f(x) to the precision of y; the ternary value where one operation of MPFR gives f, else 2. */
static int evaluate(void) {
#define simple(f)                                                                                                      \
  if (is(#f)) return mpfr_##f(y, x, MPFR_RNDN);
  simple(exp) simple(exp2) simple(expm1) simple(log) simple(log2) simple(log10) simple(log1p) simple(sin) simple(cos)
  simple(tan) simple(asin) simple(acos) simple(atan) simple(sinh) simple(cosh) simple(tanh) simple(asinh)
  simple(acosh) simple(atanh) simple(erf) simple(erfc) simple(cbrt)
  if (is("rsqrt")) return mpfr_rec_sqrt(y, x, MPFR_RNDN);
  if (is("lgamma")) {
    int sign;
    return mpfr_lgamma(y, &sign, x, MPFR_RNDN);
  }
  if (is("sigmoid")) {
    mpfr_set(t, x, MPFR_RNDN), gate();
    mpfr_ui_div(y, 1, t, MPFR_RNDN);
  } else if (is("silu")) {
    mpfr_set(t, x, MPFR_RNDN), gate();
    mpfr_div(y, x, t, MPFR_RNDN);
  } else if (is("softplus")) {
    mpfr_exp(t, x, MPFR_RNDN);
    mpfr_log1p(y, t, MPFR_RNDN);
  } else if (is("gelu")) {
    /* x / 2 erfc(-x / sqrt 2) */
    mpfr_set_ui(t, 2, MPFR_RNDN);
    mpfr_sqrt(t, t, MPFR_RNDN);
    mpfr_div(t, x, t, MPFR_RNDN);
    mpfr_neg(t, t, MPFR_RNDN);
    mpfr_erfc(t, t, MPFR_RNDN);
    mpfr_mul(t, t, x, MPFR_RNDN);
    mpfr_div_2ui(y, t, 1, MPFR_RNDN);
  } else if (is("geluTanh")) {
    mpfr_pow_ui(t, x, 3, MPFR_RNDN);
    mpfr_mul_ui(t, t, 44715, MPFR_RNDN);
    mpfr_div_ui(t, t, 1000000, MPFR_RNDN);
    mpfr_add(t, t, x, MPFR_RNDN);
    mpfr_const_pi(u, MPFR_RNDN);
    mpfr_ui_div(u, 8, u, MPFR_RNDN);
    mpfr_sqrt(u, u, MPFR_RNDN);
    mpfr_mul(t, t, u, MPFR_RNDN), gate();
    mpfr_div(y, x, t, MPFR_RNDN);
  } else {
    fprintf(stderr, "oracle: no such function [%s]\n", name);
    exit(2);
  }
  return 2;
}

static void precision(mpfr_prec_t bits) {
  mpfr_set_prec(y, bits);
  mpfr_set_prec(t, bits + 64);
  mpfr_set_prec(u, bits + 64);
}

static float exactly(float operand) {
  /* Limits, and the conventions of the project where MPFR has others or none. */
  if (operand != operand) return operand;
  if (operand == -INFINITY && (is("silu") || is("gelu") || is("geluTanh"))) return -0.0f;
  if (operand == INFINITY && (is("silu") || is("gelu") || is("geluTanh") || is("softplus"))) return operand;
  /* exp(x) out of MPFR's range, x + exp(-x) beside x. */
  if (operand > 200 && is("softplus")) return operand;
  if (operand == 0 && (is("silu") || is("gelu") || is("geluTanh"))) return operand;
  if (operand == 0 && is("rsqrt")) return 1 / operand;
  if (is("lgamma") && operand <= 0 && (operand == -INFINITY || operand == __builtin_floorf(operand))) return INFINITY;
  /* Without subnormals in MPFR's way: a value of few bits, exact or of 300 bits, then rounded by mpfr_get_flt. */
  mpfr_set_flt(x, operand, MPFR_RNDN);
  precision(300);
  evaluate();
  float result = mpfr_get_flt(y, MPFR_RNDN);
  return result;
}

static float of_pair(float a, float b) {
  precision(600);
  mpfr_set_flt(x, a, MPFR_RNDN), mpfr_set_flt(z, b, MPFR_RNDN);
  if (is("pow")) mpfr_pow(y, x, z, MPFR_RNDN);
  else if (is("atan2")) mpfr_atan2(y, x, z, MPFR_RNDN);
  else if (is("hypot")) mpfr_hypot(y, x, z, MPFR_RNDN);
  else if (a != a || b != b || fabsf(a) == INFINITY || fabsf(b) == INFINITY) return a > b ? a : b >= a ? b : NAN;
  else {
    /* The larger and log(1 + exp(-distance)). */
    if (mpfr_less_p(x, z)) mpfr_swap(x, z);
    mpfr_sub(t, z, x, MPFR_RNDN), mpfr_exp(t, t, MPFR_RNDN), mpfr_log1p(t, t, MPFR_RNDN);
    mpfr_add(y, x, t, MPFR_RNDN);
  }
  return mpfr_get_flt(y, MPFR_RNDN);
}

/* Pair i: three of four have sizes of 2^-16 to 2^16, so that more than 0, 1 and infinity comes out. */
static uint32_t mixed(uint32_t n) {
  n = (n ^ n >> 16) * 0x85ebca6b;
  n = (n ^ n >> 13) * 0xc2b2ae35;
  return n ^ n >> 16;
}

static float draw(uint32_t pair, uint32_t which) {
  uint32_t word = mixed(2 * pair + which);
  if (pair & 3) word = (word & 0x8fffffff) + 0x37800000;
  float number;
  return memcpy(&number, &word, 4), number;
}

/* The float64 value and the size of which it may be 2^-45 off, 128 times what is known of the C library. */
static double of_drawn(float a, float b, double *size) {
  double value = is("pow") ? pow(a, b) : is("atan2") ? atan2(a, b) : hypot(a, b);
  *size = value;
  if (!is("logAddExp")) return value;
  double tail = log1p(exp(-fabs((double)a - b)));
  value = (a > b ? a : b) + tail;
  *size = tail + fabs(value);
  return value;
}

static float drawn(uint32_t pair) {
  float a = draw(pair, 0), b = draw(pair, 1);
  double size, value = of_drawn(a, b, &size), error = size * 0x1p-45;
  /* Zeros, infinities and NaN of the C library are those of the standard. */
  if (!is("logAddExp") && (value == 0 || !(fabs(value) < INFINITY))) return (float)value;
  float low = (float)(value - error);
  return low == (float)(value + error) ? low : of_pair(a, b);
}

static float lowest, highest;
static int gated;

/* Whether the function has no value there. */
static int outside(float operand) { return !(operand >= lowest && operand <= highest); }

static void domain(void) {
  gated = is("silu") || is("gelu") || is("geluTanh");
  highest = is("asin") || is("acos") || is("atanh") ? 1 : INFINITY;
  lowest = is("log") || is("log2") || is("log10") || is("rsqrt") ? 0
           : is("log1p") || is("asin") || is("acos") || is("atanh") ? -1
           : is("acosh") ? 1
                         : -INFINITY;
}

static float results[1 << 16], operands[1 << 16];
static double values[1 << 16];

static void chunk(Fast fast, uint32_t first) {
  for (uint32_t i = 0; i < 1 << 16; i++) ((uint32_t *)operands)[i] = first + i;
  fast(operands, values, 1 << 16);
  for (int i = 0; i < 1 << 16; i++) {
    float low = (float)(values[i] - values[i] * interval), high = (float)(values[i] + values[i] * interval);
    results[i] = low;
    float operand = operands[i];
    if (low != high && fabs(values[i]) == INFINITY) results[i] = values[i];
    else if (outside(operand)) results[i] = NAN;
    else if (low != high || operand == 0 || fabsf(operand) == INFINITY) results[i] = exactly(operand);
    /* A factor of the operand that underflows: the fast loops know no sign of zero. */
    if (results[i] == 0 && gated) results[i] = copysignf(0, operand);
    if (results[i] != results[i]) ((uint32_t *)results)[i] = 0x7fc00000;
  }
}

/* Odd or even, and MPFR rounds both signs alike. */
static int symmetric(void) {
  const char *names[] = {"sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "erf", "cbrt", "cos", "cosh"};
  for (int i = 0; i < 12; i++)
    if (is(names[i])) return 1;
  return 0;
}

int main(int count, char **argument) {
  if (count < 3) return 2;
  name = argument[1];
  domain();
  mpfr_inits2(300, y, t, u, (mpfr_ptr)0);
  mpfr_init2(x, 24), mpfr_init2(z, 24);
  mpfr_set_emin(-4000), mpfr_set_emax(4000);
  Fast fast = fast_of(name);
  if (strcmp(argument[2], "given") == 0) {
    float one;
    while (fread(&one, 4, 1, stdin) == 1) one = exactly(one), fwrite(&one, 4, 1, stdout);
  } else if (strcmp(argument[2], "pairs") == 0) {
    float two[2];
    while (fread(two, 4, 2, stdin) == 2) two[0] = of_pair(two[0], two[1]), fwrite(two, 4, 1, stdout);
  } else if (strcmp(argument[2], "results") == 0) {
    uint32_t first = (uint32_t)atoi(argument[3]) << 24;
    for (int i = 0; i < 256; i++) chunk(fast, first + (i << 16)), fwrite(results, 4, 1 << 16, stdout);
  } else if (strcmp(argument[2], "drawn") == 0) {
    for (int block = atoi(argument[3]); block < atoi(argument[4]); block++) {
      uint32_t hash = 0x811c9dc5;
      for (uint32_t i = 0; i < 1 << 22; i++) {
        float result = drawn(((uint32_t)block << 22) + i);
        uint32_t word = 0x7fc00000;
        if (result == result) memcpy(&word, &result, 4);
        hash = (hash ^ word) * 0x01000193;
      }
      printf("%08x\n", hash), fflush(stdout);
    }
  } else {
    /* What the sign of the operand changes in a result that is a number. */
    uint32_t flip = is("cos") || is("cosh") ? 0 : 0x80000000;
    for (int block = atoi(argument[3]); block < atoi(argument[4]); block++) {
      uint32_t hash = 0x811c9dc5, mirrored = hash;
      for (int i = 0; i < 256; i++) {
        chunk(fast, ((uint32_t)block << 24) + (i << 16));
        for (int k = 0; k < 1 << 16; k++) {
          uint32_t word = ((uint32_t *)results)[k];
          hash = (hash ^ word) * 0x01000193;
          mirrored = (mirrored ^ (word == 0x7fc00000 ? word : word ^ flip)) * 0x01000193;
        }
      }
      if (symmetric()) printf("%08x %08x\n", hash, mirrored);
      else printf("%08x\n", hash);
      fflush(stdout);
    }
  }
  return 0;
}
