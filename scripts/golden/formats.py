"""Regenerates the answer keys of test/golden/formats, the unary tables apart (unary.py makes those).

    python scripts/golden/formats.py            writes them in place
    python scripts/golden/formats.py --check    compares bytes with the stored ones instead, exit 1 if any differ

Inputs that were drawn or sampled are read from the stored keys; every result is computed here, by table search
(support/lowprecision.py), and held against integers (support/exact.py), ml_dtypes, NumPy or SoftFloat.
"""

import json
from fractions import Fraction

import ml_dtypes
import numpy as np
import softfloatpy
from softfloatpy import RoundingMode
from support.checks import expect
from support.columnfile import STORED, read_columns, run, write_columns, write_text
from support.exact import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, add_rounded, round_float, sum_exact
from support.lowprecision import FORMATS, MODES, encode, encode_float32_bits

np.seterr(invalid='ignore', over='ignore', under='ignore')
LISTED_NANS = 8  # formats with more NaN codes give their count and rule
BF16_NAN = np.uint16(BFLOAT16.nan)


def library_dtype(f):
    return np.dtype(np.float16) if f is FLOAT16 else np.dtype(getattr(ml_dtypes, f.name))


def float64_hex(x):
    return format(0x7FF8000000000000 if x != x else int(np.float64(x).view(np.uint64)), '016x')


def decode_keys(out):
    """decode.json: facts and values by definition; decode_bfloat16, decode_float16: every code as float32."""
    formats = {}
    for name, f in FORMATS.items():
        values = f.values()
        library = np.arange(f.codes, dtype=f.dtype).view(library_dtype(f)).astype(np.float64)
        expect((values == library) & (np.signbit(values) == np.signbit(library)) | np.isnan(values) & np.isnan(library),
               f'{name}: decoded values equal the library')
        signed, largest = bool(f.sign), f.magnitude(f.max_code)
        nans = [c for c in range(f.codes) if np.isnan(values[c])]
        numbers = {
            'max': largest,
            'lowest': -largest if signed else f.magnitude(0),
            'min_normal': f.magnitude(1 << f.mantissa_bits if signed else 0),
            'min_subnormal': f.magnitude(1) if signed else None,
            'eps': 2.0**-f.mantissa_bits,
        }
        facts = {'bits': f.bits, 'exponent_bits': f.exponent_bits, 'mantissa_bits': f.mantissa_bits, 'bias': f.bias}
        facts |= numbers | {
            'has_inf': f.infinity is not None,
            'has_nan': bool(nans),
            'has_neg_zero': bool(np.any((values == 0) & np.signbit(values))),
            'has_zero': bool(np.any(values == 0)),
            'signed': signed,
            'inf_codes': [c for c in range(f.codes) if np.isinf(values[c])],
            'max_code': f.max_code,
            'canonical_nan_code': f.nan,
            'nan_codes': nans
            if len(nans) <= LISTED_NANS
            else {'count': len(nans), 'rule': f'magnitude bits > {f.infinity}'},
        }
        facts |= {f'{k}_f64': float64_hex(v) for k, v in numbers.items() if v is not None}
        if f.bits < 16:
            facts['values_f64_hex'] = [float64_hex(v) for v in values]
        else:
            bits = values.astype(np.float32).view(np.uint32)
            what = f'float32 bits of every {name} code, in code order; NaN written 7fc00000'
            column = np.where(np.isnan(values), np.uint32(0x7FC00000), bits)
            write_columns(out, f'formats/decode_{name}', {'value_f32_bits': column}, {'what': what})
        formats[name] = facts
    generator = {'numpy': np.__version__, 'ml_dtypes': ml_dtypes.__version__}
    write_text(out, 'formats/decode.json', json.dumps({'generator': generator, 'formats': formats}, indent=1))


def encode_float32_keys(out):
    """encode_f32_adversarial_*, encode_f32_random_*: nearest even as the libraries cast, and saturating."""
    random_inputs, facts = read_columns('formats/encode_f32_random_inputs')
    write_columns(out, 'formats/encode_f32_random_inputs', random_inputs, facts)
    for name, f in FORMATS.items():
        for family in ('adversarial', 'random'):
            stored, facts = read_columns(f'formats/encode_f32_{family}_{name}')
            own_inputs = {'input_f32': stored['input_f32']} if family == 'adversarial' else {}
            bits = (own_inputs or random_inputs)['input_f32']
            exact = encode_float32_bits(bits, f)
            keys = {'rne': exact, 'saturate': encode_float32_bits(bits, f, saturate=True)}
            if f is FLOAT16:
                keys = {k: float16_nan_payload(bits, codes) for k, codes in keys.items()}
            if f.kind == 'scale':  # the libraries round these subnormals up, though 2^-127 (code 00) is nearer
                raised = (bits > 0x00400000) & (bits < 0x00600000)
                keys |= {'rne': np.where(raised, 1, exact).astype(np.uint8), 'rne_exact': exact}
            cast = bits.view(np.float32).astype(library_dtype(f)).view(f.dtype)
            expect(keys['rne'] == cast, f'{name}: rne equals the library cast')
            write_columns(out, f'formats/encode_f32_{family}_{name}', own_inputs | keys, facts)


