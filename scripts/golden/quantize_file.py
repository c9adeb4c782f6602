"""Regenerates test/golden/files/weights.*: a trained network in a safetensors file, and what each format makes of it.

    python scripts/golden/quantize_file.py            writes them in place
    python scripts/golden/quantize_file.py --check    compares bytes with the stored ones instead, exit 1 if any differ

The network learns to tell three spirals apart, in float64 by NumPy; its weights are kept to six decimals, so that no
BLAS shows in them. weights.safetensors holds them, Adam's second moments and tensors that are awkward in their shape,
dtype or values; weights.json has for each float tensor and each way of quantising counts, and errors summed by
math.fsum. Casts are by ml_dtypes; of a float64 by table search, since ml_dtypes rounds it to float32 on the way
(0.9374999817 is 0.875 in float6_e2m3fn, and 1 by way of 0.9375). Blocks come from blocks.py, whose elements and scales
are held against ml_dtypes.
"""

import json
import math

import ml_dtypes
import numpy as np
from blocks import ELEMENTS, MODES, NAN_SCALE, codes_of, element_facts, exponent, nvfp4, values_of
from safetensors.numpy import save
from support.columnfile import run
from support.lowprecision import FORMATS as FACTS
from support.lowprecision import encode

FORMATS = (
    'bfloat16 float16 float8_e3m4 float8_e4m3 float8_e4m3fn float8_e4m3fnuz float8_e4m3b11fnuz float8_e5m2 '
    'float8_e5m2fnuz float8_e8m0fnu float6_e2m3fn float6_e3m2fn float4_e2m1fn'
).split()
MX = dict(zip(ELEMENTS, ('mxfp8_e4m3', 'mxfp8_e5m2', 'mxfp6_e2m3', 'mxfp6_e3m2', 'mxfp4', 'mxint8')))
FIELDS = 'count clipped underflowed overflowed maxError sqnr meanAbsoluteError rmsError meanError'.split()


