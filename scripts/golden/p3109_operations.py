"""Regenerates test/golden/p3109/operations.*: results of every operation of draft P3109/D1 that has a number as result.

    python scripts/golden/p3109_operations.py            writes them in place
    python scripts/golden/p3109_operations.py --check    compares bytes with the stored ones instead, exit 1 if any differ

The special cases stand here as the draft prints them, pattern by pattern and in its order, and the first that matches gives
the result: `nan`, `inf`, `-inf`, a letter for an operand, or `=`, the formula for real numbers. A pattern's places are `*`,
`nan`, `inf`, `-inf`, `+-inf`, or a condition on the number at that place. Formulas of rational results are Fractions, roots
are compared as squares, the others are mpmath's with 200 digits, their rational results by name. Projection is p3109.py's.

Operands: every code, pair and triple of the types of the key; results of the types and in the modes that the key cycles through.
"""

import math
from fractions import Fraction
from itertools import product

import mpmath as mp
import numpy as np
from support.columnfile import run, write_columns
from support.p3109 import INF, NAN, NINF, ROUNDINGS, SATURATIONS, Format, round_to_precision, saturate

mp.mp.dps = 200
F = Fraction
WORDS = {'nan': NAN, 'inf': INF, '-inf': NINF}


def rules(text):
    """Lines of `pattern -> result` as pairs of lists."""
    out = []
    for line in text.strip().splitlines():
        left, right = line.split('->')
        out.append((left.split(), right.strip()))
    return out


def fits(pattern, value):
    if pattern == '*':
        return True
    if pattern == '+-inf':
        return value in (INF, NINF)
    if pattern in WORDS:
        return value == WORDS[pattern]
    if isinstance(value, str):
        return False
    if pattern == 'x':
        return True
    return {
        '<0': value < 0, '>0': value > 0, '0': value == 0, '>=0': value >= 0, '<=0': value <= 0,
        'out': value < -1 or value > 1, '<1': value < 1, '1': value == 1, '-1': value == -1,
    }[pattern]  # fmt: skip


def apply(table, values, formula):
    for pattern, result in table:
        if all(fits(p, v) for p, v in zip(pattern, values)):
            if result == '=':
                return formula(*values)
            if result in WORDS:
                return WORDS[result]
            if result in 'abc':
                return values['abc'.index(result)]
            if result == '-a':
                return -values[0]
            return {'0': F(0), '1': F(1), '-1': F(-1), '1/2': F(1, 2), '-1/2': F(-1, 2)}.get(result) if result in ('0', '1', '-1', '1/2', '-1/2') else Real(CONSTANTS[result])
    raise AssertionError(f'no pattern for {values}')


class Real:
    """An irrational number as an mpmath value."""

    def __init__(self, value):
        self.value = value


# What stands for a smaller distance, which 200 digits would lose.
HAIR = mp.mpf(2) ** -300
CONSTANTS = {'pi': mp.pi(), '-pi': -mp.pi(), 'pi/2': mp.pi() / 2, '-pi/2': -mp.pi() / 2}
UNARY_NAN = 'nan -> nan\n'
BINARY_NAN = 'nan * -> nan\n* nan -> nan\n'
TRIPLE_NAN = 'nan * * -> nan\n* nan * -> nan\n* * nan -> nan\n'

