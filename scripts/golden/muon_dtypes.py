"""Computes test/golden/optimizer/muon_dtypes.json: Newton-Schulz in narrow dtypes with NumPy and ml_dtypes, an operation at a time.

Matrix k of n elements: MurmurHash3's 32-bit finalizer of i + k * 2^20, its upper 16 bits as an int16 times 2^-14. Float64 computes each
result of a step and ml_dtypes rounds it once; products are added in index order in float32, where products of these dtypes are exact.
fp8: the operands of products are rounded to fp8 with the scale float32(largest / amax), results divided by both scales in float32.
`limit` is the same iteration in float64: how far the dtype leads away from it.
"""

import json
import sys
from pathlib import Path

import ml_dtypes
import numpy as np

sys.path.append(str(Path(__file__).resolve().parent))

from support.columnfile import run, write_text

COEFFICIENTS = (3.4445, -4.775, 2.0315)
SHAPES = ((6, 4), (16, 16), (24, 40))
F32 = np.float32


def operand(seed, rows, columns):
    h = (np.arange(rows * columns, dtype=np.uint64) + (seed << 20)).astype(np.uint32)
    h ^= h >> 16
    h *= np.uint32(0x85EBCA6B)
    h ^= h >> 13
    h *= np.uint32(0xC2B2AE35)
    h ^= h >> 16
    return ((h >> 16).astype(np.uint16).view(np.int16).astype(F32) * F32(2**-14)).reshape(rows, columns)


def summed(x, y):
    total = np.zeros((x.shape[0], y.shape[1]), F32)
    for k in range(x.shape[1]):
        total = (total + x[:, k : k + 1].astype(F32) * y[k : k + 1].astype(F32)).astype(F32)
    return total


def fp8_product(name):
    kind = getattr(ml_dtypes, name)
    most = F32(ml_dtypes.finfo(kind).max)

    def codes(x):
        scale = F32(most / np.abs(x.astype(F32)).max())
        return (x.astype(F32) * scale).astype(kind).astype(F32), scale

    def product(x, y):
        (a, s), (b, t) = codes(x), codes(y)
        return summed(a, b) / s / t

    return product


def steps(matrix, dtype, product):
    to = (lambda v: np.asarray(v, np.float64)) if dtype == 'float64' else lambda v: np.asarray(v).astype(getattr(ml_dtypes, dtype, dtype))
    wide = lambda v: np.asarray(v).astype(np.float64)
    x = to(matrix)
    tall = x.shape[0] > x.shape[1]
    if tall:
        x = x.T
    norm = to(np.sqrt((wide(x) ** 2).sum()))
    x = to(wide(x) / wide(to(wide(norm) + 1e-8)))
    # A number beside a narrow tensor is rounded to its dtype first.
    a, b, c = (wide(to(v)) for v in COEFFICIENTS)
    for _ in range(5):
        gram = to(product(x, x.T))
        inner = to(wide(to(b * wide(gram))) + wide(to(product(to(c * wide(gram)), gram))))
        x = to(wide(to(a * wide(x))) + wide(to(product(inner, x))))
    return wide(x.T if tall else x)


def muon(out):
    cases = {}
    for k, (rows, columns) in enumerate(SHAPES):
        matrix = operand(k + 1, rows, columns)
        limit = steps(matrix, 'float64', lambda x, y: x @ y)
        for name in ('bfloat16', 'float16', 'float8_e4m3fn', 'float8_e5m2'):
            fp8 = name.startswith('float8')
            found = steps(matrix, 'bfloat16' if fp8 else name, fp8_product(name) if fp8 else summed)
            far = float(np.linalg.norm(found - limit) / np.linalg.norm(limit))
            cases[f'{rows}x{columns} {name}'] = {'result': found.reshape(-1).tolist(), 'fromLimit': far}
    facts = {'generator': 'scripts/golden/muon_dtypes.py', 'numpy': np.__version__, 'ml_dtypes': ml_dtypes.__version__}
    write_text(out, 'optimizer/muon_dtypes.json', json.dumps(facts | {'cases': cases}) + '\n')


run([muon])
