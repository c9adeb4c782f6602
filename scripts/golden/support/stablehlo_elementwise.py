"""Programs of one operation that acts element by element, in every type that it takes."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from support.stablehlo_programs import EXACT, Program, scale, ulps
from support.stablehlo_values import (
    COMPLEX, ELEMENTS, FLOATS, FLOATS8, INTEGERS, NAMES, SIGNED, is_wide, ordinary, pairs, special,
)  # fmt: skip

LIBM = 'glibc in float64 is within an ulp of the exact result'
LOWERED = 'the lowering of chlo is a polynomial in float32 or float64'


def programs():
    yield from arithmetic()
    yield from functions()
    yield from special_functions()
    yield from bits()
    yield from complex_numbers()
    yield from conversions()
    yield from choices()


def one(name, function, elements):
    for element in elements:
        yield of(name, function, element, [special(element)])


def two(name, function, elements):
    for element in elements:
        yield of(name, function, element, list(pairs(element)))


# Operations of types that jax.lax does not take, though the specification does: written out, under the specification's names.
WRITTEN = {
    'neg': 'negate', 'sub': 'subtract', 'mul': 'multiply', 'div': 'divide', 'rem': 'remainder', 'max': 'maximum', 'min': 'minimum',
    'population_count': 'popcnt', 'clz': 'count_leading_zeros',
}  # fmt: skip
SMALL = ('i4', 'ui4', 'i2', 'ui2', *FLOATS8)


def of(name, function, element, arguments, **more):
    if element not in SMALL:
        return Program(f'{name} {element}', function, arguments, wide=is_wide(element), **more)
    return Program(f'{name} {element}', None, arguments, text=written(name, element, arguments), **more)


def written(name, element, arguments):
    shape = f'tensor<{len(arguments[-1])}x'
    kinds = [f'{shape}{NAMES[a.dtype]}>' for a in arguments]
    given = ', '.join(f'%arg{i}' for i in range(len(arguments)))
    head = ', '.join(f'%arg{i}: {kind}' for i, kind in enumerate(kinds))
    result = f'{shape}{element}>'
    if name == 'compare':
        shown = f'{shape}i1>'
        kind = 'FLOAT' if element.startswith('f') else 'UNSIGNED' if element.startswith('ui') else 'SIGNED'
        directions = enumerate(['EQ', 'NE', 'LT', 'LE', 'GT', 'GE'])
        lines = [f'  %{i} = stablehlo.compare {d}, {given}, {kind} : ({kinds[0]}, {kinds[1]}) -> {shown}' for i, d in directions]
        results = [shown] * 6
    else:
        types = f'{kinds[0]}, {result}' if name == 'select' else result
        lines = [f'  %0 = stablehlo.{WRITTEN.get(name, name)} {given} : {types}']
        results = [result]
    body = '\n'.join(lines)
    back = ', '.join(f'%{i}' for i in range(len(results)))
    shown = ', '.join(results)
    return f'func.func @main({head}) -> ({shown}) {{\n{body}\n  return {back} : {shown}\n}}\n'


def arithmetic():
    every = FLOATS + FLOATS8[:2] + INTEGERS
    yield from one('abs', lax.abs, FLOATS + FLOATS8[:1] + SIGNED)
    yield from one('neg', lax.neg, FLOATS + FLOATS8[:1] + INTEGERS + COMPLEX)
    yield from one('sign', lax.sign, FLOATS + FLOATS8[:1] + SIGNED)
    yield from one('square', lax.square, FLOATS + ['i32', 'ui8'])
    yield from one('floor', lax.floor, FLOATS)
    yield from one('ceil', lax.ceil, FLOATS)
    yield from one('round afz', lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), FLOATS)
    yield from one('round even', lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), FLOATS)
    yield from one('is_finite', lax.is_finite, FLOATS)
    yield from one('integer_pow 3', lambda x: lax.integer_pow(x, 3), FLOATS + ['i32', 'ui16'])
    yield from one('integer_pow -2', lambda x: lax.integer_pow(x, -2), FLOATS)
    yield from two('add', lax.add, every + COMPLEX)
    yield from two('sub', lax.sub, every + COMPLEX)
    yield from two('mul', lax.mul, every)
    yield from two('div', lax.div, FLOATS + FLOATS8[:2])
    yield from two('rem', lax.rem, FLOATS)
    yield from two('max', lax.max, every)
    yield from two('min', lax.min, every)
    for element in INTEGERS:
        left, right = pairs(element)
        right = np.where(right == 0, np.ones_like(right), right)
        low = ml_dtypes.iinfo(right.dtype).min
        keep = ~((left == low) & (right == np.array(-1).astype(right.dtype))) if element in SIGNED else right != 0
        given = [left[keep], right[keep]]
        yield of('div', lax.div, element, given)
        yield of('rem', lax.rem, element, given)

    def comparisons(a, b):
        return [lax.eq(a, b), lax.ne(a, b), lax.lt(a, b), lax.le(a, b), lax.gt(a, b), lax.ge(a, b)]

    yield from two('compare', comparisons, FLOATS + FLOATS8[:1] + INTEGERS + ['i1'])
    yield from two('compare', lambda a, b: [lax.eq(a, b), lax.ne(a, b)], COMPLEX)


def functions():
    """What the interpreter computes in float64 and rounds once: exact in the narrower types, but for a near tie."""
    unary = {
        'exp': lax.exp, 'exp2': lax.exp2, 'expm1': lax.expm1, 'log': lax.log, 'log1p': lax.log1p, 'logistic': lax.logistic,
        'sin': lax.sin, 'cos': lax.cos, 'tan': lax.tan, 'tanh': lax.tanh, 'sqrt': lax.sqrt, 'rsqrt': lax.rsqrt, 'cbrt': lax.cbrt,
    }  # fmt: skip
    for name, function in unary.items():
        for element in FLOATS:
            steps = 2 if name in ('rsqrt', 'logistic', 'exp2') else 1
            reason = 'several operations in float64' if steps == 2 else LIBM
            oracle = ulps(steps, reason) if element == 'f64' and name != 'sqrt' else EXACT
            if name == 'exp2' and element != 'f64':
                oracle = ulps(2 if element != 'f32' else 130, 'exp(x log 2) with both factors rounded to the type')
            yield Program(f'{name} {element}', function, [special(element)], {'interpreter': oracle}, wide=is_wide(element))
    for name, function in {'pow': lax.pow, 'atan2': lax.atan2}.items():
        for element in FLOATS:
            oracle = ulps(1, LIBM) if element == 'f64' else EXACT
            yield Program(f'{name} {element}', function, list(pairs(element)), {'interpreter': oracle}, wide=is_wide(element))
    for element in ['i64', 'i32', 'i8', 'ui8', 'ui32']:
        left, right = pairs(element)
        given = [left, np.abs(right) % np.array(7, right.dtype)]
        yield Program(f'pow {element}', None, given, text=written('power', element, given))


def special_functions():
    chlo = {
        'erf': lax.erf, 'erfc': lax.erfc, 'erf_inv': lax.erf_inv, 'lgamma': lax.lgamma, 'digamma': lax.digamma,
        'sinh': lax.sinh, 'cosh': lax.cosh, 'asin': lax.asin, 'acos': lax.acos, 'atan': lax.atan,
        'asinh': lax.asinh, 'acosh': lax.acosh, 'atanh': lax.atanh, 'bessel_i1e': lax.bessel_i1e,
    }  # fmt: skip
    loose = {'digamma': 64, 'erf': 32, 'erf_inv': 16, 'erfc': 32, 'bessel_i1e': 16, 'acosh': 8, 'asinh': 8, 'cosh': 32, 'sinh': 32}
    for name, function in chlo.items():
        for element in ['f64', 'f32', 'bf16'] if name in ('erf', 'erfc', 'lgamma') else ['f32', 'bf16']:
            count = loose.get(name, 4) if element != 'bf16' else 2
            # Beside the zeros of lgamma at 1 and 2 the polynomial has an absolute error.
            values = special(element)[[0, 1, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 17, 25, 28, 31, 32, 33, 34]] if name == 'lgamma' else special(element)
            oracle = ulps(256 if name == 'lgamma' and element != 'bf16' else count, LOWERED)
            yield Program(f'{name} {element}', function, [values], {'interpreter': oracle}, wide=is_wide(element))
    for element in FLOATS:
        yield Program(f'nextafter {element}', lax.nextafter, list(pairs(element)), wide=is_wide(element))
    positive = np.abs(ordinary('f32', 24, 21)) + np.float32(0.1)
    unit = np.linspace(0.02, 0.98, 24, dtype=np.float32)
    several = 'a series or a continued fraction in float32: a loop over many operations'
    for name, function, given in [
        ('igamma f32', lax.igamma, [positive, positive[::-1].copy()]),
        ('igammac f32', lax.igammac, [positive, positive[::-1].copy()]),
        ('betainc f32', lax.betainc, [positive, positive[::-1].copy(), unit]),
        ('zeta f32', lax.zeta, [positive + 1, positive[::-1].copy()]),
        ('polygamma f32', lax.polygamma, [np.floor(positive), positive[::-1].copy()]),
        ('bessel_i0e f32', lax.bessel_i0e, [special('f32')]),
    ]:
        yield Program(name, function, given, {'interpreter': ulps(256, several)})


def bits():
    yield from one('not', lax.bitwise_not, INTEGERS + ['i1'])
    for name, function in {'and': lax.bitwise_and, 'or': lax.bitwise_or, 'xor': lax.bitwise_xor}.items():
        yield from two(name, function, INTEGERS + ['i1'])
    shifts = {'shift_left': lax.shift_left, 'shift_right_arithmetic': lax.shift_right_arithmetic, 'shift_right_logical': lax.shift_right_logical}
    for name, function in shifts.items():
        yield from two(name, function, INTEGERS)
    yield from one('population_count', lax.population_count, ['i64', 'i32', 'i16', 'i8', 'ui64', 'ui32', 'ui16', 'ui8'])
    yield from one('clz', lax.clz, ['i64', 'i32', 'i16', 'i8', 'ui64', 'ui32', 'ui16', 'ui8'])
    same = {'f64': 'i64', 'f32': 'i32', 'f16': 'i16', 'bf16': 'ui16', 'f8E4M3FN': 'i8', 'f8E5M2': 'ui8'}
    for source, target in same.items():
        dtype = np.dtype(ELEMENTS[target])
        yield Program(f'bitcast {source} {target}', lambda x, d=dtype: lax.bitcast_convert_type(x, d), [special(source)], wide=is_wide(source))
        back = np.dtype(ELEMENTS[source])
        yield Program(
            f'bitcast {target} {source}', lambda x, d=back: lax.bitcast_convert_type(x, d), [ordinary(target, 24, 31)], wide=is_wide(source)
        )
    yield Program('bitcast i32 i8 narrower', lambda x: lax.bitcast_convert_type(x, np.int8), [special('i32')])
    yield Program('bitcast ui8 f32 wider', lambda x: lax.bitcast_convert_type(x, np.float32), [ordinary('ui8', (6, 4), 32)])
    yield Program('bitcast f32 bf16 narrower', lambda x: lax.bitcast_convert_type(x, jnp.bfloat16), [special('f32')])


def complex_numbers():
    part = {'complex<f32>': 'f32', 'complex<f64>': 'f64'}
    products = 'an implementation may scale; the interpreter multiplies and divides by the textbook or by C++'
    for element in COMPLEX:
        wide = is_wide(element)
        x, y = ordinary(element, 24, 41), ordinary(element, 24, 42)
        floats = list(pairs(part[element]))
        steps = {'interpreter': scale(8, products)}
        yield Program(f'real imag conj {element}', lambda x: [lax.real(x), lax.imag(x), lax.conj(x)], [special(element)], wide=wide)
        yield Program(f'complex {element}', lax.complex, floats, wide=wide)
        yield Program(f'mul {element}', lax.mul, [x, y], steps, wide=wide)
        yield Program(f'div {element}', lax.div, [x, y], steps, wide=wide)
        unary = {
            'abs': lax.abs, 'sign': lax.sign, 'exp': lax.exp, 'log': lax.log, 'sqrt': lax.sqrt, 'rsqrt': lax.rsqrt, 'sin': lax.sin,
            'cos': lax.cos, 'tan': lax.tan, 'tanh': lax.tanh, 'expm1': lax.expm1, 'log1p': lax.log1p, 'logistic': lax.logistic,
        }  # fmt: skip
        for name, function in unary.items():
            yield Program(f'{name} {element}', function, [x], {'interpreter': scale(16, 'complex functions of C++')}, wide=wide)
        yield Program(f'pow {element}', lax.pow, [x, y], {'interpreter': scale(64, 'exp(y log x) of C++')}, wide=wide)
        yield Program(f'atan2 asin acos {element}', lambda x: [jnp.arcsin(x), jnp.arccos(x), jnp.arctan(x)], [x],
                      {'interpreter': scale(64, LOWERED)}, wide=wide)  # fmt: skip


def conversions():
    """From each type to each: floats to integers only within range, where the specification has one answer."""
    narrow = ['f6E2M3FN', 'f6E3M2FN', 'f4E2M1FN']
    for source in FLOATS + FLOATS8 + narrow:
        for target in FLOATS + FLOATS8[:5] + (FLOATS8[5:] + narrow if source in ('f32', 'bf16') else []):
            if source != target and (source in FLOATS or target in FLOATS[1:]):
                yield cast(source, target, held(source, target))
    for source in ['f64', 'f32', 'bf16', 'f16']:
        for target in ['i64', 'i32', 'i8', 'i4', 'ui64', 'ui32', 'ui8', 'i1']:
            values = special(source)
            with np.errstate(all='ignore'):
                numbers = np.nan_to_num(values.astype(np.float64), posinf=0, neginf=0)
            low, high = (0, 1) if target == 'i1' else (float(v) for v in (ml_dtypes.iinfo(ELEMENTS[target]).min, ml_dtypes.iinfo(ELEMENTS[target]).max))
            kept = values if target == 'i1' else values[(numbers > low - 1) & (numbers < high + 1) & (numbers < 2.0**62) & np.isfinite(values.astype(np.float64))]
            yield cast(source, target, kept)
    for source in INTEGERS + ['i1']:
        targets = ['f64', 'f32', 'bf16', 'i1', 'i64', 'i32', 'i8', 'i4', 'ui64', 'ui32', 'ui8', 'ui2'] if source in ('i64', 'i32', 'i8', 'ui32') else ['f32', 'f16', 'i32', 'ui8']
        for target in targets:
            if source != target:
                yield cast(source, target, special(source))
    for source, target in [('f32', 'complex<f32>'), ('i32', 'complex<f32>'), ('complex<f64>', 'complex<f32>')]:
        yield cast(source, target, special(source))


def held(source, target):
    """Values with one answer: what has no NaN, Inf, sign or zero is not asked for them; of e8m0fnu LLVM reads no NaN."""
    values = special(source)
    numbers = values.astype(np.float64)
    if target.startswith(('f4E', 'f6E')):
        return values[np.isfinite(numbers)]
    if 'f8E8M0FNU' in (source, target):
        return values[np.isfinite(numbers) & (numbers >= 2.0**-126)]
    return values


def cast(source, target, values):
    """Written out: JAX puts clamps of its own around a cast to an integer."""
    n = len(values)
    a, b = f'tensor<{n}x{source}>', f'tensor<{n}x{target}>'
    text = f'func.func @main(%arg0: {a}) -> {b} {{\n  %0 = stablehlo.convert %arg0 : ({a}) -> {b}\n  return %0 : {b}\n}}\n'
    return Program(f'convert {source} {target}', None, [values], text=text)


def choices():
    every = FLOATS + FLOATS8[:1] + INTEGERS + ['i1', 'complex<f32>']
    for element in every:
        a, b = pairs(element)
        which = ordinary('i1', a.shape, 51)
        yield of('select', lax.select, element, [which, a, b])
    for element in FLOATS + ['i32', 'ui8', 'i4']:
        a, b = pairs(element)
        yield of('clamp', lax.clamp, element, [a, b, a[::-1].copy()])
    x = special('f32')
    yield Program('clamp scalars f32', lambda x: lax.clamp(np.float32(-1), x, np.float32(2)), [x])
    for exponent, mantissa in [(5, 10), (8, 7), (4, 3), (5, 2), (8, 23), (2, 1), (1, 0)]:
        for element in ['f32', 'f64', 'bf16'] if mantissa <= 7 else ['f32', 'f64']:
            yield Program(
                f'reduce_precision e{exponent}m{mantissa} {element}',
                lambda x, e=exponent, m=mantissa: lax.reduce_precision(x, e, m), [special(element)[: None if mantissa else -1]], wide=is_wide(element),
            )  # fmt: skip
    whole = {'where nan': lambda x: jnp.where(jnp.isnan(x), 0, x), 'nan_to_num': jnp.nan_to_num, 'sinc': jnp.sinc, 'softplus': jax.nn.softplus,
             'gelu': jax.nn.gelu, 'silu': jax.nn.silu, 'softmax': jax.nn.softmax, 'logsumexp': jax.nn.logsumexp, 'log_softmax': jax.nn.log_softmax}  # fmt: skip
    for name, function in whole.items():
        for element in ['f32', 'bf16']:
            values = special(element) if name in ('where nan', 'nan_to_num') else ordinary(element, 32, 52)
            oracle = EXACT if name in ('where nan', 'nan_to_num') else scale(16, 'several functions and a sum')
            yield Program(f'jnp {name} {element}', function, [values], {'interpreter': oracle})