TABLES = {
    'Convert': UNARY_NAN + 'inf -> inf\n-inf -> -inf\nx -> =',
    'Abs': UNARY_NAN + '-inf -> inf\ninf -> inf\nx -> =',
    'Negate': UNARY_NAN + '-inf -> inf\ninf -> -inf\nx -> =',
    'Sqrt': UNARY_NAN + '-inf -> nan\n<0 -> nan\ninf -> inf\nx -> =',
    'Recip': UNARY_NAN + '0 -> nan\n+-inf -> 0\nx -> =',
    'RSqrt': UNARY_NAN + '-inf -> nan\n<=0 -> nan\ninf -> 0\nx -> =',
    'CopySign': BINARY_NAN + '+-inf inf -> inf\n+-inf -inf -> -inf\n+-inf >=0 -> inf\n+-inf <0 -> -inf\nx * -> =',
    'Add': BINARY_NAN + 'inf -inf -> nan\n-inf inf -> nan\ninf * -> inf\n* inf -> inf\n-inf * -> -inf\n* -inf -> -inf\nx x -> =',
    'Subtract': BINARY_NAN + 'inf inf -> nan\n-inf -inf -> nan\n* inf -> -inf\ninf * -> inf\n* -inf -> inf\n-inf * -> -inf\nx x -> =',
    'Multiply': BINARY_NAN + '''inf inf -> inf
-inf -inf -> inf
-inf inf -> -inf
inf -inf -> -inf
inf >0 -> inf
inf 0 -> nan
inf <0 -> -inf
>0 inf -> inf
0 inf -> nan
<0 inf -> -inf
-inf >0 -> -inf
-inf 0 -> nan
-inf <0 -> inf
>0 -inf -> -inf
0 -inf -> nan
<0 -inf -> inf
x x -> =''',
    'Divide': BINARY_NAN + '''inf +-inf -> nan
-inf +-inf -> nan
* 0 -> nan
inf >0 -> inf
inf <0 -> -inf
-inf >0 -> -inf
-inf <0 -> inf
* +-inf -> 0
x x -> =''',
    'Hypot': BINARY_NAN + '* +-inf -> inf\n+-inf * -> inf\nx x -> =',
    'Minimum': BINARY_NAN + 'inf inf -> inf\n-inf -inf -> -inf\ninf -inf -> -inf\n-inf inf -> -inf\ninf x -> b\nx inf -> a\n-inf * -> -inf\n* -inf -> -inf\nx x -> =',
    'Maximum': BINARY_NAN + 'inf inf -> inf\n-inf -inf -> -inf\ninf -inf -> inf\n-inf inf -> inf\ninf * -> inf\n* inf -> inf\n-inf x -> b\nx -inf -> a\nx x -> =',
    'MinimumMagnitude': BINARY_NAN + 'inf inf -> inf\n-inf -inf -> -inf\ninf -inf -> -inf\n-inf inf -> -inf\n+-inf x -> b\nx +-inf -> a\nx x -> =',
    'MaximumMagnitude': BINARY_NAN + 'inf * -> inf\n* inf -> inf\n-inf * -> -inf\n* -inf -> -inf\nx x -> =',
    'MinimumFinite': 'nan nan -> nan\nnan * -> b\n* nan -> a\ninf inf -> inf\n-inf -inf -> -inf\ninf -inf -> -inf\n-inf inf -> -inf\ninf x -> b\nx inf -> a\n-inf x -> b\nx -inf -> a\nx x -> =',
    'MaximumFinite': 'nan nan -> nan\nnan * -> b\n* nan -> a\ninf inf -> inf\n-inf -inf -> -inf\ninf -inf -> inf\n-inf inf -> inf\ninf x -> b\nx inf -> a\n-inf x -> b\nx -inf -> a\nx x -> =',
    'FMA': TRIPLE_NAN + '''0 +-inf * -> nan
+-inf 0 * -> nan
<0 inf inf -> nan
>0 -inf inf -> nan
inf <0 inf -> nan
-inf >0 inf -> nan
<0 -inf -inf -> nan
>0 inf -inf -> nan
-inf <0 -inf -> nan
inf >0 -inf -> nan
-inf inf inf -> nan
inf -inf inf -> nan
inf inf -inf -> nan
-inf -inf -inf -> nan
inf inf * -> inf
-inf -inf * -> inf
inf -inf * -> -inf
-inf inf * -> -inf
* * inf -> inf
* * -inf -> -inf
>0 -inf * -> -inf
<0 -inf * -> inf
>0 inf * -> inf
<0 inf * -> -inf
inf >0 * -> inf
inf <0 * -> -inf
-inf >0 * -> -inf
-inf <0 * -> inf
x x x -> =''',
    'FAA': TRIPLE_NAN + '''inf -inf * -> nan
-inf inf * -> nan
inf * -inf -> nan
-inf * inf -> nan
* inf -inf -> nan
* -inf inf -> nan
inf * * -> inf
* inf * -> inf
* * inf -> inf
-inf * * -> -inf
* -inf * -> -inf
* * -inf -> -inf
x x x -> =''',
    'Exp': UNARY_NAN + 'inf -> inf\n-inf -> 0\nx -> =',
    'Exp2': UNARY_NAN + 'inf -> inf\n-inf -> 0\nx -> =',
    'Log': UNARY_NAN + '-inf -> nan\ninf -> inf\n<0 -> nan\n0 -> -inf\nx -> =',
    'Log2': UNARY_NAN + '-inf -> nan\ninf -> inf\n<0 -> nan\n0 -> -inf\nx -> =',
    'Sin': UNARY_NAN + '+-inf -> nan\nx -> =',
    'Cos': UNARY_NAN + '+-inf -> nan\nx -> =',
    'Tan': UNARY_NAN + '+-inf -> nan\nx -> =',
    'ArcSin': UNARY_NAN + '+-inf -> nan\nout -> nan\nx -> =',
    'ArcCos': UNARY_NAN + '+-inf -> nan\nout -> nan\nx -> =',
    'ArcTan': UNARY_NAN + 'inf -> pi/2\n-inf -> -pi/2\nx -> =',
    'Sinh': UNARY_NAN + 'inf -> inf\n-inf -> -inf\nx -> =',
    'Cosh': UNARY_NAN + 'inf -> inf\n-inf -> inf\nx -> =',
    'Tanh': UNARY_NAN + 'inf -> 1\n-inf -> -1\nx -> =',
    'ArcSinh': UNARY_NAN + 'inf -> inf\n-inf -> -inf\nx -> =',
    'ArcCosh': UNARY_NAN + 'inf -> inf\n-inf -> nan\n<1 -> nan\nx -> =',
    'ArcTanh': UNARY_NAN + '+-inf -> nan\n1 -> inf\n-1 -> -inf\nout -> nan\nx -> =',
    'SinPi': UNARY_NAN + '+-inf -> nan\nx -> =',
    'CosPi': UNARY_NAN + '+-inf -> nan\nx -> =',
    'TanPi': UNARY_NAN + '+-inf -> nan\nx -> =',
    'ArcSinPi': UNARY_NAN + '+-inf -> nan\nout -> nan\nx -> =',
    'ArcCosPi': UNARY_NAN + '+-inf -> nan\nout -> nan\nx -> =',
    'ArcTanPi': UNARY_NAN + 'inf -> 1/2\n-inf -> -1/2\nx -> =',
    'Softplus': UNARY_NAN + 'inf -> inf\n-inf -> 0\nx -> =',
}
ATAN2 = BINARY_NAN + '''0 0 -> nan
-inf +-inf -> nan
inf +-inf -> nan
* inf -> 0
0 >0 -> 0
inf * -> H
>0 0 -> H
>=0 -inf -> P
<0 -inf -> -P
0 <0 -> P
-inf * -> -H
<0 0 -> -H
x x -> ='''
TABLES['ArcTan2'] = ATAN2.replace('H', 'pi/2').replace('P', 'pi')
TABLES['ArcTan2Pi'] = ATAN2.replace('H', '1/2').replace('P', '1')
TABLES = {name: rules(text) for name, text in TABLES.items()}


