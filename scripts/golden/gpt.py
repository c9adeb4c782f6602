"""Writes test/golden/nn/gpt.json: a small decoder trained for 40 steps in float64 by jax and optax.

    python scripts/golden/gpt.py [FOLDER]       FOLDER is test/golden unless named

The model is a plain function of its parameters: token embedding, two blocks (RMS norm, causal attention with RoPE and shared
keys; RMS norm, gated MLP), RMS norm, product to logits; AdamW. Fresh weights are drawn in float32 by jax.nn.initializers from
keys folded as tpu-toolkit's layers fold them; tokens follow a formula. Losses of every step, and of every parameter at the
end its sum and its sum of squares, as 16 hex digits of float64.
"""

import json
import os
import struct
import sys
from pathlib import Path

os.environ['JAX_PLATFORMS'] = 'cpu'

import jax

jax.config.update('jax_enable_x64', True)

import jax.numpy as jnp
import numpy as np
import optax
from jax.nn import initializers as ini

V, D, F, N, K, T, BATCH, STEPS = 24, 16, 32, 4, 2, 12, 3, 40
H = D // N
LECUN = ini.lecun_normal()


def drawn(init, key, shape):
    return init(key, shape, jnp.float32).astype(jnp.float64)


def linear(key, inputs, outputs):
    return {'weight': drawn(LECUN, jax.random.fold_in(key, 0), (inputs, outputs))}


def block(key):
    """sequential([residual(sequential([norm, attention])), residual(sequential([norm, mlp]))])"""
    attention_key = jax.random.fold_in(jax.random.fold_in(key, 0), 1)
    mlp_key = jax.random.fold_in(jax.random.fold_in(key, 1), 1)
    sizes = [('query', D, N * H), ('key', D, K * H), ('value', D, K * H), ('out', N * H, D)]
    attention = {
        name: linear(jax.random.fold_in(attention_key, i), inputs, outputs)
        for i, (name, inputs, outputs) in enumerate(sizes)
    }
    mlp = {
        'up': linear(jax.random.fold_in(mlp_key, 0), D, F),
        'gate': linear(jax.random.fold_in(mlp_key, 2), D, F),
        'down': linear(jax.random.fold_in(mlp_key, 1), F, D),
    }
    norm = {'scale': jnp.ones(D)}
    return [[norm, attention], [norm, mlp]]


def model(key):
    table = ini.variance_scaling(1.0, 'fan_in', 'normal', in_axis=-1, out_axis=0)
    return [
        {'table': drawn(table, jax.random.fold_in(key, 0), (V, D))},
        block(jax.random.fold_in(key, 1)),
        block(jax.random.fold_in(key, 2)),
        {'scale': jnp.ones(D)},
        linear(jax.random.fold_in(key, 4), D, V),
    ]


def rms_norm(p, x):
    return x / jnp.sqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * p['scale']


def turned(x):
    """Pairs (x_i, x_{i + H/2}) by position times 10000^(-2 i / H)."""
    frequency = 10000.0 ** (-2 * np.arange(H // 2) / H)
    angle = np.arange(T)[:, None] * frequency
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([a * np.cos(angle) - b * np.sin(angle), b * np.cos(angle) + a * np.sin(angle)], axis=-1)


def attention(p, x):
    def heads(name, count):
        return (x @ p[name]['weight']).reshape(BATCH, T, count, H).transpose(0, 2, 1, 3)

    q, k, v = turned(heads('query', N)), turned(heads('key', K)), heads('value', K)
    k, v = (jnp.repeat(z, N // K, axis=1) for z in (k, v))
    logits = jnp.where(np.tril(np.ones((T, T), bool)), q @ k.transpose(0, 1, 3, 2) / np.sqrt(H), -jnp.inf)
    out = jax.nn.softmax(logits, axis=-1) @ v
    return out.transpose(0, 2, 1, 3).reshape(BATCH, T, N * H) @ p['out']['weight']


def mlp(p, x):
    return (jax.nn.silu(x @ p['gate']['weight']) * (x @ p['up']['weight'])) @ p['down']['weight']


def loss(params, tokens):
    x = params[0]['table'][tokens[:, :-1]]
    for layer in params[1:3]:
        x = x + attention(layer[0][1], rms_norm(layer[0][0], x))
        x = x + mlp(layer[1][1], rms_norm(layer[1][0], x))
    logits = rms_norm(params[3], x) @ params[4]['weight']
    return optax.losses.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


def tokens_of(step):
    i = np.arange(BATCH * (T + 1)).reshape(BATCH, T + 1) + 7 * step
    return jnp.asarray((i * i + 3 * i) % V, jnp.int32)


def hexes(values):
    return [struct.pack('>d', float(value)).hex() for value in values]


def main(folder):
    path = Path(folder) / 'nn'
    path.mkdir(parents=True, exist_ok=True)
    params = model(jax.random.key(3))
    optimizer = optax.adamw(1e-2, weight_decay=1e-2)
    state = optimizer.init(params)

    @jax.jit
    def step(params, state, tokens):
        value, gradient = jax.value_and_grad(loss)(params, tokens)
        updates, state = optimizer.update(gradient, state, params)
        return optax.apply_updates(params, updates), state, value

    losses = []
    for i in range(STEPS):
        params, state, value = step(params, state, tokens_of(i))
        losses.append(value)
    leaves = jax.tree.leaves(params)
    key = {
        'losses': hexes(losses),
        'sums': hexes(leaf.sum() for leaf in leaves),
        'squares': hexes((leaf * leaf).sum() for leaf in leaves),
    }
    (path / 'gpt.json').write_text(json.dumps(key, indent=1) + '\n')
    print('gpt: loss', float(losses[0]), float(losses[-1]))


if __name__ == '__main__':
    main(sys.argv[1] if len(sys.argv) > 1 else 'test/golden')
