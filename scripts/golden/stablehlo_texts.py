"""Writes test/golden/stablehlo/texts: programs that jax writes as StableHLO, each printed by MLIR in its generic form too.

    python scripts/golden/stablehlo_texts.py [FOLDER]   FOLDER is test/golden unless named

NAME.mlir is what jax writes (or what MLIR prints of stablehlo_operations.mlir beside this script), NAME.generic.mlir the same module in
the generic spelling. constants.json has literals of constants and the codes of their elements as the reference interpreter has them.
"""

import json
import os
import sys
from pathlib import Path

os.environ['JAX_PLATFORMS'] = 'cpu'
os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=4'

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import export, lax
from jax._src.interpreters import mlir
from jax.sharding import AxisType, NamedSharding, PartitionSpec
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

HERE = Path(__file__).resolve().parent
PROGRAMS = {}

# Names of files without the folders of this machine.
jax.config.update('jax_hlo_source_file_canonicalization_regex', r'^.*/(?=(site-packages|scripts)/)')
jax.config.update('jax_traceback_in_locations_limit', 3)
jax.config.update('jax_enable_x64', True)


def program(build):
    PROGRAMS[build.__name__] = build
    return build


def spec(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def lowered(function, *arguments, **options):
    return jax.jit(function, **options).lower(*arguments)


@program
def mlp_step():
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.zero_nans(), optax.adamw(1e-3))

    def loss(p, x, y):
        hidden = jnp.tanh(x @ p['w0'] + p['b0'])
        return jnp.mean((hidden @ p['w1'] - y) ** 2)

    def step(p, state, x, y):
        value, grads = jax.value_and_grad(loss)(p, x, y)
        updates, state = optimizer.update(grads, state, p)
        return optax.apply_updates(p, updates), state, value

    p = {name: spec(*shape, dtype=jnp.bfloat16) for name, shape in (('w0', (8, 16)), ('b0', (16,)), ('w1', (16, 4)))}
    x, y = spec(2, 8, dtype=jnp.bfloat16), spec(2, 4, dtype=jnp.bfloat16)
    return lowered(step, p, jax.eval_shape(optimizer.init, p), x, y)


@program
def rnn_gradient():
    def loss(w, h, xs):
        def step(h, x):
            h = jax.checkpoint(lambda h, x: jnp.tanh(h @ w + x))(h, x)
            return h, h

        return jnp.sum(lax.scan(step, h, xs)[1])

    return lowered(jax.grad(loss), spec(4, 4), spec(4), spec(5, 4))


@program
def convolution():
    def loss(x, w):
        names = ('NHWC', 'HWIO', 'NHWC')
        y = lax.conv_general_dilated(x, w, (2, 1), 'SAME', dimension_numbers=names, rhs_dilation=(1, 2))
        return lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID').sum()

    return lowered(jax.grad(loss, (0, 1)), spec(2, 8, 8, 3), spec(3, 3, 3, 4))


@program
def indexing():
    def f(x, i, u):
        at = (i[0], i[1])
        moved = lax.dynamic_slice(x, at, (1, 2)), lax.dynamic_update_slice(x, u[:1], at)
        return x[i], x.at[i].add(u), x[1:3, ::2], x.at[i].max(u), *moved

    return lowered(f, spec(6, 4), spec(3, dtype=jnp.int32), spec(3, 4))


@program
def sorting():
    def f(x):
        return jnp.argsort(x), lax.top_k(x, 3), jnp.argmax(x, -1), lax.sort((x, x), num_keys=2)

    return lowered(f, spec(5, 8))


@program
def draws():
    def f(key):
        a, b = jax.random.split(key)
        return jax.random.normal(a, (7,)), jax.random.uniform(b, (3,), jnp.bfloat16)

    return lowered(f, jax.random.key(0))


@program
def generator():
    return lowered(lambda key: jax.random.bits(key, (7,)), jax.random.key(0, impl='rbg'))


@program
def loops():
    def f(x, n):
        y = lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * 1.5), (0, x))
        z = lax.cond(n > 3, lambda x: x + 1, lambda x: x - 1, x)
        return y, z, lax.switch(n, [jnp.sin, jnp.cos, jnp.exp], x), lax.fori_loop(0, 4, lambda i, x: x + i, x)

    return lowered(f, spec(4), spec(dtype=jnp.int32))


@program
def narrow():
    def f(a, b):
        dims = (((1,), (0,)), ((), ()))
        wide = a.astype(jnp.float32)
        preset = lax.DotAlgorithmPreset.BF16_BF16_F32
        algorithm = lax.dot_general(a.astype(jnp.bfloat16), b.astype(jnp.bfloat16), dims, precision=preset)
        exact = lax.dot_general(a, b, dims, preferred_element_type=jnp.float32)
        return exact, wide.astype(jnp.float8_e5m2), algorithm, lax.reduce_precision(wide, 5, 10), wide.astype(jnp.int4)

    return lowered(f, spec(4, 8, dtype=jnp.float8_e4m3fn), spec(8, 2, dtype=jnp.float8_e4m3fn))