def m(x):
    return mp.mpf(x.numerator) / x.denominator


def real(value):
    """A real result; where mpmath's value is a short dyadic number, that was to be named."""
    return Real(value)


def root(x):
    n, d = math.isqrt(x.numerator * x.denominator), x.denominator
    return F(n, d) if n * n == x.numerator * x.denominator else real(mp.sqrt(m(x)))


def power(x):
    # Beyond all types of the key: 2^4000 does as well.
    x = max(min(x, F(4000)), F(-4000))
    return F(2) ** int(x) if x.denominator == 1 else real(mp.mpf(2) ** m(x))


def log2(x):
    for e in range(-140, 140):
        if F(2) ** e == x:
            return F(e)
    return real(mp.log(m(x)) / mp.log(2))


def pi_function(function, exact):
    def of(x):
        quarter = x * 4 % 8
        if quarter.denominator == 1 and int(quarter) in exact:
            return exact[int(quarter)]
        return real(function(m(x % 2) * mp.pi()))

    return of


def inverse_pi(function, exact):
    return lambda x: exact[x] if x in exact else real(function(m(x)) / mp.pi())


def atan2(y, x):
    return real(mp.atan2(m(y), m(x)))


def atan2pi(y, x):
    if abs(y) == abs(x):
        return (F(1, 4) if x > 0 else F(3, 4)) * (1 if y > 0 else -1)
    return real(mp.atan2(m(y), m(x)) / mp.pi())


