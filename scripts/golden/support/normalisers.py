"""Softmax, variance and norms of a bfloat16 row: every step rounded to bfloat16, or all in float32 and rounded once.

exp and log come from MPFR, rounded once to the type of the step, so no mathematics library decides a bit.
"""

import gmpy2
import numpy as np

from support.lowprecision import FORMATS, encode
from support.orders import from_codes, q

DOUBLE = 53


def exact_float64(function, x):
    """An MPFR function of every element, rounded to float64."""
    with gmpy2.context(gmpy2.get_context(), precision=DOUBLE):
        return np.array([float(function(gmpy2.mpfr(float(v)))) for v in np.ravel(x)]).reshape(np.shape(x))


def q64(x):
    """float64 to the nearest bfloat16 in one rounding."""
    return from_codes(encode(x, FORMATS['bfloat16']))


def total(v, rounding):
    """The sum in ascending order from +0, every addition rounded."""
    s = np.float32(0)
    for x in v:
        s = rounding(s + x)
    return s


def welford_sum(x, rounding):
    """The running sum of squared deviations; the count is rounded like everything else."""
    mean = squares = np.float32(0)
    for i, v in enumerate(x):
        d = rounding(v - mean)
        mean = rounding(mean + rounding(d / rounding(np.float32(i + 1))))
        squares = rounding(squares + rounding(d * rounding(v - mean)))
    return squares


def float32(x):
    return np.asarray(x, np.float32)[()]


def normalise(x, rounding, from_float64, transcendental):
    """All nine results with the given roundings of float32 and float64 values; n and its division are float32.

    transcendental rounds exp and log, from_float64 the reciprocal square root.
    """
    n, largest = np.float32(len(x)), x.max()
    shifted = rounding(x - largest)
    e = transcendental(exact_float64(gmpy2.exp, shifted))
    s = total(e, rounding)
    log_s = transcendental(exact_float64(gmpy2.log, s))
    mean = rounding(total(x, rounding) / n)
    centred = rounding(x - mean)
    variance = rounding(total(rounding(centred * centred), rounding) / n)
    mean_square = rounding(total(rounding(x * x), rounding) / n)

    def inverse_root(v, eps):
        return from_float64(rounding(v + rounding(np.float32(eps))))

    return {
        'softmax': rounding(e / s),
        'log_softmax': rounding(shifted - log_s),
        'logsumexp': rounding(largest + log_s),
        'mean': mean,
        'var_two_pass': variance,
        'var_one_pass': rounding(mean_square - rounding(mean * mean)),
        'var_welford': rounding(welford_sum(x, rounding) / n),
        'layer_norm': rounding(centred * inverse_root(variance, 1e-5)),
        'rms_norm': rounding(x * inverse_root(mean_square, 1e-6)),
    }


def stepwise(x):
    """Rounded to bfloat16 at every step."""
    return normalise(x, q, lambda v: q64(1 / np.sqrt(np.float64(v))), q64)


def internal(x):
    """float32 throughout, one rounding at the end; the reciprocal root is a float32 division by a float32 root."""
    results = normalise(x, float32, lambda v: np.float32(1) / np.sqrt(v), float32)
    return {name: q(value) for name, value in results.items()}