@program
def cumulative():
    return lowered(lambda x: (jnp.cumsum(x, 0), lax.cummax(x, reverse=True), jnp.convolve(x, x[:3])), spec(9))


@program
def fourier():
    return lowered(lambda x: (jnp.fft.fft(x), jnp.fft.irfft(x), jnp.abs(x), x.conj() * x), spec(8, dtype=jnp.complex64))


@program
def linear_algebra():
    def f(a, b):
        return jnp.linalg.solve(a, b), jnp.linalg.cholesky(a @ a.T), jax.scipy.linalg.solve_triangular(a, b)

    return lowered(f, spec(4, 4), spec(4, 2))


@program
def special():
    def f(x):
        s = jax.scipy.special
        accurate = lax.exp(x, accuracy=lax.AccuracyMode.HIGHEST)
        tolerant = lax.logistic(x, accuracy=lax.Tolerance(atol=1e-5, rtol=0.0, ulps=2))
        bits = lax.population_count(lax.bitcast_convert_type(x, jnp.uint32))
        return s.erfc(x), s.erfinv(x), s.gammaln(x), s.digamma(x), s.i1e(x), s.zeta(x, x), jnp.nextafter(x, x), accurate, tolerant, bits

    return lowered(f, spec(3))


@program
def sharded():
    mesh = jax.make_mesh((2, 2), ('data', 'model'), axis_types=(AxisType.Auto,) * 2)

    def placed(*axes):
        return NamedSharding(mesh, PartitionSpec(*axes))

    def f(x, w):
        return jnp.sum(lax.with_sharding_constraint(x @ w, placed('data', 'model')), 0)

    return lowered(f, spec(8, 4), spec(4, 8), in_shardings=(placed('data', None), placed(None, 'model')))


@program
def collectives():
    mesh = jax.make_mesh((4,), ('i',), axis_types=(AxisType.Auto,))

    def on_device(x):
        return lax.psum(x, 'i'), lax.all_gather(x, 'i'), lax.ppermute(x, 'i', [(0, 1), (1, 2)]), lax.psum_scatter(x, 'i')

    i, all = PartitionSpec('i'), PartitionSpec()
    return lowered(jax.shard_map(on_device, mesh=mesh, in_specs=i, out_specs=(all, i, i, i), check_vma=False), spec(16, 4))


@program
def constants():
    draw = np.random.default_rng(0)
    matrix = draw.standard_normal((20, 10)).astype(np.float32)
    edges = np.array([np.inf, -np.inf, np.nan, -0.0, 1e-45, 3.0e38, 0.1], np.float32)
    narrow = [jnp.bfloat16, np.float16, jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.float4_e2m1fn, jnp.float8_e8m0fnu]
    with np.errstate(all='ignore'):
        cast = [edges.astype(dtype) for dtype in narrow]
    long = [matrix.astype(jnp.bfloat16), draw.random((13, 10)) < 0.5, draw.integers(-8, 8, (4, 50)).astype(jnp.int4)]
    integers = [draw.integers(0, 2**63, 3, dtype=np.uint64), np.array([1, -1, 2**31 - 1], np.int32), draw.integers(0, 255, 200).astype(np.uint8)]
    rest = [np.array([True, False, True]), np.zeros((0, 3), np.float32), np.float64(0.1), np.array([1 + 2j, 3 - 4j], np.complex64), (matrix + 1j).astype(np.complex64)]
    return lowered(lambda x: (x + matrix, edges, *cast, *long, *integers, *rest), spec(20, 10))


@program
def calls():
    def f(x):
        double = lax.composite(lambda x, scale: x * 2, 'my.double', version=2)
        return lax.optimization_barrier((x, x + 1)), jax.jit(jnp.sin)(x), double(x, scale=np.float32(1.5))

    return lowered(f, spec(4))


@program
def ragged():
    return lowered(lax.ragged_dot, spec(8, 4), spec(3, 4, 5), spec(3, dtype=jnp.int32))


