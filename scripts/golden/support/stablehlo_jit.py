"""Programs whose results under plain jax.jit are compared number by number: scripts/golden/stablehlo_jit.py, `npm run bench:jit`."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

from support.stablehlo_layers import attention, block, cnn_loss, gru, init_of, mlp_init, mlp_loss, transformer_init, transformer_loss
from support.stablehlo_whole import cast, step_of

# XLA's own default, and every rounding as the text has it.
FLAGS = {'default': True, 'jit': False}


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(0, 1, shape).astype(np.float32)


def mlp_step(dtype, wide):
    sizes, batch = ((64, 256, 256, 10), 128) if wide else ((6, 48, 40, 3), 40)
    p = cast(mlp_init(sizes, 1), dtype)
    chain = optax.chain(optax.clip_by_global_norm(1.0), optax.zero_nans(), optax.adamw(1e-2))
    data = [cast(normal(2, batch, sizes[0]), dtype), cast(normal(3, batch, sizes[-1]), dtype)]
    return step_of(mlp_loss, chain), [p, jax.tree.map(np.asarray, chain.init(p)), *data]


def gpt_step(dtype, wide):
    vocabulary, width, batch, length = (128, 32, 4, 16) if wide else (11, 8, 5, 10)
    p = cast(transformer_init(vocabulary, width, 4 * width, 2, 5), dtype)
    schedule = optax.warmup_cosine_decay_schedule(0.0, 1e-2, 3, 20)
    chain = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=0.1))
    tokens = np.random.default_rng(6).integers(0, vocabulary, (batch, length)).astype(np.int32)
    return step_of(transformer_loss, chain), [p, jax.tree.map(np.asarray, chain.init(p)), tokens]


def gpt_block(dtype, wide):
    width = 32 if wide else 8
    p = {k: v[0] for k, v in cast(transformer_init(8, width, 4 * width, 2, 5), dtype)['layers'].items()}
    return jax.value_and_grad(lambda p, x: jnp.mean(jnp.square(block(x, p))), (0, 1)), [p, cast(normal(7, 4, 16, width), dtype)]


def rnn(dtype, wide):
    width = 16 if wide else 4
    p = cast(init_of({'wz': (8 + width, width), 'wr': (8 + width, width), 'wh': (8 + width, width), 'bz': (width,)}, 8), dtype)
    return jax.value_and_grad(gru), [p, cast(normal(9, 8, 20, 8), dtype)]


def cnn_step(dtype, wide):
    side, width = (16, 8) if wide else (8, 4)
    p = cast(init_of({'w1': (3, 3, 2, width), 'b1': (width,), 'w2': (3, 3, width, width), 'b2': (width,), 'out': (side * side // 16 * width, 10)}, 10), dtype)
    sgd = optax.sgd(0.1, momentum=0.9)
    data = [cast(normal(11, 4, side, side, 2), dtype), np.array([1, 3, 5, 9], np.int32)]
    return step_of(lambda p, x, y: cnn_loss(p, x, y, 'max'), sgd), [p, cast(jax.tree.map(np.asarray, sgd.init(p)), dtype), *data]


STEPS = {'mlp step': mlp_step, 'gpt step': gpt_step, 'gpt block gradient': gpt_block, 'scanned rnn gradient': rnn, 'cnn step': cnn_step}
# Of 4,096 float32 numbers and more, which XLA gives to a library, and of fewer.
LONG = [((64, 64), (0,)), ((64, 64), (1,)), ((41, 100), (0,)), ((41, 100), (1,)), ((64, 5, 15), (1, 2)), ((14, 300), (1,)), ((64, 1, 64), (2,)), ((256, 16), (0,))]
SHORT = [((1000,), (0,)), ((100, 8), (0,)), ((8, 100), (1,)), ((33, 33), (0, 1)), ((16, 32), (0,)), ((20,), (0,))]


def steps(wide, dtypes=('bfloat16', 'float16')):
    """(name, function, arguments) of whole programs."""
    for dtype in dtypes:
        for name, make in STEPS.items():
            yield f'{name} {dtype}', *make(dtype, wide)


def small():
    """What is equal in every number."""
    yield from steps(False, ['bfloat16'])
    for dtype in ('bfloat16', 'float16'):
        given = [cast(normal(i, 2, 2, 6, 4), dtype) for i in (1, 2, 3)]
        yield f'attention gradient {dtype}', jax.grad(lambda *a: jnp.sum(attention(*a) ** 2), (0, 1, 2)), given
        yield f'gelu gradient {dtype}', jax.grad(lambda x: jnp.sum(jax.nn.gelu(x))), [cast(normal(1, 9, 31), dtype)]
    for dtype in ('float32', 'bfloat16', 'float16'):
        zero = np.asarray(jnp.zeros((), dtype))[()]
        for shape, axes in (LONG + SHORT if dtype == 'float32' else SHORT):
            given = [cast(normal(1, *shape), dtype)]
            yield f'sum {dtype} {shape} over {axes}', lambda x, axes=axes, zero=zero: lax.reduce(x, zero, lax.add, axes), given


def results(function, arguments, places=True):
    """The text, with the places of Python where they are wanted, and the results by flag."""
    lowered = jax.jit(function, keep_unused=True).lower(*arguments)
    found = {}
    for name, allowed in FLAGS.items():
        compiled = lowered.compile(compiler_options={'xla_allow_excess_precision': allowed})
        found[name] = [np.asarray(r) for r in jax.tree.leaves(compiled(*arguments))]
    return lowered.as_text(debug_info=places), found
