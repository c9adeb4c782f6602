"""Answer keys of integers of 2 to 64 bits, by JAX 0.10.2 on the CPU with 64-bit types, and by Python's integers.

    python scripts/golden/integers.py            writes test/golden/tensor/integers.json and .bin; twenty seconds
    python scripts/golden/integers.py --check    compares bytes instead

`arithmetic` of every dtype: operands `DTYPE a` and `DTYPE b` and a column for each operation of lax: all pairs of up to 4 bits;
above 8 bits drawn ones with the edges. Of 8 bits all 65,536 pairs, of which the sha256 of each operation's results is kept.
`casts`: `DTYPE` and a column `DTYPE to OTHER`. Columns hold the bits of elements, 2- and 4-bit integers in a byte.

Integers become floats by Python's integers, rounded once, since XLA goes through float32 for some; XLA's population_count of int4
counts copies of the sign and is Python's too. pow is Python's, exponents `b` taken modulo a power of 2.
"""

import hashlib

import jax
import ml_dtypes
import numpy as np
from jax import lax
from support.checks import expect
from support.columnfile import run, write_columns

jax.config.update('jax_platforms', 'cpu')
jax.config.update('jax_enable_x64', True)

WIDTHS = (2, 4, 8, 16, 32, 64)
INTEGERS = [f'{kind}{width}' for kind in ('int', 'uint') for width in WIDTHS]
FLOATS = {'float64': 53, 'float32': 24, 'bfloat16': 8, 'float16': 11, 'float8_e4m3fn': 4}
DRAWN = 300
BINARY = {
    'add': lax.add, 'sub': lax.sub, 'mul': lax.mul, 'truncDiv': lax.div, 'rem': lax.rem,
    'minimum': lax.min, 'maximum': lax.max,
    'bitwiseAnd': lax.bitwise_and, 'bitwiseOr': lax.bitwise_or, 'bitwiseXor': lax.bitwise_xor,
    'leftShift': lax.shift_left, 'rightShiftArithmetic': lax.shift_right_arithmetic,
    'rightShiftLogical': lax.shift_right_logical,
    'equal': lax.eq, 'less': lax.lt, 'lessEqual': lax.le,
}
UNARY = {
    'neg': lax.neg, 'sign': lax.sign, 'bitwiseNot': lax.bitwise_not,
    'populationCount': lax.population_count, 'countLeadingZeros': lax.clz,
}


def numpy_dtype(name):
    return np.dtype(getattr(ml_dtypes, name)) if hasattr(ml_dtypes, name) else np.dtype(name)


def bits_of(name):
    return 1 if name == 'bool' else int(''.join(c for c in name.split('_')[0] if c.isdigit()))


def unsigned(values, name):
    """The bits of elements in the smallest unsigned integers that hold them."""
    values = np.ascontiguousarray(values)
    if name == 'bool':
        return values.astype(np.uint8)
    if bits_of(name) < 8:
        return (values.astype(np.int64) & (2 ** bits_of(name) - 1)).astype(np.uint8)
    return values.view(f'u{values.dtype.itemsize}')


def whole(codes, name):
    """Python's integers of bit patterns."""
    width = bits_of(name)
    signed = name.startswith('int')
    return [c - 2**width if signed and c >= 2 ** (width - 1) else c for c in map(int, codes)]


def array_of(integers, name):
    return np.array(integers, dtype=object).astype(numpy_dtype(name))


