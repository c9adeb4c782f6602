"""Computes test/golden/kernels/quantized.json: hashes of 2^20 elements through the Hadamard transform, NVFP4 in 16 x 16 blocks, stochastic
rounding and fp8 with a scale a row.

    python3 scripts/golden/quantized.py            # scipy, ml_dtypes, jax for the words; about half a minute
    python3 scripts/golden/quantized.py --check    # compares with what is stored

Operands are drawn from jax.random.bits: element i is the upper 16 bits of word i as an int16 times 2^(the lower 4 bits - 20).
"""

import hashlib
import json
import sys
from fractions import Fraction
from pathlib import Path

import jax
import ml_dtypes
import numpy as np
from scipy.linalg import hadamard

sys.path.append(str(Path(__file__).resolve().parent))

from support.columnfile import run, write_text
from support.exact import FLOAT32, round_rational
from support.lowprecision import FORMATS

F = np.float32
N = 1 << 20
ELEMENTS = ('float8_e4m3fn', 'float8_e5m2', 'float6_e2m3fn', 'float6_e3m2fn', 'float4_e2m1fn')


def words(seed, count=N):
    return np.asarray(jax.random.bits(jax.random.key(seed), (count,)))


def operand(seed, count=N):
    drawn = words(seed, count)
    numerator = (drawn >> 16).astype(np.uint16).view(np.int16).astype(np.float64)
    return (numerator * 2.0 ** ((drawn & 15).astype(np.float64) - 20)).astype(F)


def sha(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def transforms():
    """x H / sqrt(size) in extended precision: sums of 16-bit integers over a range of 2^16 are exact, and so are even powers."""
    made = {}
    for size in (2, 4, 8, 16, 32, 64, 128):
        x = operand(1)
        signs = np.where(words(7, size).view(np.int32) < 0, -1.0, 1.0)
        blocks = (x.reshape(-1, size) * signs).astype(np.longdouble)
        sums = blocks.astype(np.float64) @ hadamard(size).astype(np.float64)
        result = sums.astype(np.longdouble) / np.sqrt(np.longdouble(size))
        for name, dtype in (('float32', F), ('bfloat16', ml_dtypes.bfloat16)):
            source = x if name == 'float32' else x.astype(dtype)
            if name == 'bfloat16':
                sums = (source.astype(np.float64).reshape(-1, size) * signs) @ hadamard(size).astype(np.float64)
                result = sums.astype(np.longdouble) / np.sqrt(np.longdouble(size))
            made[f'{name} {size}'] = sha(rounded(result, dtype).reshape(-1))
    return made


def rounded(values, dtype):
    """Extended precision to float32 or bfloat16, once: through float32 rounded to odd where it goes on to 8 bits. +0 for -0."""
    near = values.astype(F)
    if dtype is F:
        return near + F(0)
    other = np.nextafter(near, np.where(values > near, np.inf, -np.inf).astype(F))
    even = (near.view(np.uint32) & 1) == 0
    odd = np.where((near != values) & even, other, near)
    return odd.astype(dtype) + dtype(0)


def far_apart():
    """Blocks whose numbers no float64 sum holds: any finite float32, by integers and Fractions."""
    drawn = words(3, 512)
    drawn = np.where((drawn & 0x7F800000) == 0x7F800000, drawn & 0xBFFFFFFF, drawn).astype(np.uint32)
    x = drawn.view(F).reshape(-1, 16)
    codes = []
    for block in x:
        exact = [Fraction(float(v)) for v in block]
        for row in hadamard(16):
            total = sum(int(s) * v for s, v in zip(row, exact)) / 4
            codes.append(round_rational(total, FLOAT32) if total else 0)
    return {'sha256': sha(np.asarray(codes, np.uint32))}


def nvfp4_squares():
    """torchao's formula with the largest magnitude of 16 x 16: each step in float32, casts by ml_dtypes."""
    x = operand(4).reshape(1024, 1024)
    t = F(np.abs(x).max() / F(2688))
    tiles = np.abs(x).reshape(64, 16, 64, 16).max(axis=(1, 3))
    scale = np.clip((tiles / F(6)) / t, F(2**-6), F(448)).astype(ml_dtypes.float8_e4m3fn)
    wide = np.repeat(np.repeat(scale.astype(F), 16, 0), 16, 1)
    factor = (F(1) / t) / wide
    codes = np.clip(x * factor, F(-6), F(6)).astype(ml_dtypes.float4_e2m1fn).view(np.uint8)
    return {
        'codes': sha(codes),
        'scales': sha(np.repeat(scale, 16, 0).view(np.uint8)),
        'tensorScale': float(t),
    }


def drawn_codes(scaled, name, random):
    """Up to the neighbour away from zero where the word is below 2^32 times the place above the lower one; saturating."""
    f = FORMATS[name]
    values = np.array([f.magnitude(code) for code in range(f.max_code + 1)])
    size = np.abs(scaled.astype(np.float64))
    lower = np.minimum(np.searchsorted(values, size, 'right') - 1, f.max_code)
    upper = np.minimum(lower + 1, f.max_code)
    gap = np.where(upper > lower, values[upper] - values[lower], 1)
    place = np.minimum((size - values[lower]) / gap, 1)
    up = random.astype(np.float64) < np.floor(place * 2.0**32)
    code = np.where(upper > lower, lower + up, lower)
    return (code + np.where(np.signbit(scaled), f.sign, 0)).astype(np.uint8)


def drawn():
    """MX blocks of 32, scale 2^(floor(log2 amax) - emax)."""
    made = {}
    x, random = operand(5).reshape(-1, 32), words(6).reshape(-1, 32)
    amax = np.abs(x).max(axis=1).astype(np.float64)
    for name in ELEMENTS:
        f = FORMATS[name]
        emax = int(np.floor(np.log2(f.magnitude(f.max_code))))
        with np.errstate(divide='ignore'):
            exponent = np.clip(np.frexp(amax)[1] - 1 - emax, -127, 127)
        exponent = np.where(amax == 0, -127, exponent)
        scaled = x.astype(np.float64) / 2.0 ** exponent[:, None]
        made[name] = sha(drawn_codes(scaled, name, random))
    return made


def rows():
    """max(amax, 1e-4) / 448 a row; x times float32(1 / scale), to float8_e4m3fn by ml_dtypes."""
    x = operand(8).reshape(1024, 1024)
    made = {}
    for name, amax in (('row', np.abs(x).max(axis=1, keepdims=True)), ('tensor', np.abs(x).max(keepdims=True))):
        scale = np.maximum(amax, F(1e-4)) / F(448)
        codes = np.clip(x * (F(1) / scale), F(-448), F(448)).astype(ml_dtypes.float8_e4m3fn)
        made[name] = {'codes': sha(codes.view(np.uint8)), 'scales': sha(scale.reshape(-1))}
    return made


def quantized(out):
    facts = {
        'generator': 'scripts/golden/quantized.py',
        'hadamard': transforms(),
        'farApart': far_apart(),
        'nvfp4': nvfp4_squares(),
        'stochastic': drawn(),
        'fp8': rows(),
    }
    write_text(out, 'kernels/quantized.json', json.dumps(facts, indent=1) + '\n')


run([quantized])