def float16_nan_payload(bits, codes):
    """NumPy keeps a float32 NaN's top ten payload bits, 1 in place of 0."""
    nan, payload = (bits & 0x7FFFFFFF) > 0x7F800000, bits >> 13 & 0x3FF
    kept = bits >> 16 & 0x8000 | 0x7C00 | np.where(payload == 0, 1, payload)
    return np.where(nan, kept, codes).astype(np.uint16)


def encode_float64_keys(out):
    """encode_f64_*: one rounding from float64, and where a detour through float32 gives another code."""
    for name in ('bfloat16', 'float16', 'float8_e4m3fn', 'float8_e5m2', 'float4_e2m1fn'):
        stored, facts = read_columns(f'formats/encode_f64_{name}')
        f, x = FORMATS[name], stored['input_f64'].view(np.float64)
        direct = encode(x, f)
        keys = {
            'input_f64': stored['input_f64'],
            'rne': direct,
            'saturate': encode(x, f, saturate=True),
            'through_f32_differs': (encode(x.astype(np.float32), f) != direct).astype(np.uint8),
        }
        if f.kind == 'ieee':
            integers = [round_float(v, f) for v in x.tolist()]
            expect((direct == integers) | np.isnan(x), f'{name}: table search equals integers')
        if f is FLOAT16:
            expect((direct == x.astype(np.float16).view(np.uint16)) | np.isnan(x), 'float16 equals the NumPy cast')
        write_columns(out, f'formats/encode_f64_{name}', keys, facts)


def rounding_mode_keys(out):
    """rounding_modes_*: six modes from float32."""
    for name in ('bfloat16', 'float16', 'float8_e5m2', 'float8_e4m3fn'):
        stored, facts = read_columns(f'formats/rounding_modes_{name}')
        f, bits = FORMATS[name], stored['input_f32']
        keys = {mode: encode_float32_bits(bits, f, mode=mode) for mode in MODES}
        if f.kind == 'ieee':
            values = bits.view(np.float32).astype(np.float64)
            for mode in MODES:
                integers = [round_float(v, f, mode) for v in values.tolist()]
                expect((keys[mode] == integers) | np.isnan(values), f'{name} {mode}: table search equals integers')
        write_columns(out, f'formats/rounding_modes_{name}', {'input_f32': bits} | keys, facts)


def softfloat_codes(kind, codes):
    size = kind.size() // 8
    return [kind.from_bytes(int(c).to_bytes(size, 'big')) for c in codes]


def softfloat_bits(results):
    return np.array([int.from_bytes(r.to_bytes(), 'big') for r in results])


def testfloat_keys(out):
    """testfloat_*: inputs and NaN results are TestFloat's own; every other result by integers and by SoftFloat."""
    stored, facts = read_columns('formats/testfloat_f32_to_bf16')
    bits = stored['input_f32']
    values, operands = bits.view(np.float32).astype(np.float64), softfloat_codes(softfloatpy.Float32, bits)
    modes = {'rne': RoundingMode.NEAR_EVEN, 'rna': RoundingMode.NEAR_MAX_MAG, 'rtz': RoundingMode.MIN_MAG,
             'rtp': RoundingMode.MAX, 'rtn': RoundingMode.MIN}
    keys = {'input_f32': bits}
    for mode in MODES:
        integers = np.array([round_float(v, BFLOAT16, mode) for v in values.tolist()], np.uint16)
        expect((integers == encode_float32_bits(bits, BFLOAT16, mode=mode)) | np.isnan(values), f'{mode}: two routes')
        if mode in modes:
            softfloatpy.set_rounding_mode(modes[mode])
            softfloat = softfloat_bits(map(softfloatpy.f32_to_bf16, operands))
            expect((integers == softfloat) | np.isnan(values), f'{mode}: integers equal SoftFloat')
        keys[mode] = np.where(np.isnan(values), with_nan(stored[mode], BFLOAT16, np.isnan(values)), integers)
    softfloatpy.set_rounding_mode(RoundingMode.NEAR_EVEN)
    write_columns(out, 'formats/testfloat_f32_to_bf16', keys, facts)

    table = FLOAT16.values()
    for op, softfloat_op in (('add', softfloatpy.f16_add), ('mul', softfloatpy.f16_mul)):
        stored, facts = read_columns(f'formats/testfloat_f16_{op}')
        a, b = table[stored['a']], table[stored['b']]
        exact = a + b if op == 'add' else a * b  # float64 holds float16 sums (41 bits) and products (22) exactly
        nan = np.isnan(exact)
        rational = [Fraction(x) + Fraction(y) if op == 'add' else Fraction(x) * Fraction(y)
                    for x, y in zip(a.tolist(), b.tolist()) if np.isfinite([x, y]).all()]
        expect(np.array(rational) == exact[np.isfinite(a) & np.isfinite(b)], f'{op}: float64 is exact')
        result = encode(exact, FLOAT16)
        operands = (softfloat_codes(softfloatpy.Float16, stored[c]) for c in 'ab')
        expect((result == softfloat_bits(map(softfloat_op, *operands))) | nan, f'{op}: equals SoftFloat')
        result = np.where(nan, with_nan(stored['result'], FLOAT16, nan), result)
        write_columns(out, f'formats/testfloat_f16_{op}', {'a': stored['a'], 'b': stored['b'], 'result': result}, facts)


