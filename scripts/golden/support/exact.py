"""Rounding of exact rationals with integers only: the second route beside the table search."""

from fractions import Fraction

from support.lowprecision import FORMATS, Format

BFLOAT16 = FORMATS['bfloat16']
FLOAT16 = FORMATS['float16']
FLOAT32 = Format('float32', 8, 23, 127, 'ieee')
FLOAT64 = Format('float64', 11, 52, 1023, 'ieee')


def floor_log2(x):
    """The largest integer e with 2^e <= x, for a positive Fraction."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def round_rational(x, f, mode='rne'):
    """The code of the nonzero rational x in an ieee format f, rounded once in the given mode."""
    negative, size = x < 0, abs(x)
    exponent = max(floor_log2(size), 1 - f.bias)
    count, rest = divmod(size / Fraction(2) ** (exponent - f.mantissa_bits), 1)
    up = {
        'rne': rest > Fraction(1, 2) or (rest == Fraction(1, 2) and count & 1),
        'rna': rest >= Fraction(1, 2),
        'rtz': False,
        'rtp': rest > 0 and not negative,
        'rtn': rest > 0 and negative,
        'rto': rest > 0 and not count & 1,
    }[mode]
    code = int(count) + ((exponent + f.bias - 1) << f.mantissa_bits) + bool(up)
    if code > f.max_code:
        stays = mode in ('rtz', 'rto') or (mode == 'rtp' and negative) or (mode == 'rtn' and not negative)
        code = f.max_code if stays else f.infinity
    return code | (f.sign if negative else 0)


def round_float(x, f, mode='rne'):
    """The same for a Python float, specials included; NaN gives the canonical NaN with sign 0."""
    if x != x:
        return f.nan
    sign = f.sign if str(x)[0] == '-' else 0
    if x == 0:
        return sign
    return f.infinity | sign if abs(x) == float('inf') else round_rational(Fraction(x), f, mode)


def add_rounded(x, y, f):
    """The value of x + y rounded once to f; x and y are Python floats."""
    plain = x + y  # decides NaN, infinities and the sign of an exact zero as IEEE 754 does
    if plain != plain or abs(x) == float('inf') or abs(y) == float('inf'):
        return plain
    total = Fraction(x) + Fraction(y)
    return f.value(round_rational(total, f)) if total else plain


def sum_exact(terms, f):
    """The code of the real sum of Python floats, rounded once to f; an exact zero is +0."""
    specials = [t for t in terms if t != t or abs(t) == float('inf')]
    if specials:
        return round_float(sum(specials), f)
    total = sum(map(Fraction, terms), Fraction(0))
    return round_rational(total, f) if total else 0
