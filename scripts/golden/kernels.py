"""Computes test/golden/kernels again, but for attention and masks: products, RoPE, norms, fusion, routing, fp8, layouts.

    python3 scripts/golden/kernels.py            # numpy and ml_dtypes; about a minute
    python3 scripts/golden/kernels.py --check    # compares with what is stored

The operands are given (the stored columns of a, b, x, w, amax, positions ...), and so are sizes and options of the cases;
everything that follows from them is computed here, an operation at a time, and must come out as stored. float64 references
(`*_f64`) are settled: a library's pow or the order of a sum may turn their last digits.
"""

import math
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent))

from support.columnfile import read_columns, run, write_columns
from support.kernels_layers import fp8_blocks, fp8_delayed, fp8_matmul, fusion, layout, moe, norms
from support.kernels_numbers import b16, codes16, dot, dot_rounded, F, f32, once, q, settled, words


# ---- products


def low_bits(x, count):
    return (np.ascontiguousarray(x, F).view(np.uint32) & np.uint32(0xFFFFFFFF << count & 0xFFFFFFFF)).view(F)


def tf32_nearest(x):
    w = np.ascontiguousarray(x, F).view(np.uint32).astype(np.uint64)
    rounded = ((w + 0xFFF + (w >> 13 & 1)) & 0xFFFFE000).astype(np.uint32).view(F)
    return np.where(np.isfinite(x), rounded, x)


def parts(x, count, cut, last):
    made = []
    for i in range(count):
        part = last(x) if i == count - 1 else cut(x)
        made.append(part)
        x = x - part
    return made


ORDERS = {
    1: [(0, 0)],
    3: [(1, 0), (0, 1), (0, 0)],
    6: [(1, 1), (0, 2), (2, 0), (0, 1), (1, 0), (0, 0)],
    9: [(2, 2), (2, 1), (1, 2), (1, 1), (0, 2), (2, 0), (0, 1), (1, 0), (0, 0)],
}


def passes(left, right, count):
    total = None
    for i, j in ORDERS[count]:
        product = dot(left[i], right[j])
        if total is not None:
            product = np.where(np.isnan(total) if (i, j) == (0, 0) else False, F(0), total) + product
        total = product
    return total


def modes(a, b):
    """Every mode of a product, by the name of its column."""
    truncate = lambda x: low_bits(x, 16)
    tf32 = lambda x: low_bits(x, 13)
    made = {'bf16': dot(q(a), q(b)), 'float32': dot_rounded(a, b), 'tf32': dot(tf32(a), tf32(b))}
    made['tf32_nearest'] = dot(tf32_nearest(a), tf32_nearest(b))
    made['tf32_x3'] = passes(parts(a, 2, tf32, tf32), parts(b, 2, tf32, tf32), 3)
    for end, cut in (('', truncate), ('_nearest', q)):
        for count, n in ((3, 2), (6, 3), (9, 3)):
            made[f'bf16_x{count}{end}'] = passes(parts(a, n, cut, q), parts(b, n, cut, q), count)
    return made


def exact(a, b):
    """The exact product, rounded once to float64."""
    rows, columns = a.astype(np.float64).tolist(), b.T.astype(np.float64).tolist()
    value = lambda r, c: float(sum((Fraction(x) * Fraction(y) for x, y in zip(r, c)), Fraction(0)))
    return np.array([value(r, c) for r in rows for c in columns])


def precision_modes(out):
    columns, facts = read_columns('kernels/precision_modes')
    for case in facts['cases']:
        name, m, k, n = (case[x] for x in ('case', 'm', 'k', 'n'))
        a, b = f32(columns[f'{name}_a'], m, k), f32(columns[f'{name}_b'], k, n)
        for mode, result in modes(a, b).items():
            columns[f'{name}_{mode}'] = words(result)
        if f'{name}_exact_f64' in columns:
            columns[f'{name}_exact_f64'] = exact(a, b).view(np.uint64)
    write_columns(out, 'kernels/precision_modes', columns, facts)


def gemm_blocks(out):
    columns, facts = read_columns('kernels/gemm_blocks')
    for case in facts['cases']:
        name, m, k, n = (case[x] for x in ('case', 'm', 'k', 'n'))
        a, b = b16(columns[f'{name}_a'], m, k), b16(columns[f'{name}_b'], k, n)
        columns[f'{name}_exact_f64'] = exact(a, b).view(np.uint64)
        columns[f'{name}_whole_f32'], columns[f'{name}_whole_bf16'] = words(dot(a, b)), codes16(dot(a, b))
        for block in case['blocks']:
            total, between = np.zeros((m, n), F), np.zeros((m, n), F)
            for i in range(0, k, block):
                product = dot(a[:, i : i + block], b[i : i + block])
                total, between = total + product, q(between + q(product))
            columns[f'{name}_block{block}_f32'] = words(total)
            columns[f'{name}_block{block}_bf16'] = codes16(total)
            columns[f'{name}_block{block}_between_bf16'] = codes16(between)
    write_columns(out, 'kernels/gemm_blocks', columns, facts)


