"""A decoder trained by jax and optax, for scripts/golden/decoder.py and `npm run bench:gpt`.

    gpt.py TEXT STEPS       prints losses in float64, the float32 curve, milliseconds a step, sums of the last weights

The model is a plain function of its parameters: token embedding, blocks (RMS norm, causal attention with RoPE and shared keys;
RMS norm, gated MLP), RMS norm, product to logits; AdamW. Fresh weights are drawn in float32 by jax.nn.initializers from keys
folded as tpu-toolkit's layers fold them, so that both begin with the same numbers.
"""

import json
import os
import sys
import time
from collections import namedtuple
from pathlib import Path

os.environ['JAX_PLATFORMS'] = 'cpu'
os.environ['XLA_FLAGS'] = '--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1'

import jax

jax.config.update('jax_enable_x64', True)

import jax.numpy as jnp
import numpy as np
import optax
from jax.nn import initializers as ini

Sizes = namedtuple('Sizes', 'vocabulary features hidden heads kv_heads layers length batch')
LECUN = ini.lecun_normal()
TABLE = ini.variance_scaling(1.0, 'fan_in', 'normal', in_axis=-1, out_axis=0)


def linear(key, inputs, outputs):
    return {'weight': LECUN(jax.random.fold_in(key, 0), (inputs, outputs), jnp.float32)}


def block(key, sizes):
    """sequential([residual(sequential([norm, attention])), residual(sequential([norm, mlp]))])"""
    attention_key = jax.random.fold_in(jax.random.fold_in(key, 0), 1)
    mlp_key = jax.random.fold_in(jax.random.fold_in(key, 1), 1)
    D, F, H = sizes.features, sizes.hidden, sizes.features // sizes.heads
    widths = [('query', D, D), ('key', D, sizes.kv_heads * H), ('value', D, sizes.kv_heads * H), ('out', D, D)]
    attention = {
        name: linear(jax.random.fold_in(attention_key, i), inputs, outputs)
        for i, (name, inputs, outputs) in enumerate(widths)
    }
    mlp = {
        'up': linear(jax.random.fold_in(mlp_key, 0), D, F),
        'gate': linear(jax.random.fold_in(mlp_key, 2), D, F),
        'down': linear(jax.random.fold_in(mlp_key, 1), F, D),
    }
    norm = {'scale': jnp.ones(D, jnp.float32)}
    return [[norm, attention], [norm, mlp]]


def model(key, sizes, dtype):
    fold = jax.random.fold_in
    last = sizes.layers + 1
    params = [
        {'table': TABLE(fold(key, 0), (sizes.vocabulary, sizes.features), jnp.float32)},
        *(block(fold(key, 1 + i), sizes) for i in range(sizes.layers)),
        {'scale': jnp.ones(sizes.features, jnp.float32)},
        linear(fold(key, last + 1), sizes.features, sizes.vocabulary),
    ]
    return jax.tree.map(lambda leaf: leaf.astype(dtype), params)


def rms_norm(p, x):
    return x / jnp.sqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * p['scale']


def turned(x):
    """Pairs (x_i, x_{i + H/2}) by position times 10000^(-2 i / H)."""
    length, H = x.shape[-2:]
    angle = np.arange(length)[:, None] * 10000.0 ** (-2 * np.arange(H // 2) / H)
    cos, sin = np.cos(angle).astype(x.dtype), np.sin(angle).astype(x.dtype)
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


def attention(p, x, sizes):
    batch, length, D = x.shape
    H = D // sizes.heads

    def heads(name, count):
        return (x @ p[name]['weight']).reshape(batch, length, count, H).transpose(0, 2, 1, 3)

    q, k, v = turned(heads('query', sizes.heads)), turned(heads('key', sizes.kv_heads)), heads('value', sizes.kv_heads)
    k, v = (jnp.repeat(z, sizes.heads // sizes.kv_heads, axis=1) for z in (k, v))
    causal = np.tril(np.ones((length, length), bool))
    logits = jnp.where(causal, q @ k.transpose(0, 1, 3, 2) * x.dtype.type(H**-0.5), -jnp.inf)
    out = jax.nn.softmax(logits, axis=-1) @ v
    return out.transpose(0, 2, 1, 3).reshape(batch, length, D) @ p['out']['weight']


def mlp(p, x):
    return (jax.nn.silu(x @ p['gate']['weight']) * (x @ p['up']['weight'])) @ p['down']['weight']


def loss_of(params, tokens, sizes):
    x = params[0]['table'][tokens[:, :-1]]
    for layer in params[1 : 1 + sizes.layers]:
        x = x + attention(layer[0][1], rms_norm(layer[0][0], x), sizes)
        x = x + mlp(layer[1][1], rms_norm(layer[1][0], x))
    logits = rms_norm(params[-2], x) @ params[-1]['weight']
    return optax.losses.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


def train(sizes, seed, rate, decay, batches, dtype):
    """The losses before each step, the last parameters, seconds a step (the least)."""
    params = model(jax.random.key(seed), sizes, dtype)
    optimizer = optax.adamw(rate, weight_decay=decay)
    state = optimizer.init(params)

    @jax.jit
    def step(params, state, tokens):
        value, gradient = jax.value_and_grad(loss_of)(params, tokens, sizes)
        updates, state = optimizer.update(gradient, state, params)
        return optax.apply_updates(params, updates), state, value

    losses, seconds = [], []
    for tokens in batches:
        began = time.perf_counter()
        params, state, value = jax.block_until_ready(step(params, state, tokens))
        seconds.append(time.perf_counter() - began)
        losses.append(float(value))
    return losses, params, min(seconds)


def crops(text, sizes, steps):
    """Windows of the text, the same that bench:gpt takes: places are jax.random.randint's, codes of characters the tokens."""
    codes = np.frombuffer(Path(text).read_bytes(), np.uint8).astype(np.int32) % sizes.vocabulary
    for step in range(steps):
        key = jax.random.fold_in(jax.random.key(7), step)
        places = jax.random.randint(key, (sizes.batch,), 0, len(codes) - sizes.length, jnp.int32)
        yield jnp.asarray(np.stack([codes[p : p + sizes.length + 1] for p in np.asarray(places)]))


def main(text, steps):
    sizes = Sizes(128, 128, 256, 4, 4, 2, 128, 8)
    batches = list(crops(text, sizes, int(steps)))
    exact, params, _ = train(sizes, 0, 1e-3, 1e-4, batches, jnp.float64)
    curve, _, seconds = train(sizes, 0, 1e-3, 1e-4, batches, jnp.float32)
    sums = [float(jnp.sum(leaf * leaf)) for leaf in jax.tree.leaves(params)]
    print(json.dumps({'float64': exact, 'float32': curve, 'milliseconds': 1e3 * seconds, 'squares': sums}))


if __name__ == '__main__':
    main(*sys.argv[1:])
