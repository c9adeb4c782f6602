"""Arrays as MLIR keeps them: element types by their spelling, bytes of a tensor, and values that are easy to get wrong."""

import ml_dtypes
import numpy as np

ELEMENTS = {
    'f64': np.float64, 'f32': np.float32, 'f16': np.float16, 'bf16': ml_dtypes.bfloat16,
    'f8E4M3FN': ml_dtypes.float8_e4m3fn, 'f8E5M2': ml_dtypes.float8_e5m2, 'f8E4M3': ml_dtypes.float8_e4m3,
    'f8E3M4': ml_dtypes.float8_e3m4, 'f8E4M3FNUZ': ml_dtypes.float8_e4m3fnuz, 'f8E5M2FNUZ': ml_dtypes.float8_e5m2fnuz,
    'f8E4M3B11FNUZ': ml_dtypes.float8_e4m3b11fnuz, 'f8E8M0FNU': ml_dtypes.float8_e8m0fnu,
    'f6E2M3FN': ml_dtypes.float6_e2m3fn, 'f6E3M2FN': ml_dtypes.float6_e3m2fn, 'f4E2M1FN': ml_dtypes.float4_e2m1fn,
    'i1': np.bool_, 'i2': ml_dtypes.int2, 'i4': ml_dtypes.int4, 'i8': np.int8, 'i16': np.int16, 'i32': np.int32, 'i64': np.int64,
    'ui2': ml_dtypes.uint2, 'ui4': ml_dtypes.uint4, 'ui8': np.uint8, 'ui16': np.uint16, 'ui32': np.uint32, 'ui64': np.uint64,
    'complex<f32>': np.complex64, 'complex<f64>': np.complex128,
}  # fmt: skip
NAMES = {np.dtype(dtype): name for name, dtype in ELEMENTS.items()}
FLOATS = ['f64', 'f32', 'f16', 'bf16']
FLOATS8 = ['f8E4M3FN', 'f8E5M2', 'f8E4M3FNUZ', 'f8E5M2FNUZ', 'f8E4M3B11FNUZ', 'f8E4M3', 'f8E3M4', 'f8E8M0FNU']
SIGNED = ['i64', 'i32', 'i16', 'i8', 'i4', 'i2']
UNSIGNED = ['ui64', 'ui32', 'ui16', 'ui8', 'ui4', 'ui2']
INTEGERS = SIGNED + UNSIGNED
COMPLEX = ['complex<f32>', 'complex<f64>']


def is_wide(name):
    """Whether JAX has the element type in its 64-bit mode only."""
    return name in ('f64', 'i64', 'ui64', 'complex<f64>')


def type_of(array):
    """tensor<2x3xbf16>."""
    return f'tensor<{"".join(f"{n}x" for n in array.shape)}{NAMES[array.dtype]}>'


def bytes_of(array):
    """Little-endian, row-major; an element of less than 8 bits takes a byte, its upper bits 0."""
    array = np.ascontiguousarray(array)
    name = NAMES[array.dtype]
    if name in ('i2', 'i4', 'ui2', 'ui4'):
        bits = int(name[-1])
        return (array.astype(np.int8).view(np.uint8) & (2**bits - 1)).tobytes()
    return array.tobytes()


def special(name, count=None):
    """Zeros, ones, halves, neighbours of 1, extremes, subnormals, Inf and NaN of a type, as far as it has them."""
    dtype = np.dtype(ELEMENTS[name])
    if name == 'i1':
        values = np.array([False, True, True, False])
    elif name in INTEGERS:
        info = ml_dtypes.iinfo(dtype)
        low, high = int(info.min), int(info.max)
        plain = [0, 1, 2, 3, 5, 7, 12, 31, 33, 63, 64, 100, 1000, -1, -2, -3, -5, -7, -12, -100, -1000]
        kept = [low, high, low + 1, high - 1, high // 2 + 1, high // 3]
        kept += [v for v in plain if low <= v <= high]
        values = np.array(list(dict.fromkeys(kept)), np.object_)
        values = np.array([int(v) for v in values], np.uint64 if name == 'ui64' else np.int64).astype(dtype)
    elif name in COMPLEX:
        parts = special('f32' if name == 'complex<f32>' else 'f64')
        picks = [(i, (5 * i + 3) % len(parts)) for i in range(len(parts))] + [(i, (7 * i + 1) % len(parts)) for i in range(len(parts))]
        values = np.empty(len(picks), dtype)
        values.real = [parts[i] for i, _ in picks]
        values.imag = [parts[j] for _, j in picks]
    else:
        info = ml_dtypes.finfo(dtype)
        eps, tiny, least, most = (float(v) for v in (info.eps, info.smallest_normal, info.smallest_subnormal, info.max))
        wanted = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.5, 0.1, -0.3, 7.25, -7.25, 100.7, -3.1415927, 0.7853982, 1e-3]
        wanted += [1 + eps, 1 - eps / 2, tiny, -tiny, least, -least, tiny - least, most, -most, most / 2, 11.3, -17.0, 88.7, 1e4]
        wanted += [float('inf'), -float('inf'), float('nan')]
        with np.errstate(all='ignore'):
            values = np.array(wanted, np.float64).astype(dtype)
    return values if count is None else np.resize(values, count)


def ordinary(name, shape, seed, scale=2.0):
    """Numbers without surprises: normal draws, integers all over the range, truth values."""
    draw = np.random.default_rng(seed)
    dtype = np.dtype(ELEMENTS[name])
    if name == 'i1':
        return draw.random(shape) < 0.5
    if name in INTEGERS:
        low, high = (int(v) for v in (ml_dtypes.iinfo(dtype).min, ml_dtypes.iinfo(dtype).max))
        return draw.integers(low, high, shape, np.uint64 if name == 'ui64' else np.int64, endpoint=True).astype(dtype)
    if name in COMPLEX:
        return (draw.normal(0, scale, shape) + 1j * draw.normal(0, scale, shape)).astype(dtype)
    return draw.normal(0, scale, shape).astype(dtype)


def pairs(name, count=14):
    """Two arrays that hold every pair of some special values, and as many ordinary ones."""
    values = special(name)
    values = values[np.linspace(0, len(values) - 1, min(count, len(values))).astype(int)] if name not in FLOATS else values[PICKED]
    left, right = np.repeat(values, len(values)), np.tile(values, len(values))
    return (
        np.concatenate([left, ordinary(name, 28, 11)]),
        np.concatenate([right, ordinary(name, 28, 12)]),
    )


# Of a float's special values those whose pairs differ: both zeros, 1, a half, a fraction, a whole number, extremes, Inf, NaN.
PICKED = [0, 1, 2, 3, 4, 9, 11, 20, 22, 25, 26, 32, 33, 34]