# ---- rotary embeddings


def frequencies(d, base, scaling):
    s = scaling or {'kind': 'none'}
    powers = lambda base: [math.pow(base, -2 * i / d) for i in range(d // 2)]
    if s['kind'] == 'linear':
        return [w / s['factor'] for w in powers(base)]
    if s['kind'] == 'ntk':
        return powers(base * s['factor'] ** (d / (d - 2)))
    if s['kind'] == 'dynamic':
        grown = s['factor'] * s['length'] / s['original'] - (s['factor'] - 1)
        return powers(base * grown ** (d / (d - 2)) if s['length'] > s['original'] else base)
    if s['kind'] == 'llama3':
        def one(w):
            wave = 2 * math.pi / w
            if wave < s['original'] / s['highFreqFactor']:
                return w
            if wave > s['original'] / s['lowFreqFactor']:
                return w / s['factor']
            t = (s['original'] / wave - s['lowFreqFactor']) / (s['highFreqFactor'] - s['lowFreqFactor'])
            return (1 - t) * w / s['factor'] + t * w
        return [one(w) for w in powers(base)]
    if s['kind'] == 'yarn':
        pair = lambda turns: d * math.log(s['original'] / (2 * math.pi * turns)) / (2 * math.log(base))
        low, high = max(math.floor(pair(s['betaFast'])), 0), min(math.ceil(pair(s['betaSlow'])), d - 1)
        high = high + 0.001 if high == low else high
        kept = [1 - min(max((i - low) / (high - low), 0), 1) for i in range(d // 2)]
        return [w / s['factor'] * (1 - g) + w * g for w, g in zip(powers(base), kept)]
    return powers(base)


def turned(x, c, s, layout, rounding):
    half = x.shape[-1] // 2
    a, b = (x[..., :half], x[..., half:]) if layout == 'half' else (x[..., 0::2], x[..., 1::2])
    first = rounding(rounding(a * c) - rounding(b * s))
    second = rounding(rounding(b * c) + rounding(a * s))
    if layout == 'half':
        return np.concatenate([first, second], -1)
    return np.stack([first, second], -1).reshape(x.shape)


def rope(out):
    columns, facts = read_columns('kernels/rope')
    positions = columns['positions'].astype(F)
    for case in facts['cases']:
        name, d, base = case['case'], case['d'], case['base']
        w = np.array(frequencies(d, base, case['scaling']))
        settled(columns, f'{name}_freq_f64', w, 16 * 2.0**-52 * w)
        freq, factor = w.astype(F), F(case['attentionFactor'])
        tables = lambda angle: [once(function, angle) for function in (np.cos, np.sin)]
        scaled = [t if factor == 1 else t * factor for t in tables(positions[:, None] * freq)]
        columns[f'{name}_freq'] = words(freq)
        columns[f'{name}_cos'], columns[f'{name}_sin'] = map(words, scaled)
        if case['scaling'] is not None:
            continue
        exponents = (2 * np.arange(d // 2) / d).astype(F).astype(np.float64)
        columns[f'{name}_freq_chain'] = words(F(1) / np.power(float(F(base)), exponents).astype(F))
        forms = {
            'table': scaled,
            'freq16': tables(positions[:, None] * q(freq)),
            'all16': tables(q(q(positions)[:, None] * q(freq))),
        }
        for form, (c, s) in forms.items():
            columns[f'{name}_{form}_cos'], columns[f'{name}_{form}_sin'] = codes16(c), codes16(s)
        x = b16(columns[f'{name}_x'], 2, len(positions), d)
        for layout in ('half', 'interleaved'):
            columns[f'{name}_{layout}_fused'] = codes16(turned(x, *scaled, layout, F))
            narrow = [q(t) for t in scaled]
            columns[f'{name}_{layout}_op'] = codes16(turned(x, *narrow, layout, q))
            columns[f'{name}_{layout}_table16'] = codes16(turned(x, *narrow, layout, F))
    write_columns(out, 'kernels/rope', columns, facts)


if __name__ == '__main__':
    np.seterr(all='ignore')
    run([precision_modes, gemm_blocks, rope, norms, fusion, moe, fp8_delayed, fp8_matmul, fp8_blocks, layout])
