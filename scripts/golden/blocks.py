"""Regenerates the answer keys of block quantisation in test/golden/formats: mx_* and nvfp4_*.

    python scripts/golden/blocks.py            writes them in place
    python scripts/golden/blocks.py --check    compares bytes with the stored ones instead, exit 1 if any differ

The inputs were drawn once and are read from the stored keys; scales and codes are computed here. Powers of two are
found with Fractions, elements by table search (support/lowprecision.py) and, for the float formats, again by ml_dtypes.
"""

from fractions import Fraction

import ml_dtypes
import numpy as np
from support.checks import expect
from support.columnfile import read_columns, run, write_columns
from support.lowprecision import FORMATS, encode

np.seterr(invalid='ignore', over='ignore', under='ignore', divide='ignore')
MODES = ('floor', 'rceil', 'ceil', 'even')
ELEMENTS = ('float8_e4m3fn', 'float8_e5m2', 'float6_e2m3fn', 'float6_e3m2fn', 'float4_e2m1fn', 'int8')
NAN = np.uint32(0x7FC00000)
NAN_SCALE = 255
E2M1, E4M3 = FORMATS['float4_e2m1fn'], FORMATS['float8_e4m3fn']


def floor_log2(x):
    """floor(log2 x) of a positive Fraction, by trying powers."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    while Fraction(2) ** e > x:
        e -= 1
    while Fraction(2) ** (e + 1) <= x:
        e += 1
    return e


def ceil_log2(x):
    e = floor_log2(x)
    return e if Fraction(2) ** e == x else e + 1


def fraction(x):
    return Fraction(float(x))


def element_facts(name):
    """(largest value, its floor(log2), mantissa bits)"""
    if name == 'int8':
        return Fraction(127, 64), 0, 6
    f = FORMATS[name]
    largest = fraction(f.magnitude(f.max_code))
    return largest, floor_log2(largest), f.mantissa_bits


def exponent(amax, name, mode):
    """The block's exponent from the float32 of its largest magnitude; None where torchao makes it NaN."""
    largest, emax, mantissa_bits = element_facts(name)
    if mode == 'floor':
        return floor_log2(fraction(amax)) - emax
    if mode == 'ceil':
        return ceil_log2(fraction(amax)) - emax
    if mode == 'rceil':
        quotient = np.float32(amax * np.float32(np.float64(1) / np.float64(float(largest))))
        return ceil_log2(fraction(quotient)) if quotient > 0 else -127
    bits = int(np.float32(amax).view(np.uint32)) + (1 << 22 - mantissa_bits) >> 23
    if bits == 255:
        return None if name != 'int8' else 128 - emax
    return bits - 127 - emax if bits else -127


def codes_of(values, scale, name):
    """Element codes of float32 values over a scale: float64 holds the quotients exactly."""
    quotients = values.astype(np.float64) / scale
    if name == 'int8':
        return np.clip(np.rint(quotients * 64), -127, 127).astype(np.int8).view(np.uint8)
    f = FORMATS[name]
    codes = encode(quotients, f, saturate=True)
    largest = f.magnitude(f.max_code)
    # The quotient may be no float32, but only below 2^-126, where every element format has zero.
    library = np.clip(quotients, -largest, largest).astype(np.float32).astype(getattr(ml_dtypes, name))
    expect(codes == library.view(np.uint8), f'{name}: table search equals ml_dtypes')
    return codes


def values_of(codes, name):
    return codes.view(np.int8) / 64 if name == 'int8' else FORMATS[name].values()[codes]


