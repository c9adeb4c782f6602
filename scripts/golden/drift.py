"""Regenerates test/golden/optimizer/drift.json: least squares under AdamW in seven ways of low precision, on CPU.

    python scripts/golden/drift.py [FOLDER]        FOLDER is test/golden unless named

The problem is drawn by hash (`bell`), 64 x 64; nothing is read from the stored key. Each run makes 500 steps:
`f64`: everything float64. `f32_optax`, `bf16_optax_naive`: optax.adamw, op by op, on {a: weights, z: 0}, since optax's
bias correction of a tree with one leaf multiplies by a reciprocal. `bf16_*_f32state`: weights stored in bfloat16, the
gradient at them in float32 and then rounded to bfloat16, AdamW in float32 by NumPy, one rounding an operation; what is
stored is below, under `STORAGE`.
The key was first made by another program.
"""

import json
import os
import sys
from pathlib import Path

os.environ['JAX_PLATFORMS'] = 'cpu'

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import optax

F, B = np.float32, ml_dtypes.bfloat16
SEED, N, STEPS = 82, 64, 500
HYPER = {'learning_rate': 0.001, 'b1': 0.9, 'b2': 0.999, 'eps': 1e-08, 'weight_decay': 0.01}
LISTED = (1, 2, 5, 10, 20, 50, 100, 200, 300, 400, 500)


def hash32(x):
    x = np.asarray(x, np.uint32)
    x = x ^ (x >> np.uint32(16))
    x = x * np.uint32(0x7FEB352D)
    x = x ^ (x >> np.uint32(15))
    x = x * np.uint32(0x846CA68B)
    return x ^ (x >> np.uint32(16))


def u32(stream, indices):
    start = hash32(hash32(SEED) ^ np.uint32(stream))
    return hash32(start + np.asarray(indices, np.uint32) * np.uint32(0x9E3779B9))


def bell(stream, count):
    """Twelve uniform numbers added and shifted: about standard normal."""
    units = u32(stream, np.arange(12 * count)).astype(np.float64) / 2**32
    total = np.zeros(count)
    for i in range(12):
        total += units[i::12]
    return total - 6


def matvec(matrix, vector, dtype):
    total = np.zeros(matrix.shape[0], dtype)
    for j in range(matrix.shape[1]):
        total = total + matrix[:, j] * vector[j]
    return total


def widened(bits16):
    return bits16.astype(F)


with np.errstate(over='ignore'):
    A = (bell(1, N * N) * 0.125).astype(F).reshape(N, N)
    X_TRUE = bell(2, N).astype(F)
    X0 = widened(bell(3, N).astype(F).astype(B))
TARGET = matvec(A.astype(np.float64), X_TRUE.astype(np.float64), np.float64).astype(F)


def gradient(w, dtype):
    rest = matvec(A.astype(dtype), w.astype(dtype), dtype) - TARGET.astype(dtype)
    return matvec(A.astype(dtype).T, rest, dtype) / dtype(N)


def loss(w):
    rest = matvec(A.astype(np.float64), np.asarray(w).astype(np.float64), np.float64) - TARGET.astype(np.float64)
    total = 0.0
    for r in rest:
        total += r * r
    return float(total / (2 * N))


def bits(values):
    width = {2: np.uint16, 4: np.uint32, 8: np.uint64}[values.dtype.itemsize]
    return ''.join(f'{word:0{2 * values.dtype.itemsize}x}' for word in values.view(width).tolist())


def float64_run():
    lr, b1, b2, eps, decay = HYPER.values()
    w, m, v = X0.astype(np.float64), np.zeros(N), np.zeros(N)
    path = [w]
    for t in range(1, STEPS + 1):
        g = gradient(w, np.float64)
        m = (1 - b1) * g + b1 * m
        v = (1 - b2) * (g * g) + b2 * v
        w = w + -lr * ((m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps) + decay * w)
        path.append(w)
    return path, {}


def optax_run(dtype):
    transform = optax.adamw(**HYPER)
    params = {'a': jnp.asarray(X0.astype(dtype)), 'z': jnp.zeros((), dtype)}
    state = transform.init(params)
    path = [np.asarray(params['a'])]
    for _ in range(STEPS):
        g = gradient(path[-1].astype(F), F).astype(dtype)
        grads = {'a': jnp.asarray(g), 'z': jnp.zeros((), dtype)}
        updates, state = transform.update(grads, state, params)
        params = optax.apply_updates(params, updates)
        path.append(np.asarray(params['a']))
    return path, {}