def unless(exact, function):
    return lambda x: exact[x] if x in exact else real(function(m(x)))


FORMULAS = {
    'Convert': lambda x: x,
    'Abs': abs,
    'Negate': lambda x: -x,
    'Sqrt': root,
    'Recip': lambda x: 1 / x,
    'RSqrt': lambda x: root(1 / x),
    'CopySign': lambda x, y: -abs(x) if y == NINF or (not isinstance(y, str) and y < 0) else abs(x),
    'Add': lambda x, y: x + y,
    'Subtract': lambda x, y: x - y,
    'Multiply': lambda x, y: x * y,
    'Divide': lambda x, y: x / y,
    'Hypot': lambda x, y: root(x * x + y * y),
    'Minimum': min,
    'Maximum': max,
    'MinimumMagnitude': lambda x, y: x if abs(x) < abs(y) else y if abs(x) > abs(y) else min(x, y),
    'MaximumMagnitude': lambda x, y: x if abs(x) > abs(y) else y if abs(x) < abs(y) else max(x, y),
    'MinimumFinite': min,
    'MaximumFinite': max,
    'FMA': lambda x, y, z: x * y + z,
    'FAA': lambda x, y, z: x + y + z,
    'Exp': unless({0: F(1)}, mp.exp),
    'Exp2': power,
    'Log': unless({1: F(0)}, mp.log),
    'Log2': log2,
    'Sin': unless({0: F(0)}, mp.sin),
    'Cos': unless({0: F(1)}, mp.cos),
    'Tan': unless({0: F(0)}, mp.tan),
    'ArcSin': unless({0: F(0)}, mp.asin),
    'ArcCos': unless({1: F(0)}, mp.acos),
    'ArcTan': unless({0: F(0)}, mp.atan),
    'Sinh': unless({0: F(0)}, mp.sinh),
    'Cosh': unless({0: F(1)}, mp.cosh),
    'Tanh': unless({0: F(0)}, lambda x: mp.tanh(x) if abs(x) < 100 else mp.sign(x) * (1 - HAIR)),
    'ArcSinh': unless({0: F(0)}, mp.asinh),
    'ArcCosh': unless({1: F(0)}, mp.acosh),
    'ArcTanh': unless({0: F(0)}, mp.atanh),
    'SinPi': pi_function(mp.sin, {0: F(0), 2: F(1), 4: F(0), 6: F(-1)}),
    'CosPi': pi_function(mp.cos, {0: F(1), 2: F(0), 4: F(-1), 6: F(0)}),
    'TanPi': pi_function(mp.tan, {0: F(0), 1: F(1), 2: INF, 3: F(-1), 4: F(0), 5: F(1), 6: NINF, 7: F(-1)}),
    'ArcSinPi': inverse_pi(mp.asin, {F(0): F(0), F(1): F(1, 2), F(-1): F(-1, 2), F(1, 2): F(1, 6), F(-1, 2): F(-1, 6)}),
    'ArcCosPi': inverse_pi(
        mp.acos, {F(0): F(1, 2), F(1): F(0), F(-1): F(1), F(1, 2): F(1, 3), F(-1, 2): F(2, 3)}
    ),
    'ArcTanPi': inverse_pi(mp.atan, {F(0): F(0), F(1): F(1, 4), F(-1): F(-1, 4)}),
    'Softplus': lambda x: real(mp.log1p(mp.exp(m(x)))) if x < 200 else real(m(x) * (1 + HAIR)),
    'ArcTan2': atan2,
    'ArcTan2Pi': atan2pi,
}  # fmt: skip


def clamp(x, lo, hi):
    """Not by patterns: those of the draft are more than what they say, that bounds in order limit x."""
    if NAN in (x, lo, hi):
        return NAN
    number = {INF: mp.inf, NINF: -mp.inf}
    a, b, c = (number.get(v, v) if isinstance(v, str) else m(v) for v in (x, lo, hi))
    if b > c:
        return NAN
    return lo if a <= b else hi if a >= c else x