def mx_keys(out):
    stored, facts = read_columns('formats/mx_inputs')
    write_columns(out, 'formats/mx_inputs', stored, facts)
    blocks = stored['input_f32'].view(np.float32).reshape(-1, facts['k'])
    for name in ELEMENTS:
        largest, emax, mantissa_bits = element_facts(name)
        filler = 0x7F if name.startswith('float8') else 0
        columns, overflowing, differing = {}, [], []
        for mode in MODES:
            scales = np.zeros(len(blocks), np.uint8)
            codes = np.full(blocks.shape, filler, np.uint8)
            dequantised = np.full(blocks.shape, NAN, np.uint32)
            for i, block in enumerate(blocks):
                amax = np.max(np.abs(block))
                if not np.isfinite(amax):
                    scales[i] = NAN_SCALE
                    continue
                e = exponent(amax, name, mode) if amax > 0 else -127
                if mode == 'even' and (e is None or e + emax == 128):
                    overflowing.append(i)
                if mode == 'rceil' and amax > 0 and e != ceil_log2(fraction(amax) / largest) and e > -127:
                    differing.append(i)
                if e is None:
                    scales[i] = NAN_SCALE
                    continue
                e = min(max(e, -127), 127)
                scales[i] = e + 127
                codes[i] = codes_of(block, 2.0**e, name)
                dequantised[i] = (values_of(codes[i], name) * 2.0**e).astype(np.float32).view(np.uint32)
                if name == 'int8':  # a byte has no negative zero
                    expect(dequantised[i][codes[i] == 0] == 0, 'int8 zeros are +0')
            columns |= {
                f'scale_{mode}': scales,
                f'code_{mode}': codes.reshape(-1),
                f'dequant_f32_{mode}': dequantised.reshape(-1),
            }
        write_columns(out, f'formats/mx_{name}', columns, {
            'element': name,
            'emax': emax,
            'mantissa_bits': mantissa_bits,
            'max': str(largest),
            'blocks_where_even_overflows_float32': overflowing,
            'blocks_where_rceil_differs_from_exact_quotient': differing,
        })


def nvfp4(block, t):
    """(scale code, element codes, float32 bits) of one block: float32 steps, in NumPy's float32."""
    amax, six = np.max(np.abs(block)), np.float32(6)
    if np.isnan(amax):
        return E4M3.nan, np.zeros(len(block), np.uint8), np.full(len(block), NAN)
    quotient = np.clip(amax / six / t, np.float32(2.0**-6), np.float32(448))
    code = int(encode(quotient.astype(np.float64), E4M3))
    expect(code == int(quotient.astype(ml_dtypes.float8_e4m3fn).view(np.uint8)), 'the scale equals ml_dtypes')
    scale = np.float32(E4M3.value(code))
    products = np.clip(block * (np.float32(1) / t / scale), -six, six)
    codes = encode(products.astype(np.float64), E2M1)
    expect(codes == products.astype(ml_dtypes.float4_e2m1fn).view(np.uint8), 'elements equal ml_dtypes')
    return code, codes, (E2M1.values().astype(np.float32)[codes] * (t * scale)).view(np.uint32)


def nvfp4_columns(blocks, tensor_scales):
    parts = [nvfp4(block, t) for block, t in zip(blocks, tensor_scales)]
    return {
        'scale_e4m3fn': np.array([code for code, _, _ in parts], np.uint8),
        'code_e2m1': np.concatenate([codes for _, codes, _ in parts]),
        'dequant_f32': np.concatenate([bits for _, _, bits in parts]),
    }


def nvfp4_keys(out):
    stored, facts = read_columns('formats/nvfp4_single_level')
    bits = stored['input_f32']
    inputs, mx_facts = read_columns('formats/mx_inputs')
    expect(bits == inputs['input_f32'].reshape(-1, mx_facts['k'])[:, : facts['k']].reshape(-1), 'first halves of mx_inputs')
    blocks = bits.view(np.float32).reshape(-1, facts['k'])
    columns = nvfp4_columns(blocks, np.ones(len(blocks), np.float32))
    write_columns(out, 'formats/nvfp4_single_level', {'input_f32': bits} | columns, facts)

    stored, facts = read_columns('formats/nvfp4_two_level')
    bits, per_tensor = stored['input_f32'], facts['blocks_per_tensor']
    blocks = bits.view(np.float32).reshape(-1, facts['k'])
    tensors = blocks.reshape(facts['tensors'], -1)
    scales = np.max(np.abs(tensors), axis=1) / np.float32(448 * 6)
    columns = nvfp4_columns(blocks, np.repeat(scales, per_tensor))
    head = {'input_f32': bits, 'tensor_scale_f32': scales.view(np.uint32)}
    write_columns(out, 'formats/nvfp4_two_level', head | columns, facts)


if __name__ == '__main__':
    run([mx_keys, nvfp4_keys])
