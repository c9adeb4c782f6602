"""Draft P3109/D1 in exact rationals: formats and their values, rounding and saturation, sections 4.7.2 to 4.7.6."""

from fractions import Fraction

NAN, INF, NINF = 'nan', '+inf', '-inf'
ROUNDINGS = (
    'NearestTiesToEven NearestTiesToAway TowardPositive TowardNegative TowardZero ToOdd '
    'StochasticA StochasticB StochasticC'
).split()
SATURATIONS = ('SatFinite', 'SatPropagate', 'SatNone')


class Format:
    def __init__(self, k, p, signed, extended):
        self.k, self.p, self.signed, self.extended = k, p, signed, extended
        self.b = 2 ** (k - p - 1) if signed else 2 ** (k - p)
        self.name = f'binary{k}p{p}{"s" if signed else "u"}{"e" if extended else "f"}'
        self.exponent_bits = k - p if signed else k - p + 1

    def parts(self, x):
        """Of a code: a special value, or (m, e) of m 2^e."""
        k, p, b = self.k, self.p, self.b
        if x == (2 ** (k - 1) if self.signed else 2**k - 1):
            return NAN
        if self.extended:
            if x == (2 ** (k - 1) - 1 if self.signed else 2**k - 2):
                return INF
            if self.signed and x == 2**k - 1:
                return NINF
        if self.signed and x > 2 ** (k - 1):
            m, e = self.parts(x - 2 ** (k - 1))
            return -m, e
        t, field = x % 2 ** (p - 1), x // 2 ** (p - 1)
        return (t, 2 - p - b) if field == 0 else (t + 2 ** (p - 1), field - b - p + 1)

    def value(self, x):
        v = self.parts(x)
        return v if isinstance(v, str) else v[0] * Fraction(2) ** v[1]

    def lines(self):
        for x in range(2**self.k):
            v = self.parts(x)
            if isinstance(v, str):
                yield v
                continue
            m, e = v
            if m == 0:
                yield '0'
                continue
            twos = (m & -m).bit_length() - 1
            yield f'{m >> twos} {e + twos}'

    def sampled(self, lines):
        """Every 127th line, and those around the ends and the middle."""
        near = (0, 2 ** (self.k - 1), 2**self.k)
        return [line for x, line in enumerate(lines) if x % 127 == 0 or any(abs(x - place) <= 8 for place in near)]

    def finite(self):
        """Codes of the ends of the finite range."""
        top = (2 ** (self.k - 1) if self.signed else 2**self.k - 1) - 1 - self.extended
        return (top + 2 ** (self.k - 1) if self.signed else 0), top


def formats():
    for k in range(3, 17):
        for p in range(1, k + 1):
            for signed in (True, False) if p < k else (False,):
                for extended in (True, False):
                    yield Format(k, p, signed, extended)


def floor_log2(x):
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if x >= Fraction(2) ** e else e - 1


def rnite(x):
    floor = x.numerator // x.denominator
    half = x - floor
    return floor if half < Fraction(1, 2) or (half == Fraction(1, 2) and floor % 2 == 0) else floor + 1


def round_to_precision(p, b, mode, n, r, x):
    if isinstance(x, str) or x == 0:
        return x
    q = max(floor_log2(abs(x)), 1 - b) - p + 1
    s = abs(x) * Fraction(2) ** -q
    floor = s.numerator // s.denominator
    nu = s - floor
    even = floor % 2 == 0 if p > 1 else floor == 0 or (q + b) % 2 == 0
    away = {
        'TowardZero': lambda: False,
        'TowardPositive': lambda: nu > 0 and x > 0,
        'TowardNegative': lambda: nu > 0 and x < 0,
        'NearestTiesToAway': lambda: nu >= Fraction(1, 2),
        'NearestTiesToEven': lambda: nu > Fraction(1, 2) or (nu == Fraction(1, 2) and not even),
        'ToOdd': lambda: nu > 0 and even,
        'StochasticA': lambda: (nu * 2**n).__floor__() + r >= 2**n,
        'StochasticB': lambda: (nu * 2 ** (n + 1)).__floor__() + 2 * r + 1 >= 2 ** (n + 1),
        'StochasticC': lambda: rnite(nu * 2**n) + r >= 2**n,
    }[mode]()
    return (floor + away) * Fraction(2) ** q * (1 if x > 0 else -1)


def saturate(f, sat, mode, x):
    lo, hi = (f.value(code) for code in f.finite())
    if not isinstance(x, str) and lo <= x <= hi:
        return x
    below, above = (x == NINF or x < lo, x == INF or x > hi) if not isinstance(x, str) else (x == NINF, x == INF)
    if sat == 'SatFinite':
        return lo if below else hi
    if sat == 'SatPropagate':
        if x == INF and f.extended:
            return INF
        if x == NINF and f.extended and f.signed:
            return NINF
        return lo if below else hi
    if mode in ('TowardZero', 'TowardNegative') and above and x != INF:
        return hi
    if mode in ('TowardZero', 'TowardPositive') and below and x != NINF:
        return lo
    if not f.extended:
        return NAN
    if above:
        return INF
    return NINF if f.signed else NAN
