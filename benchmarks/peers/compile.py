"""The programs of `npm run bench:compile` in JAX, compiled (jit) and operation by operation, and in NumPy; one thread.

Usage: compile.py PROGRAM. Prints [{"name", "times"}], seconds of each run; [] for a program that is not here. For `versions`
prints what runs.
"""

import json
import os
import sys
import time

# One thread for all of XLA: its pool takes what the process may use.
if hasattr(os, 'sched_setaffinity'):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.environ.setdefault('JAX_PLATFORMS', 'cpu')

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

LARGE = 2**20
rng = np.random.default_rng(16)


def drawn(shape, dtype, scale=1.0):
    return jnp.asarray(rng.standard_normal(shape).astype(np.float32) * scale).astype(dtype)


def mlp_parameters(dtype):
    sizes = [64, 256, 256, 10]
    return [(drawn((m, n), dtype, (2 / m) ** 0.5), jnp.zeros(n, dtype)) for m, n in zip(sizes, sizes[1:])]


def mlp_loss(params, x, labels):
    for i, (w, b) in enumerate(params):
        x = x @ w + b
        if i < 2:
            x = jnp.maximum(x, 0)
    return -jnp.mean(jnp.sum(labels * jax.nn.log_softmax(x), axis=-1))


def mlp_batch(dtype):
    return drawn((128, 64), dtype), jnp.eye(10, dtype=dtype)[np.arange(128) * 7 % 10]


def adamw(params, grads, state):
    count, mu, nu = state
    count = count + 1
    mu = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mu, grads)
    nu = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, nu, grads)
    one, two = 1 - 0.9 ** count.astype(jnp.float32), 1 - 0.999 ** count.astype(jnp.float32)

    def moved(p, m, v):
        m_hat, v_hat = m / one.astype(m.dtype), v / two.astype(v.dtype)
        return p - 1e-3 * (m_hat / (jnp.sqrt(v_hat) + 1e-8) + 1e-4 * p)

    return jax.tree.map(moved, params, mu, nu), (count, mu, nu)


def state_of(params):
    zeros = jax.tree.map(jnp.zeros_like, params)
    return jnp.zeros((), jnp.int32), zeros, zeros


def transformer_loss(params, x, y):
    batch, length, width, heads = 8, 128, 128, 4
    mask = ((jnp.tril(jnp.ones((length, length))) - 1) * 30000).astype(x.dtype)
    normed = lambda h: h * jax.lax.rsqrt(jnp.mean(h * h, axis=-1, keepdims=True))
    split = lambda z: z.reshape(batch, length, heads, width // heads).transpose(0, 2, 1, 3)
    for q, k, v, o, up, down in params:
        z = normed(x)
        scores = split(z @ q) @ split(z @ k).transpose(0, 1, 3, 2) * (width // heads) ** -0.5 + mask
        mixed = (jax.nn.softmax(scores) @ split(z @ v)).transpose(0, 2, 1, 3).reshape(batch, length, width)
        x = x + mixed @ o
        x = x + jnp.maximum(normed(x) @ up, 0) @ down
    return jnp.mean((x - y) ** 2)


def transformer_parameters(dtype):
    wide, tall = ((128, 512), 128**-0.5), ((512, 128), 512**-0.5)
    return [tuple(drawn(s, dtype, c) for s, c in [((128, 128), 128**-0.5)] * 4 + [wide, tall]) for _ in range(2)]


def chained(y, x):
    for _ in range(4):
        y = y * x.dtype.type(0.75) + x - x.dtype.type(0.25)
    return y


def wave(x, y):
    for _ in range(10):
        x = jnp.tanh(x) * y
    return x


def programs(what, dtype):
    """The function and its arguments, and the NumPy function if there is one."""
    if what == 'mlp gradient':
        return jax.value_and_grad(mlp_loss), (mlp_parameters(dtype), *mlp_batch(dtype)), None
    if what == 'mlp step':
        params = mlp_parameters(dtype)

        def step(params, state, x, labels):
            loss, grads = jax.value_and_grad(mlp_loss)(params, x, labels)
            return loss, adamw(params, grads, state)

        return step, (params, state_of(params), *mlp_batch(dtype)), None
    if what == 'transformer gradient':
        x, y = drawn((8, 128, 128), dtype), drawn((8, 128, 128), dtype)
        return jax.value_and_grad(transformer_loss), (transformer_parameters(dtype), x, y), None
    if what == 'chain':
        x = drawn(LARGE, dtype)
        return (lambda x: chained(x, x)), (x,), lambda a=np.asarray(x): chained(a, a)
    if what == 'adamw':
        params, grads = drawn(LARGE, dtype), drawn(LARGE, dtype, 0.1)
        return adamw, (params, grads, state_of(params)), None
    return None


def times_of(run):
    """Seconds of at least 12 runs after warming up, for about as long as measure.ts takes."""
    begin = time.perf_counter()
    run()
    while time.perf_counter() - begin < 0.15:
        run()
    times = []
    start = time.perf_counter()
    while len(times) < 12 or (len(times) < 200 and time.perf_counter() - start < 0.6):
        before = time.perf_counter()
        run()
        times.append(time.perf_counter() - before)
    return times


def answer(name):
    if name.startswith('small'):
        x, y = drawn(16, jnp.bfloat16), drawn(16, jnp.bfloat16)
        found = (jnp.add if name == 'small 1 operation' else wave), (x, y), None
    else:
        what, _, kind = name.rpartition(' ')
        dtype = getattr(ml_dtypes, kind, None) or getattr(np, kind, None)
        try:
            found = programs(what, dtype) if dtype else None
        except Exception:  # dtypes that JAX does not have
            found = None
    if not found:
        return []
    f, args, plain = found
    made = [('JAX jit', jax.jit(f)), ('JAX op by op', f)]
    result = []
    for title, run in made:
        try:
            result.append({'name': title, 'times': times_of(lambda: jax.block_until_ready(run(*args)))})
        except Exception:  # dtypes that JAX does not compute with
            continue
    if plain:
        result.append({'name': 'NumPy', 'times': times_of(plain)})
    return result


if __name__ == '__main__':
    np.seterr(all='ignore')
    if sys.argv[1] == 'versions':
        print(json.dumps(f'JAX {jax.__version__}, NumPy {np.__version__}, ml_dtypes {ml_dtypes.__version__}'))
    else:
        print(json.dumps(answer(sys.argv[1])))