def trained():
    """Kernels and biases after 300 steps of Adam, and the first kernel's second moments."""
    rng = np.random.default_rng(11)
    turns = rng.uniform(0.5, 3, 600)
    label = np.arange(600) % 3
    angle = 2 * turns + label * 2 * np.pi / 3
    x = np.stack([turns * np.cos(angle), turns * np.sin(angle)], 1) + 0.05 * rng.standard_normal((600, 2))
    x = np.concatenate([np.sin(k * x) for k in (0.5, 1, 1.5, 2)], 1)
    sizes = [8, 40, 37, 3]
    params = [p for a, b in zip(sizes, sizes[1:]) for p in (rng.standard_normal((a, b)) * np.sqrt(2 / a), np.zeros(b))]
    m, v = [np.zeros_like(p) for p in params], [np.zeros_like(p) for p in params]
    for step in range(1, 301):
        kept, h = [x], x
        for i in range(0, 6, 2):
            h = h @ params[i] + params[i + 1]
            h = np.maximum(h, 0) if i < 4 else h
            kept.append(h)
        e = np.exp(h - h.max(1, keepdims=True))
        d = (e / e.sum(1, keepdims=True) - np.eye(3)[label]) / len(x)
        grads = [None] * 6
        for i in (4, 2, 0):
            grads[i], grads[i + 1] = kept[i // 2].T @ d, d.sum(0)
            d = d @ params[i].T * (kept[i // 2] > 0)
        for i, g in enumerate(grads):
            m[i], v[i] = 0.9 * m[i] + 0.1 * g, 0.99 * v[i] + 0.01 * g * g
            params[i] = params[i] - 0.01 * (m[i] / (1 - 0.9**step)) / (np.sqrt(v[i] / (1 - 0.99**step)) + 1e-8)
    assert np.mean(h.argmax(1) == label) > 0.9
    return [np.round(p, 6) for p in params], np.round(v[0] * 2**20, 3) / 2**20


def tensors():
    p, moments = trained()
    spoilt = p[2][:3, :33].astype(np.float32)
    spoilt[0, 1], spoilt[1, 32], spoilt[2, 0] = np.nan, np.inf, 70000
    return {
        'layers.0.kernel': p[0].astype(np.float32),
        'layers.0.bias': p[1].astype(np.float32),
        'layers.1.kernel': p[2].astype(ml_dtypes.bfloat16),
        'layers.1.bias': p[3].astype(np.float16),
        'layers.2.kernel': p[4],
        'layers.2.bias': p[5].astype(ml_dtypes.float8_e4m3fn),
        'adam.nu.layers.0.kernel': moments.astype(np.float32),
        'column': p[4][:, :1].astype(np.float32),
        'cube': p[2][:12, :34].reshape(3, 4, 34).astype(np.float32),
        'scale': np.array(0.1, np.float32),
        'spoilt': spoilt,
        'zeros': np.zeros((2, 5), np.float32),
        'empty': np.zeros((2, 0), np.float32),
        'lost': np.full(3, np.nan, np.float32),
        'step': np.array(300, np.int64),
        'mask': np.array([True, False]),
    }


def report(x, y, limit):
    """Counts and errors of y for x, both flat float64; limit broadcasts."""
    limit = np.broadcast_to(limit, x.shape)[np.isfinite(x)]
    x, y = x[np.isfinite(x)], y[np.isfinite(x)]
    over = ~np.isfinite(y)
    n = len(x)
    counts = [n, np.sum(np.abs(x) > limit), np.sum((y == 0) & (x != 0)), np.sum(over)]
    if over.any():
        return [int(c) for c in counts] + [None] * 5
    error = y - x
    noise = math.fsum(error**2)
    sqnr = 10 * math.log10(math.fsum(x**2) / noise) if noise > 0 else None
    means = [math.fsum(np.abs(error)) / n, math.sqrt(noise / n), math.fsum(error) / n]
    return [int(c) for c in counts] + [float(np.max(np.abs(error))), sqnr, *means]


def dtype_of(name):
    return np.dtype(np.float16) if name == 'float16' else np.dtype(getattr(ml_dtypes, name))


def through(x, name, dtype):
    """x cast by ml_dtypes; where it is no float32 by table search, for ml_dtypes rounds to float32 on the way."""
    library = x.astype(dtype)
    width = f'u{dtype.itemsize}'
    codes = np.where(x.astype(np.float32) == x, library.view(width), encode(x.astype(np.float64), FACTS[name]))
    return codes.astype(width).view(dtype)


def cast(x, name, scale, saturate):
    """x through the format; e8m0fnu has no sign, which is kept beside."""
    dtype = dtype_of(name)
    largest = float(ml_dtypes.finfo(dtype).max)
    quotient = x if scale == 1 else x.astype(np.float64) / np.float64(scale)
    if name == 'float8_e8m0fnu':
        quotient = np.abs(quotient)
    if saturate:
        quotient = np.clip(quotient, -largest, largest)
    y = through(quotient, name, dtype).astype(np.float32) * np.float32(scale)
    y = np.where(x < 0, -y, y) if name == 'float8_e8m0fnu' else y
    return report(x.astype(np.float64), y.astype(np.float64), largest * np.float64(scale))


def tensor_scale(amax, largest):
    """The float32 of amax / largest, or the next one up where the largest times it falls short; at least 2^-126."""
    scale = np.float32(np.float64(amax) / largest)
    if np.float64(scale) * largest < amax:
        scale = np.nextafter(scale, np.float32(np.inf))
    return max(scale, np.float32(2.0**-126))


def casts(x, amax):
    for name in FORMATS:
        info = ml_dtypes.finfo(dtype_of(name))
        yield (name, 'plain'), cast(x, name, np.float32(1), False)
        if not name.startswith(('float6', 'float4')):
            yield (name, 'saturating'), cast(x, name, np.float32(1), True)
        yield (name, 'scaled'), cast(x, name, tensor_scale(amax, float(info.max)), True)


def mx(block, element, mode):
    """(values, limit) of one block of float32 numbers."""
    amax, largest = np.max(np.abs(block)), float(element_facts(element)[0])
    e = (exponent(amax, element, mode) if amax > 0 else -127) if np.isfinite(amax) else None
    if e is None:
        return np.full(len(block), np.nan), np.nan
    e = min(max(e, -127), 127)
    assert e + 127 != NAN_SCALE
    return values_of(codes_of(block, 2.0**e, element), element) * 2.0**e, largest * 2.0**e


def nv(block, t):
    if t == 0:
        return np.zeros(len(block)), 0.0
    code, _, bits = nvfp4(block, t)
    scale = np.uint8(code).view(ml_dtypes.float8_e4m3fn).astype(np.float32)
    return bits.view(np.float32).astype(np.float64), 6 * np.float64(np.float32(t) * scale)


def in_blocks(array, size, quantise):
    """Along the last axis; rows filled up with zeros, which are not reported."""
    rows = array.reshape(-1, array.shape[-1] if array.ndim else 1)
    wide = -rows.shape[1] % size
    exact = np.pad(rows.astype(np.float64), ((0, 0), (0, wide)), constant_values=np.nan)
    blocks = np.pad(rows.astype(np.float32), ((0, 0), (0, wide))).reshape(-1, size)
    parts = [quantise(block) for block in blocks]
    limits = np.repeat([limit for _, limit in parts], size)
    return report(exact.reshape(-1), np.concatenate([values for values, _ in parts]), limits)


def block_schemes(array, amax):
    for element, scheme in MX.items():
        for mode in MODES:
            yield (scheme, mode), in_blocks(array, 32, lambda block: mx(block, element, mode))
    yield ('nvfp4', 'one level'), in_blocks(array, 16, lambda block: nv(block, np.float32(1)))
    t = np.float32(amax) / np.float32(448 * 6)
    yield ('nvfp4', 'two levels'), in_blocks(array, 16, lambda block: nv(block, t))


def weights(out):
    arrays = tensors()
    folder = out / 'files'
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'weights.safetensors').write_bytes(save(arrays, {'format': 'np'}))
    lines = []
    for name, array in arrays.items():
        wide = array.astype(np.float64 if array.dtype == np.float64 else np.float32)
        if array.dtype.kind in 'ib' or not np.isfinite(wide).any():
            continue
        amax = np.max(np.abs(wide[np.isfinite(wide)]))
        found = [*casts(wide.reshape(-1), amax), *block_schemes(wide, amax)]
        lines += [json.dumps([name, *way, *numbers]) for way, numbers in found]
    head = json.dumps({'fields': ['tensor', 'scheme', 'way', *FIELDS]})[:-1]
    (folder / 'weights.json').write_text(head + ',\n"rows": [\n' + ',\n'.join(lines) + '\n]}\n')


if __name__ == '__main__':
    run([weights])