def nearest(p, kept, update, _):
    return (widened(p) + update).astype(B), kept


def master(_, kept, update, __):
    kept = kept + update
    return kept.astype(B), kept


def kahan(p, c, update, _):
    c = (widened(c) + update).astype(B)
    n = (widened(p) + widened(c)).astype(B)
    lost = (widened(p) - widened(n)).astype(B)
    return n, (widened(c) + widened(lost)).astype(B)


def stochastic(p, kept, update, t):
    words = (widened(p) + update).view(np.uint32)
    drawn = u32(0x5EED0000 + t, np.arange(N)) & np.uint32(0xFFFF)
    return ((words + drawn) >> np.uint32(16)).astype(np.uint16).view(B), kept


STORAGE = {'nearest': nearest, 'master': master, 'kahan': kahan, 'stochastic': stochastic}


def stored_run(mode):
    lr, b1, b2, eps, decay = HYPER.values()
    p = X0.astype(B)
    kept = X0.copy() if mode == 'master' else np.zeros(N, B)
    m, v = np.zeros(N, F), np.zeros(N, F)
    path, seen = [X0.copy() if mode == 'master' else p], [p]
    for t in range(1, STEPS + 1):
        g = widened(gradient(widened(p), F).astype(B))
        m = F(1 - b1) * g + F(b1) * m
        v = F(1 - b2) * (g * g) + F(b2) * v
        # NumPy's float32 power may be the machine's own; a float64 power rounded is powf's at these steps.
        bias1, bias2 = (F(1) - F(float(F(b)) ** t) for b in (b1, b2))
        w = kept if mode == 'master' else widened(p)
        update = F(-lr) * ((m / bias1) / (np.sqrt(v / bias2) + F(eps)) + F(decay) * w)
        p, kept = STORAGE[mode](p, kept, update, t)
        path.append(kept if mode == 'master' else p)
        seen.append(p)
    extra = {}
    if mode == 'master':
        view = loss(seen[-1])
        extra['note'] = f'params are the f32 master; bf16 view: loss {view:.9g}'
        extra['bf16_view_loss'] = view
        extra['bf16_view_max_drift'] = float(np.max(np.abs(seen[-1].astype(np.float64) - EXACT[0][-1])))
    extra |= {'final_mu': bits(m), 'final_nu': bits(v)}
    if mode == 'kahan':
        extra['final_comp'] = bits(kept)
    return path, extra


def record(run, short):
    path, extra = run
    drift = np.abs(path[-1].astype(np.float64) - EXACT[0][-1])
    return {
        'final_loss': loss(path[-1]),
        'max_param_drift_vs_f64': float(drift.max()),
        'rms_param_drift_vs_f64': float(np.sqrt(np.mean(drift**2))),
        'dtype': short,
        'unchanged_params_in_last_step': int(np.sum(path[-1] == path[-2])) if short != 'f64' else 0,
        'params_at': {str(t): bits(path[t]) for t in LISTED},
        'loss_at': {str(t): loss(path[t]) for t in LISTED},
        **extra,
    }


with np.errstate(over='ignore'):
    EXACT = float64_run()
    KEY = {
        'about': '64x64 least squares under AdamW; procedure in README.md',
        'seed': SEED,
        'n': N,
        'steps': STEPS,
        'hyper': HYPER,
        'A': bits(A.ravel()),
        'x_true': bits(X_TRUE),
        'b': bits(TARGET),
        'x0': bits(X0),
        'initial_loss': loss(X0),
        'runs': {
            'f64': record(EXACT, 'f64'),
            'f32_optax': record(optax_run(F), 'f32'),
            'bf16_optax_naive': record(optax_run(B), 'bf16'),
            'bf16_nearest_f32state': record(stored_run('nearest'), 'bf16'),
            'bf16_master_f32state': record(stored_run('master'), 'f32'),
            'bf16_kahan_f32state': record(stored_run('kahan'), 'bf16'),
            'bf16_stochastic_f32state': record(stored_run('stochastic'), 'bf16'),
        },
    }


def written(value, depth=0):
    """One line a field; the hyper-parameters on one."""
    if not isinstance(value, dict) or value is HYPER:
        return json.dumps(value, separators=(',', ':'))
    indent = ' ' * (depth + 1)
    lines = [f'{indent}{json.dumps(k)}:{written(v, depth + 1)}' for k, v in value.items()]
    return '{\n' + ',\n'.join(lines) + '\n' + ' ' * depth + '}'


folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / 'test' / 'golden'
(folder / 'optimizer' / 'drift.json').write_text(written(KEY) + '\n')
