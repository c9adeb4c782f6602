"""Programs of one operation that moves, reduces, sorts, multiplies or convolves."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from support.stablehlo_programs import EXACT, Program, scale, ulps
from support.stablehlo_values import FLOATS, NAMES, is_wide, ordinary, special

MOVED = ['f64', 'f32', 'f16', 'bf16', 'f8E4M3FN', 'i64', 'i32', 'i8', 'ui8', 'i1', 'complex<f32>']
ORDER = 'sums in another order: n u sum |terms|, at most 64 terms here'
TREE = {'interpreter': EXACT, 'jit': scale(64, ORDER)}
ONLY_JIT = {'jit': EXACT}


def programs():
    yield from moves()
    yield from indexing()
    yield from reductions()
    yield from windows()
    yield from running()
    yield from sorting()
    yield from products()
    yield from convolutions()
    yield from transforms()
    yield from random_bits()


def each(name, function, elements, shape, seed=1, **more):
    for element in elements:
        yield Program(f'{name} {element}', function, [ordinary(element, shape, seed)], wide=is_wide(element), **more)


def moves():
    yield from each('broadcast_in_dim', lambda x: lax.broadcast_in_dim(x, (2, 3, 4), (0, 2)), MOVED, (2, 4))
    yield from each('broadcast of 1', lambda x: lax.broadcast_in_dim(x, (3, 2, 4), (1, 2)), ['f32', 'i4'], (1, 4))
    yield from each('reshape', lambda x: lax.reshape(x, (4, 6)), MOVED, (2, 3, 4))
    yield from each('reshape to a scalar', lambda x: lax.reshape(x, ()), ['f32', 'i1'], (1, 1))
    yield from each('transpose', lambda x: lax.transpose(x, (2, 0, 1)), MOVED, (2, 3, 4))
    yield from each('slice strided', lambda x: lax.slice(x, (1, 0), (6, 7), (2, 3)), MOVED, (6, 8))
    yield from each('pad', lambda x: lax.pad(x, jnp.zeros((), x.dtype), [(1, -1, 2), (-1, 2, 0)]), MOVED, (4, 5))
    yield from each('rev', lambda x: lax.rev(x, (0, 2)), MOVED, (2, 3, 4))
    yield from each('concatenate', lambda x: lax.concatenate([x, x[:, :1], x], 1), MOVED, (2, 3))
    yield from each('split', lambda x: lax.split(x, [1, 2, 3], 0), ['f32', 'bf16'], (6, 2))
    yield from each('tile repeat roll', lambda x: [jnp.tile(x, (2, 3)), jnp.repeat(x, 2, 1), jnp.roll(x, 5, (0, 1))], ['f32', 'i32'], (2, 3))
    yield from each('triu tril diag', lambda x: [jnp.triu(x), jnp.tril(x, -1), jnp.diag(x), jnp.trace(x)], ['f32', 'i32'], (4, 4))
    yield from each('copy barrier', lambda x: lax.optimization_barrier((x, x + x)), ['f32', 'bf16'], (3,))
    for element in ['f64', 'f32', 'f16', 'bf16', 'i64', 'i32', 'i8', 'ui32', 'ui8', 'complex<f32>']:
        dtype = special(element).dtype
        yield Program(f'iota {element}', lambda d=dtype: lax.broadcasted_iota(d, (3, 5), 1), [], wide=is_wide(element))
    yield Program('iota of 300 in bf16', lambda: lax.iota(jnp.bfloat16, 300), [])
    yield Program('linspace arange eye', lambda: [jnp.linspace(0, 1, 7), jnp.arange(2, 9, 2), jnp.eye(3, k=1)], [],
                  {'interpreter': EXACT})  # fmt: skip
    for shape in [(0,), (0, 3), (2, 0)]:
        yield Program(f'empty {shape}', lambda x: [x + 1, lax.concatenate([x, x], 0), jnp.sum(x), jnp.transpose(x)], [np.zeros(shape, np.float32)])
    yield Program('constants of every element type', lambda: [jnp.asarray(special(e)) for e in MOVED[1:5] + MOVED[6:]], [])


def indexing():
    x = ordinary('f32', (5, 7), 2)
    for element in ['f32', 'bf16', 'i32', 'i1']:
        operand, update = ordinary(element, (5, 7), 2), ordinary(element, (2, 3), 3)
        for start in [(1, 2), (-3, 9), (4, 6)]:
            at = [np.int32(s) for s in start]
            yield Program(f'dynamic_slice {start} {element}', lambda x, i, j: lax.dynamic_slice(x, (i, j), (2, 3)), [operand, *at])
            yield Program(
                f'dynamic_update_slice {start} {element}', lambda x, u, i, j: lax.dynamic_update_slice(x, u, (i, j)), [operand, update, *at]
            )
    rows = np.array([4, 0, -1, 2, 9, 0], np.int32)
    gathers = {
        'take rows': lambda x, i: jnp.take(x, i, axis=0),
        'take columns clip': lambda x, i: jnp.take(x, i, axis=1, mode='clip'),
        'take wrap': lambda x, i: jnp.take(x, i, axis=0, mode='wrap'),
        'index rows': lambda x, i: x[i],
        'index both': lambda x, i: x[i, i[::-1]],
        'at get fill': lambda x, i: x.at[i].get(mode='fill', fill_value=-5),
        'take_along_axis': lambda x, i: jnp.take_along_axis(x, jnp.abs(i[:5, None]) % 7, axis=1),
        'slice with a row': lambda x, i: x[i[0]],
        'newaxis and step': lambda x, i: x[::2, None, i],
    }
    for name, function in gathers.items():
        for element in ['f32', 'bf16', 'i32']:
            yield Program(f'gather {name} {element}', function, [ordinary(element, (5, 7), 2), rows])
    scatters = {
        'add': lambda x, i, u: x.at[i].add(u),
        'multiply': lambda x, i, u: x.at[i].multiply(u),
        'min': lambda x, i, u: x.at[i].min(u),
        'max': lambda x, i, u: x.at[i].max(u),
        'set': lambda x, i, u: x.at[jnp.abs(i) % 5 + jnp.array([0, 1, 0, 0, 9, 9])].set(u),
        'drop': lambda x, i, u: x.at[i].add(u, mode='drop'),
        'clip': lambda x, i, u: x.at[i].add(u, mode='clip'),
        'column': lambda x, i, u: x.at[:, i].add(u[:5, :6]),
        'both': lambda x, i, u: x.at[i, i].add(u[:, 0]),
        'unique': lambda x, i, u: x.at[jnp.array([3, 1])].set(u[:2], unique_indices=True, indices_are_sorted=False),
    }
    for name, function in scatters.items():
        for element in ['f32', 'bf16', 'i32']:
            given = [ordinary(element, (5, 7), 2), rows, ordinary(element, (6, 7), 4)]
            yield Program(f'scatter {name} {element}', function, given)
    yield Program('scatter apply f32', lambda x, i: x.at[jnp.abs(i) % 5].apply(jnp.sin), [x, rows], {'interpreter': ulps(1, 'float32 sine')})
    yield Program('segment_sum f32', lambda u, i: jax.ops.segment_sum(u, jnp.abs(i), 10), [ordinary('f32', (6, 3), 5), rows])
    yield Program('one_hot bf16', lambda i: jax.nn.one_hot(i, 5, dtype=jnp.bfloat16), [rows])
    yield Program('searchsorted f32', lambda a, v: jnp.searchsorted(a, v), [np.sort(x.ravel()), ordinary('f32', 9, 6)])
    yield Program('bincount histogram', lambda i: jnp.bincount(jnp.abs(i), length=10), [rows])
    yield Program('gather gradient f32', jax.grad(lambda x, i: jnp.sum(x[i] ** 2)), [x, np.abs(rows) % 5])
    yield Program('batched gather f32', jax.vmap(lambda r, i: r[i]), [x, np.array([0, 3, 6, 2, 2], np.int32)])
    yield Program('batched scatter f32', jax.vmap(lambda r, i, u: r.at[i].add(u)), [x, rows[:5], x[:, 0]])
    yield Program('batched dynamic_slice', jax.vmap(lambda r, i: lax.dynamic_slice(r, (i,), (3,))), [x, rows[:5]])


def reductions():
    for element in FLOATS + ['i32', 'i8', 'ui8', 'complex<f32>']:
        for name, function in {'reduce_sum': lax.reduce_sum_p, 'reduce_prod': lax.reduce_prod_p}.items():
            if element == 'complex<f32>' and name == 'reduce_prod':
                continue
            reduce = lambda x, p=function: p.bind(x, axes=(0, 2), **({'out_sharding': None} if p is not lax.argmax_p else {}))  # noqa: E731
            floating = element in FLOATS or element == 'complex<f32>'
            oracle = TREE if floating else {'interpreter': EXACT}
            yield Program(f'{name} {element}', reduce, [ordinary(element, (3, 4, 5), 7, 1.0)], oracle, wide=is_wide(element))
    for name, function in {'max': jnp.max, 'min': jnp.min, 'argmax': jnp.argmax, 'argmin': jnp.argmin}.items():
        for element in FLOATS + ['i32', 'ui8', 'i1']:
            if element == 'i1' and name in ('max', 'min'):
                continue
            values = np.stack([special(element, 40), special(element, 40)[::-1], ordinary(element, 40, 8)])
            yield Program(f'{name} {element}', lambda x, f=function: f(x, axis=1), [values], wide=is_wide(element))
    yield from each('all any xor', lambda x: [jnp.all(x, 0), jnp.any(x, 1), lax.reduce_xor_p.bind(x, axes=(1,))], ['i1'], (4, 5))
    yield from each('reduce_and or xor', lambda x: [lax.reduce_and_p.bind(x, axes=(0,)), lax.reduce_or_p.bind(x, axes=(0,))],
                    ['i32', 'ui8'], (4, 5))  # fmt: skip
    yield from each('jnp sum mean var', lambda x: [jnp.sum(x, 0), jnp.mean(x, 1), jnp.var(x, 1), jnp.std(x)], FLOATS, (6, 7),
                    oracles={'interpreter': scale(8, 'a quotient of a sum in float64 or float32')})  # fmt: skip
    yield Program('variadic reduce', lambda x, i: lax.reduce((x, i), (np.float32(0), np.int32(0)), lambda a, b: (a[0] + b[0], jnp.maximum(a[1], b[1])), (1,)),
                  [ordinary('f32', (3, 8), 9), ordinary('i32', (3, 8), 9)])  # fmt: skip
    yield Program('reduce of another body', lambda x: lax.reduce(x, np.float32(1), lambda a, b: a * 0.5 + b, (0,)), [ordinary('f32', (5, 3), 9)])
    yield Program('norms f32', lambda x: [jnp.linalg.norm(x), jnp.linalg.norm(x, axis=0), jnp.linalg.norm(x, 1)], [ordinary('f32', (4, 5), 10)])
    yield Program('median quantile f32', lambda x: [jnp.median(x), jnp.quantile(x, 0.3)], [ordinary('f32', (9,), 11)],
                  {'interpreter': ulps(1, 'an interpolation')})  # fmt: skip


def windows():
    image = (2, 7, 6, 3)
    for element in ['f32', 'bf16']:
        for name, (start, function) in {'max': (-np.inf, lax.max), 'sum': (0, lax.add), 'min': (np.inf, lax.min)}.items():
            def pool(x, s=start, f=function):
                return lax.reduce_window(x, np.array(s, x.dtype), f, (1, 3, 2, 1), (1, 2, 2, 1), 'SAME')

            yield Program(f'reduce_window {name} {element}', pool, [ordinary(element, image, 12)])
    x = ordinary('f32', (6, 8), 13)
    yield Program('reduce_window dilated f32', lambda x: lax.reduce_window(x, np.float32(0), lax.add, (2, 3), (1, 1), ((1, 0), (2, 1)), (2, 1), (1, 2)), [x])
    yield Program('reduce_window i32', lambda x: lax.reduce_window(x, np.int32(0), lax.add, (2, 3), (1, 1), 'VALID'), [ordinary('i32', (4, 6), 14)])
    yield Program('reduce_window product', lambda x: lax.reduce_window(x, np.float32(1), lax.mul, (2, 2), (2, 2), 'VALID'), [x])
    pooled = jax.grad(lambda x: jnp.sum(jnp.sin(lax.reduce_window(x, -np.float32(np.inf), lax.max, (2, 2), (2, 2), 'VALID'))))
    yield Program('select_and_scatter of max pooling f32', pooled, [x], {'interpreter': ulps(1, 'float32 cosine')})
    overlapping = jax.grad(lambda x: jnp.sum(lax.reduce_window(x, np.array(-np.inf, x.dtype), lax.max, (3, 3), (2, 2), 'SAME') ** 2))
    for element in ['f32', 'bf16']:
        yield Program(f'select_and_scatter overlapping {element}', overlapping, [ordinary(element, (6, 8), 15)])
    average = jax.grad(lambda x: jnp.sum(lax.reduce_window(x, np.float32(0), lax.add, (3, 3), (2, 2), 'SAME') ** 2))
    yield Program('gradient of average pooling f32', average, [x])


def running():
    for element in FLOATS + ['i32']:
        x = ordinary(element, (3, 18), 16, 1.0)
        for name, function in {'cumsum': lax.cumsum, 'cumprod': lax.cumprod, 'cummax': lax.cummax, 'cummin': lax.cummin}.items():
            yield Program(f'{name} {element}', lambda x, f=function: f(x, axis=1), [x], wide=is_wide(element))
    yield Program('cumsum reverse f32', lambda x: lax.cumsum(x, axis=0, reverse=True), [ordinary('f32', (9, 2), 17)])
    yield Program('cumlogsumexp f32', lambda x: lax.cumlogsumexp(x, axis=0), [ordinary('f32', (9, 2), 17)], {'interpreter': ulps(8, 'exp and log of each step')})
    yield Program('associative_scan f32', lambda x: lax.associative_scan(jnp.add, x), [ordinary('f32', (13,), 18)])
    yield Program('cumsum of ones bf16', lambda x: jnp.cumsum(x), [np.ones(300, special('bf16').dtype)])


def sorting():
    for element in FLOATS + ['i32', 'i8', 'ui8', 'i1']:
        x = np.stack([special(element, 24), ordinary(element, 24, 19)])
        yield Program(f'sort {element}', lambda x: lax.sort(x, dimension=1), [x], wide=is_wide(element))
    x = ordinary('f32', (4, 9), 20)
    keys = ordinary('i32', (4, 9), 21) % 3
    yield Program('sort stable with values', lambda k, x: lax.sort((k, x), dimension=1, num_keys=1, is_stable=True), [keys, x])
    yield Program('sort two keys', lambda k, x: lax.sort((k, x), dimension=0, num_keys=2), [keys, x])
    yield Program('argsort f32', lambda x: [jnp.argsort(x, axis=0), jnp.argsort(x, axis=1, descending=True)], [x])
    yield Program('argsort bf16 with NaN', lambda x: jnp.argsort(x), [special('bf16')])
    yield Program('unique of size', lambda k: jnp.unique(k, size=4, fill_value=0, return_counts=True), [keys])
    for element in ['f32', 'bf16', 'i32']:
        yield Program(f'top_k {element}', lambda x: lax.top_k(x, 3), [ordinary(element, (3, 10), 22)])
    yield Program('top_k with NaN f32', lambda x: lax.top_k(x, 12), [special('f32')], ONLY_JIT)
    yield Program('approx_max_k f32', lambda x: lax.approx_max_k(x, 3), [x], ONLY_JIT)
    yield Program('nonzero of size', lambda k: jnp.nonzero(k, size=8, fill_value=0), [keys])


def products():
    cases = {
        'matmul': ((4, 6), (6, 5), (((1,), (0,)), ((), ()))),
        'matmul transposed': ((6, 4), (5, 6), (((0,), (1,)), ((), ()))),
        'batched': ((3, 4, 6), (3, 6, 5), (((2,), (1,)), ((0,), (0,)))),
        'two contracted': ((4, 3, 5), (5, 3, 2), (((1, 2), (1, 0)), ((), ()))),
        'batch inside': ((4, 3, 5), (5, 2, 3), (((2,), (0,)), ((1,), (2,)))),
        'outer': ((4,), (5,), (((), ()), ((), ()))),
        'inner': ((9,), (9,), (((0,), (0,)), ((), ()))),
        'empty contraction': ((3, 0), (0, 2), (((1,), (0,)), ((), ()))),
    }
    for name, (left, right, numbers) in cases.items():
        for element in ['f64', 'f32', 'f16', 'bf16', 'i32', 'i8', 'complex<f32>'] if name in ('matmul', 'batched') else ['f32', 'bf16']:
            both = [ordinary(element, left, 23, 1.0), ordinary(element, right, 24, 1.0)]
            oracle = {'interpreter': scale(2, 'a + b c - d f of complex products') if element.startswith('complex') else EXACT}
            if element in ('f32', 'bf16'):
                oracle['jit'] = scale(4, 'float32 sums of at most 15 terms in another order')
            yield Program(f'dot_general {name} {element}', lambda a, b, d=numbers: lax.dot_general(a, b, d), both, oracle, wide=is_wide(element))
    for element in ['bf16', 'f16', 'i8', 'f8E4M3FN', 'f8E5M2']:
        wide = jnp.int32 if element == 'i8' else jnp.float32
        both = [ordinary(element, (4, 6), 23, 1.0), ordinary(element, (6, 5), 24, 1.0)]
        yield Program(f'dot_general {element} into {NAMES[np.dtype(wide)]}', lambda a, b, w=wide: lax.dot(a, b, preferred_element_type=w), both)
    mixed = [ordinary('f8E4M3FN', (4, 6), 23, 1.0), ordinary('f8E5M2', (6, 5), 24, 1.0)]
    yield Program('dot_general f8E4M3FN f8E5M2', lambda a, b: lax.dot(a, b, preferred_element_type=jnp.float32), mixed)
    both = [ordinary('bf16', (4, 6), 23, 1.0), ordinary('bf16', (6, 5), 24, 1.0)]
    floats = [a.astype(np.float32) for a in both]
    numbers = (((1,), (0,)), ((), ()))
    for preset, given in {'BF16_BF16_F32': both, 'F32_F32_F32': floats}.items():
        algorithm = lax.DotAlgorithmPreset[preset]
        ask = lambda a, b, p=algorithm: lax.dot_general(a, b, numbers, precision=p, preferred_element_type=jnp.float32)  # noqa: E731
        yield Program(f'dot_general algorithm {preset}', ask, given, {'interpreter': EXACT, 'jit': scale(4, ORDER)})
    yield Program('dot_general precision highest', lambda a, b: lax.dot(a, b, precision='highest'), floats)
    ones = [np.ones((1, 300), special('bf16').dtype), np.ones((300, 1), special('bf16').dtype)]
    yield Program('dot of 300 ones bf16', lambda a, b: lax.dot(a, b), ones, {'interpreter': EXACT, 'jit': EXACT})
    three = [ordinary('f32', (3, 4), 25), ordinary('f32', (4, 5), 26), ordinary('f32', (5, 2), 27)]
    yield Program('einsum f32', lambda a, b, c: jnp.einsum('ij,jk,kl->il', a, b, c), three, {'interpreter': EXACT})


def convolutions():
    image, kernel = (2, 8, 7, 4), (3, 2, 4, 6)
    plain = ('NHWC', 'HWIO', 'NHWC')
    cases = {
        'same': {'padding': 'SAME', 'window_strides': (1, 1)},
        'strided': {'padding': 'VALID', 'window_strides': (2, 3)},
        'dilated': {'padding': ((2, 1), (0, 1)), 'window_strides': (1, 1), 'rhs_dilation': (2, 1)},
        'transposed': {'padding': ((1, 2), (1, 1)), 'window_strides': (1, 1), 'lhs_dilation': (2, 2)},
    }
    near = {'interpreter': EXACT, 'jit': scale(8, 'float32 sums of 24 terms in another order')}
    for name, options in cases.items():
        for element in ['f32', 'bf16']:
            both = [ordinary(element, image, 28, 1.0), ordinary(element, kernel, 29, 0.5)]
            yield Program(f'convolution {name} {element}', lambda x, w, o=options: lax.conv_general_dilated(x, w, dimension_numbers=plain, **o), both, near)
    same = cases['same']
    grouped = [ordinary('f32', image, 28, 1.0), ordinary('f32', (3, 2, 2, 6), 29, 0.5)]
    yield Program('convolution grouped f32', lambda x, w: lax.conv_general_dilated(x, w, dimension_numbers=plain, feature_group_count=2, **same), grouped, near)
    depthwise = [ordinary('f32', image, 28, 1.0), ordinary('f32', (3, 3, 1, 8), 29, 0.5)]
    yield Program('convolution depthwise f32', lambda x, w: lax.conv_general_dilated(x, w, dimension_numbers=plain, feature_group_count=4, **same), depthwise, near)
    channels = [ordinary('f32', (2, 4, 8), 28, 1.0), ordinary('f32', (6, 4, 3), 29, 0.5)]
    yield Program('convolution 1d NCH f32', lambda x, w: lax.conv_general_dilated(x, w, (1,), 'SAME'), channels, near)
    volumes = [ordinary('f32', (1, 3, 4, 4, 2), 28, 1.0), ordinary('f32', (2, 2, 2, 2, 3), 29, 0.5)]
    yield Program('convolution 3d f32', lambda x, w: lax.conv_general_dilated(x, w, (1, 1, 1), 'VALID', dimension_numbers=('NDHWC', 'DHWIO', 'NDHWC')), volumes, near)
    both = [ordinary('f32', image, 28, 1.0), ordinary('f32', kernel, 29, 0.5)]
    loss = lambda x, w: jnp.sum(lax.conv_general_dilated(x, w, dimension_numbers=plain, **cases['strided']) ** 2)  # noqa: E731
    yield Program('convolution gradients f32', jax.grad(loss, (0, 1)), both, {'interpreter': scale(16, ORDER), 'jit': scale(64, ORDER)})
    batched = [ordinary('f32', (4, 6, 2), 30), ordinary('f32', (3, 2, 4), 31)]
    yield Program('convolution batch groups f32', lambda x, w: lax.conv_general_dilated(x, w, (1,), 'VALID', dimension_numbers=('NWC', 'WIO', 'NWC'), batch_group_count=2), batched, near)
    whole = [ordinary('i32', (1, 5, 5, 2), 28), ordinary('i32', (2, 2, 2, 3), 29)]
    yield Program('convolution i32', lambda x, w: lax.conv_general_dilated(x, w, (1, 1), 'VALID', dimension_numbers=plain), whole)


def transforms():
    x = ordinary('complex<f32>', (3, 8), 32)
    r = ordinary('f32', (3, 12), 33)
    near = {'interpreter': scale(16, 'another factorisation of the sum'), 'jit': scale(16, 'another factorisation of the sum')}
    yield Program('fft', jnp.fft.fft, [x], near)
    yield Program('ifft', jnp.fft.ifft, [x], near)
    yield Program('rfft', jnp.fft.rfft, [r], near)
    yield Program('irfft', lambda x: jnp.fft.irfft(x, 12), [x[:, :7]], near)
    yield Program('fft of length 7', lambda x: jnp.fft.fft(x[:, :7]), [x], near)
    yield Program('fft2', jnp.fft.fft2, [x], near)
    yield Program('rfft2 irfft2', lambda r: jnp.fft.irfft2(jnp.fft.rfft2(r), (3, 12)), [r], near)
    a = ordinary('f32', (2, 5, 5), 34)
    spd = np.einsum('bij,bkj->bik', a, a) + 3 * np.eye(5, dtype=np.float32)
    b = ordinary('f32', (2, 5, 3), 35)
    cond = 'backward stable in float32: n u times the condition number, below 100 here'
    solve = {'interpreter': scale(512, cond), 'jit': scale(512, cond)}
    yield Program('cholesky f32', lambda x: lax.linalg.cholesky(x, symmetrize_input=False), [spd], solve)
    yield Program('cholesky of a matrix that is not positive', lambda x: lax.linalg.cholesky(x, symmetrize_input=False), [-spd], {'jit': solve['jit']})
    for lower in (True, False):
        for turned in (True, False):
            for side in (True, False):
                name = f'triangular_solve {"lower" if lower else "upper"} {"transposed " if turned else ""}{"left" if side else "right"} f32'
                right = b if side else b.swapaxes(1, 2).copy()
                yield Program(name, lambda a, b, o=(lower, turned, side): lax.linalg.triangular_solve(a, b, lower=o[0], transpose_a=o[1], left_side=o[2]), [spd, right], solve)
    yield Program('triangular_solve unit diagonal f32', lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True, unit_diagonal=True), [spd / 9, b], solve)
    yield Program('lu f32', lax.linalg.lu, [a], {'jit': scale(512, cond)})
    yield Program('qr f32', jnp.linalg.qr, [a[0]], {'jit': scale(512, cond)})
    yield Program('solve det inv f32', lambda a, b: [jnp.linalg.solve(a, b), jnp.linalg.det(a), jnp.linalg.inv(a)], [spd, b], {'jit': scale(2048, cond)})
    yield Program('cho_solve f32', lambda a, b: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(a), b), [spd[0], b[0]], {'jit': scale(2048, cond)})
    yield Program('expm f32', jax.scipy.linalg.expm, [a[0] / 4], {'jit': scale(2048, cond)})
    yield Program('eigh f32', jnp.linalg.eigh, [spd[0]], {'jit': scale(4096, 'its custom call is refused')})


    tpu = {'jit': scale(512, cond)}
    yield Program('cholesky f32, lowered for TPU', lambda x: lax.linalg.cholesky(x, symmetrize_input=False), [spd], tpu, platform='tpu')
    for o in [(True, False, True), (True, True, True), (False, False, False)]:
        right = b if o[2] else b.swapaxes(1, 2).copy()
        yield Program(f'triangular_solve {o} f32, lowered for TPU', lambda a, b, o=o: lax.linalg.triangular_solve(a, b, lower=o[0], transpose_a=o[1], left_side=o[2]), [spd, right], tpu, platform='tpu')
    yield Program('cho_solve f32, lowered for TPU', lambda a, b: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(a), b), [spd[0], b[0]], {'jit': scale(2048, cond)}, platform='tpu')
    yield Program('cumsum and top_k lowered for TPU', lambda x: [jnp.cumsum(x, 1), lax.top_k(x, 3)], [r], {'interpreter': EXACT, 'jit': scale(16, ORDER)}, platform='tpu')


def random_bits():
    key = np.array([7, 11], np.uint32)
    draws = {
        'bits': lambda k: jax.random.bits(k, (9,)),
        'bits ui8': lambda k: jax.random.bits(k, (9,), 'uint8'),
        'uniform': lambda k: jax.random.uniform(k, (9,)),
        'uniform bf16': lambda k: jax.random.uniform(k, (9,), jnp.bfloat16),
        'randint': lambda k: jax.random.randint(k, (9,), -5, 17),
        'split fold_in': lambda k: [jax.random.split(k, 3), jax.random.fold_in(k, 5)],
        'bernoulli': lambda k: jax.random.bernoulli(k, 0.3, (9,)),
        'permutation': lambda k: jax.random.permutation(k, 9),
        'choice': lambda k: jax.random.choice(k, 9, (4,), replace=False),
    }  # fmt: skip
    for name, function in draws.items():
        yield Program(f'random {name}', function, [key], {'interpreter': EXACT, 'jit': EXACT})
    loose = {
        'normal': jax.random.normal, 'truncated_normal': lambda k, s: jax.random.truncated_normal(k, -1, 1, s), 'exponential': jax.random.exponential,
        'gumbel': jax.random.gumbel, 'cauchy': jax.random.cauchy, 'laplace': jax.random.laplace, 'logistic': jax.random.logistic,
    }  # fmt: skip
    for name, function in loose.items():
        yield Program(f'random {name}', lambda k, f=function: f(k, (9,)), [key], {'interpreter': ulps(64, 'inverse functions by polynomials in float32')})
    yield Program('random categorical', lambda k: jax.random.categorical(k, jnp.arange(5.0), shape=(9,)), [key])
    several = {'interpreter': ulps(64, 'loops of draws: functions by polynomials in float32')}
    yield Program('random gamma', lambda k: jax.random.gamma(k, 2.5, (5,)), [key], several)
    yield Program('random poisson', lambda k: jax.random.poisson(k, 3.0, (5,)), [key])
    for name, dtype in {'ui32': np.uint32, 'ui64': np.uint64}.items():
        for algorithm in ('RNG_THREE_FRY', 'RNG_DEFAULT'):
            ask = lambda k, d=dtype, a=algorithm: lax.rng_bit_generator(k, (9,), d, algorithm=getattr(lax.RandomAlgorithm, a))  # noqa: E731
            state = np.array([7, 11], np.uint64) if algorithm == 'RNG_THREE_FRY' else np.array([7, 11, 13, 17], np.uint32)
            yield Program(f'rng_bit_generator {algorithm} {name}', ask, [state], ONLY_JIT, wide=True)
