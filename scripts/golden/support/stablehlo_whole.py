"""Whole programs: training steps, layers with their gradients, optimizers, agents, random draws, control flow, sharding."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from support.stablehlo_layers import (
    attention, cnn_loss, gru, init_of, layer_norm, mlp_init, mlp_loss, policy_loss, ssd_chunked, ssm_factorized, transformer_init, transformer_loss,
)  # fmt: skip
from support.stablehlo_programs import EXACT, Program, scale
from support.stablehlo_values import ordinary

NEAR = 'sums in other orders and functions of a few ulp, carried through the program'


def oracles(count=256, interpreter=None):
    return {'interpreter': interpreter or scale(count, NEAR), 'jit': scale(count, NEAR)}


def programs():
    yield from networks()
    yield from optimizers()
    yield from sequences()
    yield from agents()
    yield from control()
    yield from mixed()
    yield from sharded()


def step_of(loss, optimizer):
    def step(p, state, *batch):
        value, grads = jax.value_and_grad(loss)(p, *batch)
        updates, state = optimizer.update(grads, state, p)
        return optax.apply_updates(p, updates), state, value

    return step


def cast(tree, dtype):
    return jax.tree.map(lambda a: np.asarray(jnp.asarray(a, dtype) if np.asarray(a).dtype == np.float32 else a), tree)


def networks():
    x, y = ordinary('f32', (6, 5), 61), ordinary('f32', (6, 3), 62)
    p = mlp_init((5, 8, 3), 63)
    for dtype in ('float32', 'bfloat16', 'float16'):
        q, a, b = cast(p, dtype), cast(x, dtype), cast(y, dtype)
        yield Program(f'mlp loss and gradient {dtype}', jax.value_and_grad(mlp_loss), [q, a, b], oracles(), debug=dtype == 'bfloat16')
        sgd = optax.sgd(0.1, momentum=0.9)
        yield Program(f'mlp step of sgd {dtype}', step_of(mlp_loss, sgd), [q, cast(sgd.init(q), dtype), a, b], oracles())
        chain = optax.chain(optax.clip_by_global_norm(1.0), optax.zero_nans(), optax.adamw(1e-2))
        yield Program(f'mlp step of clip zero_nans adamw {dtype}', step_of(mlp_loss, chain), [q, jax.tree.map(np.asarray, chain.init(q)), a, b], oracles(), debug=dtype == 'bfloat16')
    yield Program('mlp per-example gradients f32', lambda p, x, y: jax.vmap(jax.grad(mlp_loss), (None, 0, 0))(p, x[:, None], y[:, None]), [p, x, y], oracles())
    yield Program('mlp hessian-vector product f32', lambda p, x, y: jax.jvp(lambda q: jax.grad(mlp_loss)(q, x, y), (p,), (p,))[1], [p, x, y], oracles())
    images, labels = ordinary('f32', (2, 8, 8, 2), 64), np.array([1, 3], np.int32)
    conv = init_of({'w1': (3, 3, 2, 4), 'b1': (4,), 'w2': (3, 3, 4, 4), 'b2': (4,), 'out': (16, 5)}, 65)
    for dtype in ('float32', 'bfloat16'):
        given = [cast(conv, dtype), cast(images, dtype), labels]
        yield Program(f'cnn with max pooling, loss and gradient {dtype}', jax.value_and_grad(lambda p, x, y: cnn_loss(p, x, y, 'max')), given, oracles(), debug=dtype == 'float32')
        yield Program(f'cnn with average pooling, loss and gradient {dtype}', jax.value_and_grad(lambda p, x, y: cnn_loss(p, x, y, 'average')), given, oracles())
    tokens = np.arange(12, dtype=np.int32).reshape(2, 6) * 5 % 11
    t = transformer_init(11, 8, 16, 2, 66)
    for dtype in ('float32', 'bfloat16'):
        q = cast(t, dtype)
        yield Program(f'transformer loss {dtype}', transformer_loss, [q, tokens], oracles(), debug=True)
        yield Program(f'transformer with scan and remat, gradient {dtype}', jax.grad(transformer_loss), [q, tokens], oracles(512), debug=dtype == 'bfloat16')
        schedule = optax.warmup_cosine_decay_schedule(0.0, 1e-2, 3, 20)
        chain = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=0.1))
        state = jax.tree.map(np.asarray, chain.init(q))
        yield Program(f'transformer step {dtype}', step_of(transformer_loss, chain), [q, state, tokens], oracles(1024), debug=dtype == 'bfloat16')
    yield Program('attention with a causal mask f32', attention, [ordinary('f32', (2, 2, 6, 4), s) for s in (67, 68, 69)], oracles(64))
    yield Program('layer norm and its gradient bf16', jax.value_and_grad(lambda x, g, b: jnp.sum(layer_norm(x, g, b) ** 3).astype(x.dtype)),
                  [ordinary('bf16', (4, 16), 70, 3.0), ordinary('bf16', (16,), 71), ordinary('bf16', (16,), 72)], oracles())  # fmt: skip


def optimizers():
    p = init_of({'w': (4, 3), 'b': (3,)}, 73)
    g = init_of({'w': (4, 3), 'b': (3,)}, 74)
    bad = {'w': g['w'], 'b': np.array([np.nan, 1, np.inf], np.float32)}
    makers = {
        'sgd nesterov': optax.sgd(0.1, 0.9, nesterov=True), 'adam': optax.adam(1e-3), 'adamw': optax.adamw(1e-3), 'rmsprop': optax.rmsprop(1e-2, momentum=0.9),
        'adagrad': optax.adagrad(0.1), 'adafactor': optax.adafactor(1e-2, min_dim_size_to_factor=2), 'lion': optax.lion(1e-3), 'lamb': optax.lamb(1e-2),
        'adamax': optax.adamax(1e-2), 'yogi': optax.yogi(1e-2), 'radam': optax.radam(1e-2), 'novograd': optax.novograd(1e-2),
        'schedule': optax.chain(optax.clip(0.5), optax.scale_by_adam(), optax.scale_by_schedule(optax.cosine_decay_schedule(-0.1, 10))),
    }  # fmt: skip
    for name, optimizer in makers.items():
        state = jax.tree.map(np.asarray, optimizer.init(p))
        def twice(p, s, g, o=optimizer):
            for _ in range(2):
                updates, s = o.update(g, s, p)
                p = optax.apply_updates(p, updates)
            return p, s

        yield Program(f'optax {name}', twice, [p, state, g], oracles(64))
    for name, optimizer in {
        'zero_nans': optax.chain(optax.zero_nans(), optax.sgd(0.1)),
        'apply_if_finite': optax.apply_if_finite(optax.adam(1e-2), 3),
        'multi_steps': optax.MultiSteps(optax.sgd(0.1), 2),
    }.items():
        state = jax.tree.map(np.asarray, optimizer.init(p))
        yield Program(f'optax {name} of gradients with NaN', lambda p, s, g, o=optimizer: o.update(g, s, p), [p, state, bad], oracles(64))
    half = optax.adamw(1e-2, mu_dtype=jnp.bfloat16)
    q, h = cast(p, 'bfloat16'), cast(g, 'bfloat16')
    yield Program('optax adamw bf16', lambda p, s, g: half.update(g, s, p), [q, jax.tree.map(np.asarray, half.init(q)), h], oracles(16))


def sequences():
    x = ordinary('f32', (2, 7, 3), 75)
    p = init_of({'wz': (7, 4), 'wr': (7, 4), 'wh': (7, 4), 'bz': (4,)}, 76)
    for dtype in ('float32', 'bfloat16'):
        yield Program(f'gru over a sequence, loss and gradient {dtype}', jax.value_and_grad(gru), [cast(p, dtype), cast(x, dtype)], oracles(512), debug=dtype == 'bfloat16')
    parts = [ordinary('f32', s, 77 + i, 0.5) for i, s in enumerate([(16, 2, 3), (16, 2), (16, 4), (16, 4)])]
    yield Program('ssd in chunks f32', ssd_chunked, parts, oracles(256))
    yield Program('ssd in chunks, gradient f32', jax.grad(lambda *a: jnp.sum(ssd_chunked(*a) ** 2), (0, 1, 2, 3)), parts, oracles(2048))
    a, u = np.abs(ordinary('f32', (128,), 81)), ordinary('f32', (128,), 82)
    for dtype in ('float32', 'bfloat16'):
        yield Program(f'ssm factorized {dtype}', ssm_factorized, [cast(a, dtype), cast(u, dtype)], {'interpreter': scale(4096, NEAR)}, debug=dtype == 'bfloat16')
    yield Program('associative_scan of a recurrence f32', lambda a, u: lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]), (jnp.exp(-a), u)), [a[:19], u[:19]], oracles(64))  # fmt: skip
    yield Program('ctc loss f32', lambda x: optax.ctc_loss(x, jnp.zeros(x.shape[:2]), jnp.array([[1, 2], [2, 1]]), jnp.zeros((2, 2))), [x], oracles(256))


def agents():
    p = mlp_init((4, 8, 3), 83)
    obs, actions = ordinary('f32', (6, 4), 84), np.array([0, 2, 1, 1, 0, 2], np.int32)
    old, advantages = ordinary('f32', (6,), 85, 0.3), ordinary('f32', (6,), 86)
    adam = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(3e-4, eps=1e-5))
    loss = policy_loss
    yield Program('ppo update f32', step_of(loss, adam), [p, jax.tree.map(np.asarray, adam.init(p)), obs, actions, old, advantages], oracles(512), debug=True)

    def gae(rewards, values, discounts):
        def back(carry, row):
            r, v, nv, d = row
            carry = r + d * nv - v + d * 0.95 * carry
            return carry, carry

        return lax.scan(back, jnp.float32(0), (rewards, values[:-1], values[1:], discounts), reverse=True)[1]

    yield Program('generalised advantage estimation f32', gae, [ordinary('f32', (9,), 87), ordinary('f32', (10,), 88), np.full(9, 0.99, np.float32)], oracles(64))
    yield Program('dqn target f32', lambda q, n, a, r: jnp.mean(optax.huber_loss(q[jnp.arange(6), a], lax.stop_gradient(r + 0.9 * jnp.max(n, 1)))),
                  [ordinary('f32', (6, 3), 89), ordinary('f32', (6, 3), 90), actions, old], oracles(64))  # fmt: skip
    key = np.array([1, 2], np.uint32)
    yield Program('dropout and noise f32', lambda k, x: jnp.where(jax.random.bernoulli(k, 0.8, x.shape), x / 0.8, 0) + 0.1 * jax.random.normal(jax.random.fold_in(k, 1), x.shape), [key, obs], oracles(64))  # fmt: skip


def control():
    x = ordinary('f32', (5,), 91)
    yield Program('while with a carry of four', lambda x: lax.while_loop(lambda c: (c[0] < 20) & (c[1][0] < 100), lambda c: (c[0] + 1, c[1] * 1.5, c[2] ^ c[0], ~c[3]), (0, x + 1, 5, True)), [x], oracles(16))
    yield Program('nested while', lambda x: lax.fori_loop(0, 3, lambda i, c: lax.fori_loop(0, i + 1, lambda j, d: d * 0.5 + j, c), x), [x], oracles(1, EXACT))
    yield Program('cond and its gradient', jax.grad(lambda x: lax.cond(x[0] > 0, lambda v: jnp.sum(v**2), lambda v: jnp.sum(v * 3), x)), [x], oracles(4, EXACT))
    for at in (-1, 0, 1, 5):
        yield Program(f'switch {at}', lambda i, x: lax.switch(i, [lambda v: v + 1, lambda v: v * 2, lambda v: -v], x), [np.int32(at), x], oracles(1, EXACT))
    yield Program('newton with while', lambda x: lax.while_loop(lambda y: jnp.any(jnp.abs(y * y - jnp.abs(x)) > 1e-5), lambda y: 0.5 * (y + jnp.abs(x) / y), jnp.ones_like(x)), [x], oracles(4, EXACT))
    yield Program('collatz in int32', lambda n: lax.while_loop(lambda c: c[0] > 1, lambda c: (jnp.where(c[0] % 2 == 0, c[0] // 2, 3 * c[0] + 1), c[1] + 1), (n, 0)), [np.int32(27)], oracles(0, EXACT))
    yield Program('mandelbrot in complex64', lambda c: lax.fori_loop(0, 12, lambda i, z: jnp.where(jnp.abs(z) < 4, z * z + c, z), jnp.zeros_like(c)), [ordinary('complex<f32>', (6,), 92, 0.5)], oracles(512))
    yield Program('custom_vjp and custom_jvp', jax.grad(lambda x: jnp.sum(jax.nn.relu(x) + jax.nn.silu(x) + jnp.where(x > 0, jnp.sqrt(jnp.abs(x)), x))), [x], oracles(16))
    yield Program('logistic map in bf16', lambda x: lax.scan(lambda c, _: (3.9 * c * (1 - c), c), x, None, length=16)[1], [ordinary('bf16', (3,), 93, 0.3)], oracles(8, EXACT), debug=True)
    yield Program('game of life', lambda b: lax.fori_loop(0, 4, life, b), [ordinary('i1', (8, 8), 94).astype(np.int32)], oracles(0, EXACT))
    yield Program('kalman filter step f32', kalman, [np.eye(3, dtype=np.float32), ordinary('f32', (3,), 95), ordinary('f32', (2, 3), 96), ordinary('f32', (2,), 97)], {'jit': scale(512, NEAR)})
    yield Program('ode by runge-kutta f32', lambda x: lax.fori_loop(0, 10, lambda i, y: runge_kutta(y), x), [x[:2]], oracles(64))


def life(_, board):
    around = sum(jnp.roll(board, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    return ((around == 3) | ((board == 1) & (around == 2))).astype(board.dtype)


def kalman(cov, mean, h, z):
    s = h @ cov @ h.T + jnp.eye(2)
    gain = jax.scipy.linalg.solve(s, h @ cov, assume_a='pos').T
    return mean + gain @ (z - h @ mean), (jnp.eye(3) - gain @ h) @ cov


def runge_kutta(y, h=0.1):
    f = lambda y: jnp.stack([y[1], -jnp.sin(y[0])])  # noqa: E731
    a = f(y)
    b = f(y + h / 2 * a)
    return y + h / 6 * (a + 4 * b + f(y - h * a + 2 * h * b))


def mixed():
    x, w = ordinary('f32', (4, 8), 98), ordinary('f32', (8, 4), 99)

    def fp8(x, w):
        sx, sw = 448 / jnp.max(jnp.abs(x)), 448 / jnp.max(jnp.abs(w))
        a, b = (x * sx).astype(jnp.float8_e4m3fn), (w * sw).astype(jnp.float8_e4m3fn)
        return lax.dot(a, b, preferred_element_type=jnp.float32) / (sx * sw)

    yield Program('fp8 product with scales', fp8, [x, w], oracles(8))
    yield Program('int8 product with scales', lambda x, w: lax.dot(jnp.round(x * 20).astype(jnp.int8), jnp.round(w * 20).astype(jnp.int8), preferred_element_type=jnp.int32) / 400.0, [x, w], oracles(1, EXACT))

    def scaled(p, x):
        loss = lambda p: jnp.mean(jnp.square(x.astype(jnp.float16) @ p.astype(jnp.float16)).astype(jnp.float32)) * 1024  # noqa: E731
        g = jax.tree.map(lambda g: g / 1024, jax.grad(loss)(p))
        finite = jnp.all(jnp.isfinite(g))
        return jnp.where(finite, p - 0.1 * g, p), jnp.where(finite, 1024 * 2, 1024 / 2)

    yield Program('loss scaling in float16', scaled, [w, x], oracles(64))
    yield Program('stochastic rounding by bits', lambda k, x: lax.bitcast_convert_type((lax.bitcast_convert_type(x, jnp.uint32) + (jax.random.bits(k, x.shape) >> 16)) & jnp.uint32(0xFFFF0000), jnp.float32).astype(jnp.bfloat16), [np.array([3, 4], np.uint32), x], oracles(0, EXACT))  # fmt: skip
    yield Program('kahan sum in bf16', lambda x: lax.fori_loop(0, 32, lambda i, c: (lambda y: (c[0] + y, ((c[0] + y) - c[0]) - y))(x[i] - c[1]), (jnp.bfloat16(0), jnp.bfloat16(0))), [ordinary('bf16', (32,), 100)], oracles(4, EXACT))  # fmt: skip
    yield Program('batch norm in training f32', lambda x, s: ((x - x.mean(0)) * lax.rsqrt(x.var(0) + 1e-5) * s, 0.9 + 0.1 * x.var(0)), [x, x[0]], oracles(32))
    yield Program('rotary embedding bf16', lambda x: jnp.concatenate([x[:, :4] * jnp.cos(jnp.arange(4.0)).astype(x.dtype) - x[:, 4:] * jnp.sin(jnp.arange(4.0)).astype(x.dtype), x[:, 4:]], 1), [ordinary('bf16', (4, 8), 101)], oracles(2))  # fmt: skip
    yield Program('mixture of experts routing f32', moe, [x, ordinary('f32', (8, 3), 102), ordinary('f32', (3, 8, 4), 103)], oracles(32))
    yield Program('vector quantisation f32', lambda x, c: (lambda d: (jnp.argmin(d, 1), c[jnp.argmin(d, 1)]))(jnp.sum((x[:, None] - c[None]) ** 2, -1)), [x, ordinary('f32', (6, 8), 104)], oracles(2))


def moe(x, router, experts):
    gates, chosen = lax.top_k(jax.nn.softmax(x @ router), 2)
    return jnp.einsum('tk,tkd->td', gates, jnp.einsum('ti,tkij->tkj', x, experts[chosen]))


def sharded():
    mesh = jax.make_mesh((2, 2), ('data', 'model'), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    x, w = ordinary('f32', (4, 8), 105), ordinary('f32', (8, 6), 106)

    def constrained(x, w):
        y = lax.with_sharding_constraint(x @ w, NamedSharding(mesh, P('data', 'model')))
        return lax.with_sharding_constraint(jnp.sum(y, 0), NamedSharding(mesh, P('model')))

    placed = jax.jit(constrained, in_shardings=(NamedSharding(mesh, P('data', None)), NamedSharding(mesh, P(None, 'model'))))
    yield Program('sharded matmul (sdy)', placed, [x, w], {'jit': scale(16, NEAR)}, debug=True)
    step = jax.jit(jax.grad(lambda w, x: jnp.sum(jnp.tanh(constrained(x, w)))), in_shardings=(NamedSharding(mesh, P(None, 'model')), NamedSharding(mesh, P('data', None))))
    yield Program('sharded gradient (sdy)', step, [w / 16, x], {'jit': scale(64, NEAR)})
    for name, function, out in [
        ('psum', lambda x: lax.psum(x, 'data'), P(None, 'model')),
        ('pmean of both', lambda x: lax.pmean(x, ('data', 'model')), P(None, None)),
        ('all_gather', lambda x: lax.all_gather(x, 'data', axis=0, tiled=True), P(None, 'model')),
        ('psum_scatter', lambda x: lax.psum_scatter(x, 'data', scatter_dimension=0, tiled=True), P('data', 'model')),
        ('ppermute', lambda x: lax.ppermute(x, 'model', [(0, 1), (1, 0)]), P('data', 'model')),
        ('all_to_all', lambda x: lax.all_to_all(x, 'model', 0, 1, tiled=True), P('data', 'model')),
    ]:
        mapped = jax.shard_map(function, mesh=mesh, in_specs=P('data', 'model'), out_specs=out, check_vma=False)
        yield Program(f'shard_map {name}', jax.jit(mapped), [x], {'jit': scale(4, NEAR)})
