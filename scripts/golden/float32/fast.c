/* The float64 values of the functions, of which oracle.c believes 42 bits: loops that gcc turns into calls of the C
 * library's vector functions (-ffast-math, here only). */
#include <math.h>
#include <string.h>

#define loop(name, value)                                                                                              \
  static void name##_loop(const float *from, double *to, int count) {                                                 \
    for (int i = 0; i < count; i++) {                                                                                  \
      double x = from[i];                                                                                              \
      to[i] = value;                                                                                                   \
    }                                                                                                                  \
  }

#define functions(each)                                                                                                \
  each(exp, exp(x)) each(exp2, exp2(x)) each(expm1, expm1(x)) each(log, log(x)) each(log2, log2(x))                    \
  each(log10, log10(x)) each(log1p, log1p(x)) each(sin, sin(x)) each(cos, cos(x)) each(tan, tan(x))                    \
  each(asin, asin(x)) each(acos, acos(x)) each(atan, atan(x)) each(sinh, sinh(x)) each(cosh, cosh(x))                  \
  each(tanh, tanh(x)) each(asinh, asinh(x)) each(acosh, acosh(x)) each(atanh, atanh(x)) each(erf, erf(x))              \
  each(erfc, erfc(x)) each(cbrt, cbrt(x)) each(rsqrt, 1 / sqrt(x)) each(sigmoid, 1 / (1 + exp(-x)))                    \
  each(silu, x / (1 + exp(-x))) each(softplus, (x > 0 ? x : 0) + log1p(exp(-fabs(x))))                                 \
  each(gelu, x * 0.5 * erfc(x * -0.70710678118654752440))                                                              \
  each(geluTanh, x / (1 + exp(-1.5957691216057307117597842397375 * (x + 0.044715 * x * x * x))))

functions(loop)

static void lgamma_loop(const float *from, double *to, int count) {
  for (int i = 0; i < count; i++) {
    int sign;
    to[i] = from[i] == from[i] ? lgamma_r(from[i], &sign) : from[i];
  }
}

typedef void (*Fast)(const float *x, double *y, int count);

#define chosen(f, value)                                                                                               \
  if (strcmp(name, #f) == 0) return f##_loop;

Fast fast_of(const char *name) {
  functions(chosen) chosen(lgamma, 0) return 0;
}