def with_nan(codes, f, nan):
    """The stored codes, which have to be NaN exactly where nan says."""
    expect(((codes & (f.sign - 1)) > f.infinity) == nan, 'NaN results stand where they have to')
    return codes


def round_float32_bits(bits, spare):
    """bfloat16 codes of an array of float32 bits, every NaN canonical. Overwrites bits."""
    np.bitwise_and(bits, 0x7FFFFFFF, out=spare)
    nan = spare > 0x7F800000
    np.right_shift(bits, 16, out=spare)
    np.bitwise_and(spare, 1, out=spare)
    bits += spare
    bits += 0x7FFF
    np.right_shift(bits, 16, out=bits)
    bits[nan] = BF16_NAN
    return bits


def binary_keys(out):
    """binary_bfloat16_add, _mul: one hash per left operand over all right ones.

    float32 arithmetic then rounding is one rounding here (24 >= 2 * 8 + 2); a sample of pairs is held against
    the integers. All left operands advance together, so the 2^32 pairs take 65,536 steps of NumPy.
    """
    values = (np.arange(1 << 16, dtype=np.uint32) << 16).view(np.float32)
    result, spare = np.empty_like(values), np.empty(1 << 16, np.uint32)
    sample = np.random.default_rng(1).integers(0, 1 << 16, (2, 4096))
    for op, ufunc in (('add', np.add), ('mul', np.multiply)):
        a, b = values[sample[0]], values[sample[1]]
        got = round_float32_bits(ufunc(a, b).view(np.uint32), spare[:4096]).tolist()
        for x, y, code in zip(a.tolist(), b.tolist(), got):
            single = add_rounded(x, y, BFLOAT16) if op == 'add' else x * y  # a product of 16 bits is exact
            expect(code == round_float(single, BFLOAT16), f'{op}: float32 then bfloat16 is one rounding')
        row_hash = np.full(1 << 16, 0x811C9DC5, np.uint32)
        for right in values:
            ufunc(values, right, out=result)
            row_hash ^= round_float32_bits(result.view(np.uint32), spare)
            row_hash *= np.uint32(0x01000193)
        rule = 'h = 0x811C9DC5; for b in 0..65535: h = ((h XOR result(a,b)) * 0x01000193) mod 2^32'
        write_columns(out, f'formats/binary_bfloat16_{op}', {'row_hash': row_hash},
                      {'op': op, 'hash': rule, 'index': 'left operand code a'})


def fma_triples(count):
    """Operand codes from xorshift32; half of the addends are placed a few codes from cancelling the product."""
    state, words = 1, np.empty(2 * count, np.uint32)
    for i in range(2 * count):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        words[i] = state
    first, second = words[0::2], words[1::2]
    a, b = (first >> 16).astype(np.uint16), (first & 0xFFFF).astype(np.uint16)
    as_float = [(c.astype(np.uint32) << 16).view(np.float32) for c in (a, b)]
    product = as_float[0] * as_float[1]
    bits = np.where(np.isnan(product), np.uint32(0x7FC00000), product.view(np.uint32))
    near = ((bits >> 16 ^ 0x8000) + (second >> 1 & 7) - 4) & 0xFFFF
    return a, b, np.where(second & 1, near, second >> 16).astype(np.uint16)