def operands(name, draw):
    width = bits_of(name)
    if width <= 8:
        pairs = np.arange(2 ** (2 * width), dtype=np.uint64)
        return [int(p) >> width for p in pairs], [int(p) % 2**width for p in pairs]
    top = 2**width
    edges = [0, 1, 2, top - 1, top - 2, top // 2, top // 2 - 1, top // 2 + 1, width - 1, width, width + 1]
    a = [e for e in edges for _ in edges]
    b = [e for _ in edges for e in edges]
    for _ in range(DRAWN):
        a.append(int(draw.integers(0, top, dtype=np.uint64, endpoint=False) if width < 64 else draw.bit_generator.random_raw()))
        shift = int(draw.integers(0, width))
        b.append(int(draw.bit_generator.random_raw()) % top >> shift)
    return a, b


def popcount(codes):
    return [c.bit_count() for c in codes]


def arithmetic(columns, hashes, draw):
    for name in INTEGERS:
        width = bits_of(name)
        codes_a, codes_b = operands(name, draw)
        a, b = (array_of(whole(codes, name), name) for codes in (codes_a, codes_b))
        results = {op: unsigned(np.asarray(f(a, b)), 'bool' if f in (lax.eq, lax.lt, lax.le) else name) for op, f in BINARY.items()}
        results |= {op: unsigned(np.asarray(f(a)), name) for op, f in UNARY.items()}
        counts = unsigned(array_of([c % 2**width for c in popcount(codes_a)], f'uint{width}'), f'uint{width}')
        expect(np.array_equal(counts, results['populationCount']) or name == 'int4', f'{name}: population_count')
        results['populationCount'] = counts
        if width >= 8 and name.startswith('int'):
            results['abs'] = unsigned(np.asarray(lax.abs(a)), name)
        exponents = min(7, 2 ** (width - 1) - 1)
        powers = [pow(x, c & exponents, 2**width) for x, c in zip(whole(codes_a, name), codes_b)]
        results['pow'] = unsigned(array_of(powers, f'uint{width}'), f'uint{width}')
        if width == 8:
            hashes[name] = {op: hashlib.sha256(values.tobytes()).hexdigest() for op, values in results.items()}
            continue
        columns[f'{name} a'], columns[f'{name} b'] = unsigned(a, name), unsigned(b, name)
        columns |= {f'{name} {op}': values for op, values in results.items()}


def to_float(value, precision):
    """The number nearest to an integer, ties to even, of so many bits: exact as float64 up to 53."""
    shift = max(0, abs(value).bit_length() - precision)
    kept, rest = abs(value) >> shift, abs(value) & ((1 << shift) - 1)
    if shift and (rest > 1 << shift - 1 or (rest == 1 << shift - 1 and kept & 1)):
        kept += 1
    return float((kept << shift) * (1 if value >= 0 else -1))


def sources(name, draw):
    if name == 'bool':
        return np.array([False, True])
    if name in INTEGERS:
        width = bits_of(name)
        if width <= 8:
            return array_of(whole(range(2**width), name), name)
        near = [2**p + d for p in (8, 11, 24, 25, 53, 54, 63) for d in (-1, 0, 1, 2, 3)] + [2**63 + 2**39, 2**63 + 2**39 + 1, 2**62 + 2**54 + 1]
        drawn = [int(draw.bit_generator.random_raw()) >> int(draw.integers(0, 64)) for _ in range(60)]
        codes = [v % 2**width for v in near + [-v for v in near] + drawn]
        return array_of(whole(codes, name), name)
    wide = [0.0, -0.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 0.999, -0.999, 1.5, 2.5, 127.5, 128, -128.5, -129, 255.5, 256, 7.5, 8, -8.5, -9]
    wide += [float(2**p) * s for p in (15, 16, 31, 32, 53, 62, 63, 64, 65) for s in (1, -1, 1 - 2**-20, -1 + 2**-20)]
    wide += list(draw.normal(size=40) * 2.0 ** draw.integers(-2, 66, size=40))
    with np.errstate(all='ignore'):
        return np.array(wide).astype(numpy_dtype(name))


def casts(columns, draw):
    every = [*INTEGERS, 'bool', *FLOATS]
    for name in every:
        x = sources(name, draw)
        columns[name] = unsigned(x, name)
        for other in every:
            if name in FLOATS and other in FLOATS:
                continue
            if name in INTEGERS and other in FLOATS:
                with np.errstate(all='ignore'):
                    y = np.array([to_float(v, FLOATS[other]) for v in whole(unsigned(x, name), name)]).astype(numpy_dtype(other))
            else:
                y = np.asarray(lax.convert_element_type(x, numpy_dtype(other)))
            columns[f'{name} to {other}'] = unsigned(y, other)


def integer_keys(out):
    draw = np.random.default_rng(33)
    columns, hashes, converted = {}, {}, {}
    arithmetic(columns, hashes, draw)
    casts(converted, draw)
    write_columns(out, 'tensor/integers', columns, {'hashes': hashes})
    write_columns(out, 'tensor/integer_casts', converted, {})


if __name__ == '__main__':
    run([integer_keys])