@program
def integers():
    return lowered(lambda n: (n << 3, n >> 2, lax.shift_right_logical(n, n), ~n, n // 3), spec(3, dtype=jnp.int64))


@program
def dynamic():
    class Exported:
        def as_text(self, debug_info):
            (size,) = export.symbolic_shape('a')
            f = lambda x: (jnp.sum(x, 0), x.reshape(-1), jnp.concatenate([x, x]))
            return export.export(jax.jit(f))(spec(size, 4)).mlir_module()

    return Exported()


LITERALS = [
    'dense<[1, 2]> : tensor<2xi8>',
    'dense<[0x7FC0, 1.0, -0.0, 1.00390625, 1.003906250000000001]> : tensor<5xbf16>',
    'dense<[0xFFFFFFFFFFFFFFFF, 1.0e300, 4.94065645841246544e-324, 0.1]> : tensor<4xf64>',
    'dense<[9223372036854775807, -9223372036854775808, 9007199254740993]> : tensor<3xi64>',
    'dense<18446744073709551615> : tensor<ui64>',
    'dense<[448.0, 464.0, 465.0, 1000.0, -0.0, 0.001]> : tensor<6xf8E4M3FN>',
    'dense<[57344.0, 61440.0, 1.0e10]> : tensor<3xf8E5M2>',
    'dense<[240.0, 500.0, -0.0, 0.0001]> : tensor<4xf8E4M3FNUZ>',
    'dense<[30.0, 31.0, 0.3]> : tensor<3xf8E4M3B11FNUZ>',
    'dense<[1.0, 3.0, 0.75]> : tensor<3xf8E8M0FNU>',
    'dense<[15.5, 16.0, 0.3]> : tensor<3xf8E3M4>',
    'dense<[240.0, 248.0, 0.3]> : tensor<3xf8E4M3>',
    'dense<[65504.0, 65520.0, 65519.99, 1.0e-8, 5.9604645e-8]> : tensor<5xf16>',
    'dense<"0x0000803F000000400000404000008040000000000000803F000000400000404000008040"> : tensor<9xf32>',
    'dense<"0x0000803F"> : tensor<9xf32>',
    'dense<true> : tensor<i1>',
    'dense<[true, false, true, true, false, true, true, false, true]> : tensor<9xi1>',
    'dense<[1, 0]> : tensor<2xi1>',
    'dense<[0.1, 0.1000000000000000055511151231257827, 1.0e-310, 1.7976931348623157e308]> : tensor<4xf64>',
    'dense<[1.00000005960464477539062500000001, 1.00000017881393432617187500, 3.4028235677973366e38]> : tensor<3xf32>',
    'dense<[2.0, 1.0, 0.5, 448.0]> : tensor<4xf8E5M2FNUZ>',
    'dense<[[1, -2], [3, 4]]> : tensor<2x2xi16>',
    'dense<[255, 0]> : tensor<2xui8>',
    'dense<[65535]> : tensor<1xui16>',
    'dense<-1> : tensor<2x2xi32>',
    'dense<[true, false]> : tensor<2xi1>',
    'dense<[1.5, -0.0, 6.1e-5, 5.96e-8]> : tensor<4xf16>',
]


def printed(text, debug):
    """A text as MLIR prints it, in the short spelling and in the generic one."""
    with mlir.make_ir_context(), ir.Location.unknown():
        operation = ir.Module.parse(text).operation
        short = operation.get_asm(enable_debug_info=debug)
        return short, operation.get_asm(enable_debug_info=debug, print_generic_op_form=True)


def codes_of(literal):
    """The codes of a constant's elements in hex: integers as MLIR parses them, floats as the reference interpreter's bits."""
    shape, element = literal.rsplit('tensor<', 1)[1][:-1].rpartition('x')[::2]
    shape = f'{shape}x' if shape else ''
    digits = element.lstrip('uibf').partition('E')[0]
    bits = int(digits)
    with mlir.make_ir_context(), ir.Location.unknown():
        if 'i' in element:
            values = ir.DenseIntElementsAttr(ir.Attribute.parse(literal))
        else:
            text = f"""func.func @main() -> tensor<{shape}ui{bits}> {{
              %0 = stablehlo.constant {literal}
              %1 = stablehlo.bitcast_convert %0 : (tensor<{shape}{element}>) -> tensor<{shape}ui{bits}>
              return %1 : tensor<{shape}ui{bits}>
            }}"""
            values = ir.DenseIntElementsAttr(stablehlo.eval_module(ir.Module.parse(text), [])[0])
        return [f'{int(value) % 2**bits:x}' for value in values]


def main(folder):
    path = Path(folder) / 'stablehlo' / 'texts'
    path.mkdir(parents=True, exist_ok=True)
    for name, build in PROGRAMS.items():
        text = build().as_text(debug_info=True)
        (path / f'{name}.mlir').write_text(text)
        (path / f'{name}.generic.mlir').write_text(printed(text, True)[1])
    short, generic = printed((HERE / 'stablehlo_operations.mlir').read_text(), False)
    (path / 'operations.mlir').write_text(short)
    (path / 'operations.generic.mlir').write_text(generic)
    rows = [{'literal': literal, 'codes': codes_of(literal)} for literal in LITERALS]
    (path / 'constants.json').write_text(json.dumps(rows, indent=1) + '\n')


if __name__ == '__main__':
    main(sys.argv[1] if len(sys.argv) > 1 else 'test/golden')
