"""The kernels of `npm run bench:kernels:speed` in JAX, compiled (jit) and operation by operation, and in NumPy; one thread.

Usage: kernels.py KERNEL. Prints [{"name", "times"}], seconds of each run; [] for a kernel that is not here. For `versions`
prints what runs. NumPy computes in float32 where the operands are bfloat16 and casts at the end, as JAX's kernels do.
"""

import json
import sys

from compile import drawn, jax, jnp, ml_dtypes, np, times_of

HEADS, LENGTH, WIDTH, ROWS, FEATURES = 4, 512, 64, 2048, 512
MASK = np.tril(np.ones((LENGTH, LENGTH), bool))


def softmax(lib, s):
    e = lib.exp(s - lib.max(s, axis=-1, keepdims=True))
    return e / lib.sum(e, axis=-1, keepdims=True)


def attention(lib, q, k, v):
    f = np.float32
    s = (q.astype(f) @ lib.swapaxes(k.astype(f), -1, -2)) * f(WIDTH**-0.5)
    p = softmax(lib, lib.where(MASK, s, f(-np.inf)))
    return (p.astype(v.dtype).astype(f) @ v.astype(f)).astype(q.dtype)


def layer_norm(lib, x, scale):
    z = x.astype(np.float32)
    c = z - lib.mean(z, axis=-1, keepdims=True)
    r = 1 / lib.sqrt(lib.mean(c * c, axis=-1, keepdims=True) + np.float32(1e-5))
    return (c * (r * scale.astype(np.float32))).astype(x.dtype)


def rms_norm(lib, x, scale):
    z = x.astype(np.float32)
    r = 1 / lib.sqrt(lib.mean(z * z, axis=-1, keepdims=True) + np.float32(1e-6))
    return (z * r * scale.astype(np.float32)).astype(x.dtype)


ANGLES = (np.arange(LENGTH)[:, None] * 10000.0 ** (-np.arange(0, WIDTH, 2) / WIDTH)).astype(np.float32)
COS, SIN = np.cos(ANGLES), np.sin(ANGLES)


def rope(lib, x):
    z = x.astype(np.float32)
    a, b = z[..., : WIDTH // 2], z[..., WIDTH // 2 :]
    return lib.concatenate([a * COS - b * SIN, b * COS + a * SIN], axis=-1).astype(x.dtype)


def product(lib, a, b):
    f = np.float32
    return (a.astype(f) @ b.astype(f)).astype(a.dtype)


def high(lib, a, b):
    """Three products of bfloat16 parts, as matrix units compute 'high'."""
    f, h = np.float32, ml_dtypes.bfloat16
    parts = lambda x: (x.astype(h).astype(f), (x - x.astype(h).astype(f)).astype(h).astype(f))
    (a1, a2), (b1, b2) = parts(a), parts(b)
    return a1 @ b2 + a2 @ b1 + a1 @ b1


def route(lib, logits):
    weights = softmax(lib, logits)
    if lib is jnp:
        return jax.lax.top_k(weights, 2)[0]
    return -np.sort(-weights, axis=-1)[:, :2]


def kernels(what, dtype):
    qkv = lambda: [drawn((HEADS, LENGTH, WIDTH), dtype) for _ in range(3)]
    rows = lambda: [drawn((ROWS, FEATURES), dtype), drawn((FEATURES,), dtype)]
    squares = lambda: [drawn((512, 512), dtype) for _ in range(2)]
    return {
        'attention': (attention, qkv),
        'flash attention': (attention, qkv),
        'layer norm': (layer_norm, rows),
        'rms norm': (rms_norm, rows),
        'rope': (rope, lambda: qkv()[:1]),
        'product': (product, squares),
        'gemm high': (high, squares),
        'route': (route, lambda: [drawn((ROWS, 64), dtype)]),
    }.get(what)


def answer(name):
    what, _, kind = name.rpartition(' ')
    dtype = getattr(ml_dtypes, kind, None) or getattr(np, kind, None)
    found = kernels(what, dtype) if dtype else None
    if found is None:
        return []
    f, operands = found
    args = operands()
    plain = [np.asarray(x) for x in args]
    runs = [
        ('JAX jit', jax.jit(lambda *xs: f(jnp, *xs)), args),
        ('JAX op by op', lambda *xs: f(jnp, *xs), args),
        ('NumPy', lambda *xs: f(np, *xs), plain),
    ]
    return [
        {'name': title, 'times': times_of(lambda: jax.block_until_ready(run(*xs)))} for title, run, xs in runs
    ]


if __name__ == '__main__':
    if sys.argv[1] == 'versions':
        print(json.dumps(f'JAX {jax.__version__}, NumPy {np.__version__}, ml_dtypes {ml_dtypes.__version__}'))
    else:
        print(json.dumps(answer(sys.argv[1])))
