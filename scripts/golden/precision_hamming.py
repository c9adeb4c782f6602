"""Writes test/golden/precision/hamming.json: the 28 expressions of Hamming's Numerical Methods for Scientists and Engineers,
chapter 3, as Herbie's benchmarks have them, at float32 inputs drawn by their bits, with their true values from mpmath.

    python scripts/golden/precision_hamming.py

Inputs are drawn where the benchmark's precondition holds and the true value is a float32 that is not infinite.
"""

import json
import random
import struct
from pathlib import Path

from mpmath import atan, cbrt, cos, exp, isfinite, log, mp, mpf, sin, sqrt, tan

FILE = Path(__file__).resolve().parents[2] / 'test' / 'golden' / 'precision' / 'hamming.json'
SAMPLES = 40
mp.prec = 3000

near = lambda x, eps: abs(x) <= 10000 and 1e-16 * abs(x) < eps < abs(x)
root = lambda b, k, a, c: sqrt(b * b - k * a * c)
# By name: inputs, precondition, the expression.
EXPRESSIONS = {
    '2sqrt': ('x', lambda x: x >= 0, lambda x: sqrt(x + 1) - sqrt(x)),
    '2sin': ('x eps', near, lambda x, eps: sin(x + eps) - sin(x)),
    'tanhf': ('x', lambda x: x != 0, lambda x: (1 - cos(x)) / sin(x)),
    '2atan': ('N', lambda N: True, lambda N: atan(N + 1) - atan(N)),
    '2isqrt': ('x', lambda x: x > 0, lambda x: 1 / sqrt(x) - 1 / sqrt(x + 1)),
    '2frac': ('x', lambda x: x not in (0, -1), lambda x: 1 / (x + 1) - 1 / x),
    '2tan': ('x eps', near, lambda x, eps: tan(x + eps) - tan(x)),
    '3frac': ('x', lambda x: abs(x) > 1, lambda x: 1 / (x + 1) - 2 / x + 1 / (x - 1)),
    '2cbrt': ('x', lambda x: x >= 0, lambda x: cbrt(x + 1) - cbrt(x)),
    '2cos': ('x eps', near, lambda x, eps: cos(x + eps) - cos(x)),
    '2log': ('N', lambda N: N > 0, lambda N: log(N + 1) - log(N)),
    'exp2': ('x', lambda x: abs(x) <= 710, lambda x: exp(x) - 2 + exp(-x)),
    'cos2': ('x', lambda x: x != 0, lambda x: (1 - cos(x)) / (x * x)),
    'expq3': (
        'a b eps',
        lambda a, b, eps: abs(eps) < 1 and max(abs(a * eps), abs(b * eps)) < 1000 and a * b * eps != 0,
        lambda a, b, eps: eps * (exp((a + b) * eps) - 1) / ((exp(a * eps) - 1) * (exp(b * eps) - 1)),
    ),
    'logq': ('eps', lambda eps: abs(eps) < 1, lambda eps: log((1 - eps) / (1 + eps))),
    'sqrtexp': ('x', lambda x: 0 < abs(x) < 1000, lambda x: sqrt((exp(2 * x) - 1) / (exp(x) - 1))),
    'sintan': ('x', lambda x: x != 0, lambda x: (x - sin(x)) / (x - tan(x))),
    '2nthrt': (
        'x n',
        lambda x, n: x > 0 and 1 <= abs(n) < 2**30,
        lambda x, n: (x + 1) ** (1 / n) - x ** (1 / n),
    ),
    'expm1': ('x', lambda x: abs(x) < 1000, lambda x: exp(x) - 1),
    'logs': ('N', lambda N: N > 0, lambda N: (N + 1) * log(N + 1) - N * log(N) - 1),
    'invcot': ('x', lambda x: 0 < abs(x) < 0.026, lambda x: 1 / x - 1 / tan(x)),
    'qlog': ('x', lambda x: 0 < abs(x) < 1, lambda x: log(1 - x) / log(1 + x)),
    'expax': ('a x', lambda a, x: abs(a * x) <= 710, lambda a, x: exp(a * x) - 1),
    'expq2': ('x', lambda x: 0 < abs(x) <= 710, lambda x: exp(x) / (exp(x) - 1)),
    'quadp': ('a b c', lambda a, b, c: b * b >= 4 * a * c, lambda a, b, c: (-b + root(b, 4, a, c)) / (2 * a)),
    'quadm': ('a b c', lambda a, b, c: b * b >= 4 * a * c, lambda a, b, c: (-b - root(b, 4, a, c)) / (2 * a)),
    'quad2p': ('a b c', lambda a, b, c: b * b >= a * c, lambda a, b, c: (-b + root(b, 1, a, c)) / a),
    'quad2m': ('a b c', lambda a, b, c: b * b >= a * c, lambda a, b, c: (-b - root(b, 1, a, c)) / a),
}


def value(code):
    return mpf(struct.unpack('>f', struct.pack('>I', code))[0])


def nearest(x):
    """The code of the float32 next to x, ties to even; None where that is infinite."""
    sign, size = (1 << 31 if x < 0 else 0), abs(x)
    low, high = 0, 0x7F800000
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if value(middle) <= size else (low, middle)
    above = value(high) if high < 0x7F800000 else mpf(2) ** 128
    apart = 2 * size - value(low) - above
    code = high if apart > 0 or (apart == 0 and low & 1) else low
    return None if code == 0x7F800000 else sign | code


def samples(name):
    names, holds, f = EXPRESSIONS[name]
    draw = random.Random(f'hamming {name}')
    found = []
    while len(found) < SAMPLES:
        codes = [draw.getrandbits(32) for _ in names.split()]
        if any(code >> 23 & 255 == 255 for code in codes):
            continue
        x = [value(code) for code in codes]
        if not holds(*x):
            continue
        truth = f(*x)
        code = nearest(truth) if isfinite(truth) else None
        if code is not None:
            found.append([*(f'{c:08x}' for c in codes), f'{code:08x}'])
    return {'name': name, 'inputs': names.split(), 'samples': found}


if __name__ == '__main__':
    rows = ',\n'.join(json.dumps(samples(name)) for name in EXPRESSIONS)
    FILE.write_text('{"expressions": [\n' + rows + '\n]}\n')
