"""Regenerates test/golden/p3109: the value tables of the 504 formats of IEEE P3109 and projections onto them.

    python scripts/golden/p3109.py            writes them in place
    python scripts/golden/p3109.py --check    compares bytes with the stored ones instead, exit 1 if any differ

Tables and projections follow the text of draft P3109/D1, sections 4.7.2 to 4.7.6, in exact rationals; the patterns of
saturation stand here in the draft's order. Held against: gfloat 0.5.2 (every value of the formats that float64 holds;
every projection it defines), and the draft's printed tables for K = 4.

A table is text, a line a code: `nan`, `+inf`, `-inf`, `0`, or m and e of the value m 2^e with m odd. The key has for each
the SHA-256, cut to 32 digits, of all lines and of some, and the whole text of those of 3 and 4 bits.
"""

import hashlib
import json
import random
from fractions import Fraction

import numpy as np
from gfloat import RoundMode, decode_float, round_float
from gfloat.formats import format_info_p3109
from gfloat.types import Domain, Signedness
from support.checks import expect
from support.columnfile import run, write_columns, write_text
from support.p3109 import INF, NAN, NINF, ROUNDINGS, SATURATIONS, Format, formats, round_to_precision, saturate

def in_gfloat(f):
    return format_info_p3109(
        f.k,
        f.p,
        Signedness.Signed if f.signed else Signedness.Unsigned,
        Domain.Extended if f.extended else Domain.Finite,
    )


def codes(f):
    return {f.value(x): x for x in range(2**f.k)}


def check_tables():
    printed = {
        'binary4p1ue': '0 1,-7 1,-6 1,-5 1,-4 1,-3 1,-2 1,-1 1,0 1,1 1,2 1,3 1,4 1,5 +inf nan',
        'binary4p2sf': '0 1,-2 1,-1 3,-2 1,0 3,-1 1,1 3,0 nan -1,-2 -1,-1 -3,-2 -1,0 -3,-1 -1,1 -3,0',
        'binary4p3se': '0 1,-2 1,-1 3,-2 1,0 5,-2 3,-1 +inf nan -1,-2 -1,-1 -3,-2 -1,0 -5,-2 -3,-1 -inf',
        'binary4p4uf': '0 1,-3 1,-2 3,-3 1,-1 5,-3 3,-2 7,-3 1,0 9,-3 5,-2 11,-3 3,-1 13,-3 7,-2 nan',
    }
    for f in formats():
        if f.name in printed:
            expect(list(f.lines()) == [word.replace(',', ' ') for word in printed[f.name].split(' ')], f'{f.name} is as printed')
        if f.exponent_bits > 11 or f.k > 12:
            continue
        info = in_gfloat(f)
        for x in range(2**f.k):
            v, got = f.value(x), decode_float(info, x).fval
            same = got != got if v == NAN else got == float(v.replace('+', '')) if isinstance(v, str) else Fraction(got) == v
            expect(same, f'{f.name} {x} is as in gfloat')


def tables(out):
    check_tables()
    key = {'tables': {}, 'whole': {}}
    for f in formats():
        lines = list(f.lines())
        text = '\n'.join(lines)
        hashes = [hashlib.sha256('\n'.join(some).encode()).hexdigest()[:32] for some in (lines, f.sampled(lines))]
        key['tables'][f.name] = hashes
        if f.k <= 4:
            key['whole'][f.name] = text.replace('\n', ',')
    write_text(out, 'p3109/tables.json', json.dumps(key, indent=0) + '\n')


SHOWN = [(8, 4, 1, 1), (8, 3, 1, 0), (8, 1, 1, 1), (8, 1, 0, 0), (6, 3, 0, 1), (4, 2, 1, 0), (3, 1, 1, 1), (5, 5, 0, 0)]
WIDE = [(16, 1, 0, 1), (16, 4, 1, 0), (13, 1, 1, 1)]
GFLOAT = {
    'NearestTiesToEven': RoundMode.TiesToEven,
    'NearestTiesToAway': RoundMode.TiesToAway,
    'TowardPositive': RoundMode.TowardPositive,
    'TowardNegative': RoundMode.TowardNegative,
    'TowardZero': RoundMode.TowardZero,
    'StochasticA': RoundMode.StochasticFastest,
    'StochasticB': RoundMode.StochasticFast,
    'StochasticC': RoundMode.Stochastic,
}


def inputs(f, rng):
    """Values as float64: each value of the format, middles of neighbours and what lies beside both, what lies beyond."""
    lo, hi = f.finite()
    picked = sorted(rng.sample(range(hi + 1), min(hi + 1, 9)) + [0, hi])
    found = [float('inf'), float('-inf'), float('nan'), 0.0]
    for code in picked:
        v, w = f.value(code), f.value(min(code + 1, hi)) if code < hi else f.value(hi) * 2
        for x in (v, (v + w) / 2, v + (w - v) * Fraction(1 + rng.randrange(62), 64), v + (w - v) * Fraction(3, 8)):
            for near in (x, x * (1 + Fraction(1, 2**50)), x * (1 - Fraction(1, 2**50))):
                if abs(near) < Fraction(2) ** 1000 and (near == 0 or abs(near) > Fraction(2) ** -1000):
                    found += [float(near), -float(near)]
    return found


def projections(out):
    rng = random.Random(1)
    for k, p, signed, extended in SHOWN + WIDE:
        f = Format(k, p, bool(signed), bool(extended))
        table, info, rows = codes(f), in_gfloat(f), []
        xs = inputs(f, rng) if f.exponent_bits <= 11 else [far(rng) for _ in range(120)]
        cases = [(x, mode) for x in sorted(set(v for v in xs if v == v)) + [float('nan')] for mode in ROUNDINGS]
        for x, mode in rng.sample(cases, min(ROWS, len(cases))):
            exact = NAN if x != x else INF if x == float('inf') else NINF if x == -float('inf') else Fraction(x)
            n = rng.choice((1, 2, 3, 5, 8, 13)) if mode.startswith('Stochastic') else 0
            r = rng.randrange(2**n)
            sat = rng.choice(SATURATIONS)
            rounded = round_to_precision(f.p, f.b, mode, n, r, exact)
            code = table[NAN if rounded == NAN else saturate(f, sat, mode, rounded)]
            rows.append((x, ROUNDINGS.index(mode), SATURATIONS.index(sat), n, r, code))
            if mode in GFLOAT and f.exponent_bits <= 11 and sat != 'SatPropagate' and (signed or not x < 0):
                got = round_float(info, x, GFLOAT[mode], sat == 'SatFinite', r, n)
                want = f.value(code)
                want = float(want.replace('+', '')) if isinstance(want, str) else float(want)
                expect((got != got and want != want) or got == want, f'{f.name} {x.hex()} {mode} {sat} is as in gfloat')
        x, *rest = zip(*rows)
        columns = {'x': np.array(x).view(np.uint64)}
        for name, kind, values in zip(('rounding', 'saturation', 'bits', 'random', 'code'), ('u1', 'u1', 'u1', 'u2', 'u2'), rest):
            columns[name] = np.array(values, kind)
        write_columns(out, f'p3109/project_{f.name}', columns, {'format': [k, p, signed, extended]})


ROWS = 700


def far(rng):
    """A number anywhere in the middle of float64's range."""
    return rng.choice((-1, 1)) * rng.uniform(1, 2) * 2.0 ** rng.randrange(-300, 300)


run([tables, projections])