def fma_keys(out):
    """binary_bfloat16_fma: 64 hashes and 4,096 triples in clear.

    The product is exact in float64; the sum is rounded to odd there (53 >= 8 + 2 bits), then to bfloat16.
    """
    rows, length = 64, 1 << 16
    a, b, c = fma_triples(rows * length)
    table = BFLOAT16.values()
    x, y = table[a] * table[b], table[c]
    total = x + y
    back = total - x
    error = (x - (total - back)) + (y - back)
    even = (total.view(np.uint64) & 1) == 0
    inexact = np.isfinite(total) & (error != 0) & even
    odd = np.where(inexact, np.nextafter(total, np.where(error > 0, np.inf, -np.inf)), total)
    codes = np.where(np.isnan(odd), BF16_NAN, encode(odd, BFLOAT16))
    for i in range(4096):
        expect(codes[i] == round_float_sum(float(x[i]), float(y[i])), 'fma equals integers')
    row_hash = np.full(rows, 0x811C9DC5, np.uint32)
    for column in codes.reshape(rows, length).T:
        row_hash = (row_hash ^ column) * np.uint32(0x01000193)
    clear = {'a': a[:4096], 'b': b[:4096], 'c': c[:4096], 'result': codes[:4096]}
    facts = {'op': 'fma', 'xorshift32_seed': 1, 'triples': rows * length, 'rows': rows, 'triples_per_row': length,
             'a_b_c_result': 'the first 4,096 triples of row 0 in clear'}
    write_columns(out, 'formats/binary_bfloat16_fma', {'row_hash': row_hash} | clear, facts)


def round_float_sum(x, y):
    return round_float(add_rounded(x, y, BFLOAT16), BFLOAT16)


def pairwise(terms):
    """Halves first, every addition rounded to float32."""
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    return add_rounded(pairwise(terms[:half]), pairwise(terms[half:]), FLOAT32)


def sequential(terms, f):
    total = 0.0
    for term in terms:
        total = add_rounded(total, term, f)
    return total


def dot_keys(out):
    """dot_bfloat16: dot products and sums in each order, by exact rationals rounded where the order says."""
    stored, facts = read_columns('formats/dot_bfloat16')
    table = BFLOAT16.values()
    columns = {name: [] for name in stored if name not in 'ab'}
    for case in facts['cases']:
        part = slice(case['offset'], case['offset'] + case['n'])
        a = table[stored['a'][part]].tolist()
        products = [x * y for x, y in zip(a, table[stored['b'][part]].tolist())]  # 16 bits: exact in float64
        for kind, terms in (('dot', products), ('sum', a)):
            f32, bf16 = ([f.value(round_float(t, f)) for t in terms] for f in (FLOAT32, BFLOAT16))
            ordered = {'seq_f32': sequential(terms, FLOAT32), 'pair_f32': pairwise(f32)}
            for order, value in ordered.items():
                columns[f'{kind}_{order}'].append(round_float(value, FLOAT32))
                columns[f'{kind}_{order}_bf16'].append(round_float(value, BFLOAT16))
            columns[f'{kind}_seq_bf16'].append(round_float(sequential(bf16, BFLOAT16), BFLOAT16))
            columns[f'{kind}_exact_bf16'].append(sum_exact(terms, BFLOAT16))
            columns[f'{kind}_exact_f64'].append(sum_exact(terms, FLOAT64))
    results = {name: np.array(codes, stored[name].dtype) for name, codes in columns.items()}
    write_columns(out, 'formats/dot_bfloat16', {'a': stored['a'], 'b': stored['b']} | results, facts)


def stochastic_keys(out):
    """stochastic.json: both neighbours and the exact probability of the one farther from zero."""
    stored = json.loads((STORED / 'formats/stochastic.json').read_text())
    for name in ('bfloat16', 'float8_e4m3fn'):
        f, rows = FORMATS[name], []
        for word, *_ in stored[name]:
            x = np.array([int(word, 16)], np.uint32)
            value = float(x.view(np.float32)[0])
            low = int(encode_float32_bits(x, f, mode='rtz')[0])
            exact = f.value(low) == value
            high = low if exact else low + 1
            ends = [Fraction(abs(f.value(c))) for c in (low, high)]
            p = Fraction(0) if exact else (Fraction(abs(value)) - ends[0]) / (ends[1] - ends[0])
            rows.append([word, low, high, str(p.numerator), str(p.denominator)])
        stored[name] = rows
    write_text(out, 'formats/stochastic.json', json.dumps(stored, indent=0))


if __name__ == '__main__':
    run(
        [
            decode_keys,
            encode_float32_keys,
            encode_float64_keys,
            rounding_mode_keys,
            testfloat_keys,
            dot_keys,
            stochastic_keys,
            fma_keys,
            binary_keys,
        ]
    )