def of(name, values):
    if name == 'Clamp':
        return clamp(*values)
    if name == 'LogOnePlus':
        return of('Log', [of('Add', [F(1), *values])])
    if name == 'ExpMinusOne':
        e = of('Exp', values)
        return real(max(e.value, HAIR) - 1) if isinstance(e, Real) else of('Subtract', [e, F(1)])
    if name.endswith('Number'):
        x, y = values
        return y if x == NAN else x if y == NAN else of(name.removesuffix('Number'), values)
    return apply(TABLES[name], values, FORMULAS[name])


def project(f, table, mode, sat, n, r, value):
    """The draft's projection of a rational number; of an irrational one as of the dyadic number of 600 bits below it."""
    if isinstance(value, Real):
        mantissa, power = mp.frexp(value.value)
        power = max(min(int(power), 4000), -4000)
        value = F(int(mp.floor(mp.ldexp(mantissa, 600)))) * F(2) ** (power - 600)
    rounded = round_to_precision(f.p, f.b, mode, n, r, value)
    return table[NAN if rounded == NAN else saturate(f, sat, mode, rounded)]


UNARY = (
    'Convert Abs Negate Sqrt Recip RSqrt Exp Exp2 Log Log2 LogOnePlus ExpMinusOne Sin Cos Tan ArcSin ArcCos ArcTan Sinh Cosh '
    'Tanh ArcSinh ArcCosh ArcTanh SinPi CosPi TanPi ArcSinPi ArcCosPi ArcTanPi Softplus'
).split()
BINARY = (
    'CopySign Add Subtract Multiply Divide Hypot Minimum Maximum MinimumNumber MaximumNumber MinimumMagnitude MaximumMagnitude '
    'MinimumMagnitudeNumber MaximumMagnitudeNumber MinimumFinite MaximumFinite ArcTan2 ArcTan2Pi'
).split()
TERNARY = ['FMA', 'FAA', 'Clamp']
# Types of the operands, and of the results in turn.
OPERANDS = {
    1: [[(8, 4, 1, 1)], [(8, 3, 0, 0)], [(6, 1, 1, 0)], [(5, 3, 0, 1)], [(4, 2, 1, 0)]],
    2: [[(4, 2, 1, 1), (4, 2, 1, 1)], [(4, 1, 0, 1), (3, 1, 1, 1)], [(3, 2, 1, 0), (5, 3, 1, 1)], [(3, 3, 0, 0), (4, 4, 0, 1)]],
    3: [[(3, 1, 1, 1), (3, 2, 1, 1), (3, 1, 1, 1)], [(4, 2, 1, 0), (3, 2, 0, 1), (3, 1, 1, 0)]],
}
RESULTS = [(8, 4, 1, 1), (8, 3, 1, 0), (4, 2, 1, 0), (8, 1, 0, 1), (6, 3, 0, 0), (16, 9, 1, 1)]


def operations(out):
    results = [Format(k, p, bool(s), bool(e)) for k, p, s, e in RESULTS]
    tables = [{f.value(x): x for x in range(2**f.k)} for f in results]
    columns, place = {}, 0
    for names, count in ((UNARY, 1), (BINARY, 2), (TERNARY, 3)):
        for name in names:
            codes = []
            for types in OPERANDS[count]:
                formats = [Format(k, p, bool(s), bool(e)) for k, p, s, e in types]
                for values in product(*([f.value(x) for x in range(2**f.k)] for f in formats)):
                    which, mode, sat = place % 6, ROUNDINGS[place // 2 % 9], SATURATIONS[place // 3 % 3]
                    n = 1 + place % 9 if mode.startswith('Stochastic') else 0
                    r = place * 7 % 2**n
                    codes.append(project(results[which], tables[which], mode, sat, n, r, of(name, list(values))))
                    place += 1
            columns[name] = np.array(codes, np.uint16)
    facts = {'operands': OPERANDS, 'results': RESULTS}
    write_columns(out, 'p3109/operations', columns, facts)


run([operations])
