"""Small networks in JAX, of which scripts/golden/stablehlo.py makes steps."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def init_of(shapes, seed):
    draw = np.random.default_rng(seed)
    return {name: (draw.normal(0, 1, shape) / np.sqrt(shape[0])).astype(np.float32) for name, shape in shapes.items()}


def mlp_init(sizes, seed):
    pairs = enumerate(zip(sizes, sizes[1:]))
    return init_of({k: s for i, (a, b) in pairs for k, s in ((f'w{i}', (a, b)), (f'b{i}', (b,)))}, seed)


def mlp(p, x):
    depth = len(p) // 2
    for i in range(depth):
        x = x @ p[f'w{i}'] + p[f'b{i}']
        x = jax.nn.gelu(x) if i + 1 < depth else x
    return x


def mlp_loss(p, x, y):
    return jnp.mean(jnp.square(mlp(p, x) - y))


def cnn_loss(p, x, labels, pooling):
    def layer(x, w, b):
        x = lax.conv_general_dilated(x, w, (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))
        x = jax.nn.relu(x + b)
        if pooling == 'max':
            return lax.reduce_window(x, np.array(-np.inf, x.dtype), lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID')
        return lax.reduce_window(x, np.array(0, x.dtype), lax.add, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID') / 4

    x = layer(layer(x, p['w1'], p['b1']), p['w2'], p['b2'])
    return cross_entropy(x.reshape(len(x), -1) @ p['out'], labels)


def cross_entropy(logits, labels):
    logs = jax.nn.log_softmax(logits)
    return -jnp.mean(jnp.take_along_axis(logs, labels[..., None], -1))


def layer_norm(x, gain, bias):
    mean = jnp.mean(x, -1, keepdims=True)
    variance = jnp.mean(jnp.square(x - mean), -1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * gain + bias


def attention(q, k, v):
    scores = jnp.einsum('bhqd,bhkd->bhqk', q, k) / np.sqrt(q.shape[-1]).astype(q.dtype)
    mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, jnp.finfo(scores.dtype).min), -1)
    return jnp.einsum('bhqk,bhkd->bhqd', weights, v)


def transformer_init(vocabulary, width, hidden, layers, seed):
    block = {'g1': (width,), 'b1': (width,), 'qkv': (width, 3 * width), 'o': (width, width), 'g2': (width,), 'b2': (width,), 'up': (width, hidden), 'down': (hidden, width)}
    rows = [init_of(block, seed + i) for i in range(layers)]
    outer = init_of({'embed': (vocabulary, width), 'place': (16, width), 'gain': (width,), 'bias': (width,)}, seed + 100)
    return outer | {'layers': {k: np.stack([r[k] for r in rows]) for k in block}}


def block(x, p):
    n, t, width = x.shape
    h = layer_norm(x, p['g1'], p['b1'])
    q, k, v = jnp.split(h @ p['qkv'], 3, -1)
    heads = lambda a: a.reshape(n, t, 2, width // 2).transpose(0, 2, 1, 3)  # noqa: E731
    mixed = attention(heads(q), heads(k), heads(v)).transpose(0, 2, 1, 3).reshape(n, t, width)
    x = x + mixed @ p['o']
    h = layer_norm(x, p['g2'], p['b2'])
    return x + jax.nn.gelu(h @ p['up']) @ p['down']


def transformer_loss(p, tokens):
    x = p['embed'][tokens] + p['place'][: tokens.shape[1]]
    x, _ = lax.scan(lambda x, layer: (jax.checkpoint(block)(x, layer), None), x, p['layers'])
    logits = layer_norm(x, p['gain'], p['bias']) @ p['embed'].T
    return cross_entropy(logits[:, :-1], tokens[:, 1:])


def gru(p, x):
    def cell(h, row):
        both = jnp.concatenate([row, h], -1)
        z = jax.nn.sigmoid(both @ p['wz'] + p['bz'])
        r = jax.nn.sigmoid(both @ p['wr'])
        new = jnp.tanh(jnp.concatenate([row, r * h], -1) @ p['wh'])
        h = (1 - z) * h + z * new
        return h, h

    start = jnp.zeros((x.shape[0], p['wz'].shape[1]), x.dtype)
    _, rows = lax.scan(cell, start, x.swapaxes(0, 1))
    return jnp.mean(rows**2)


def ssd_chunked(x, a, b, c, chunk=4):
    """Mamba-2's product form: x [t, h, p], a [t, h] log decays, b, c [t, n]; quadratic inside chunks, states between them."""
    a = -jnp.abs(a)
    x, a, b, c = (v.reshape(v.shape[0] // chunk, chunk, *v.shape[1:]) for v in (x, a, b, c))
    total = jnp.cumsum(a, 1)
    difference = total[:, :, None] - total[:, None]
    mask = jnp.tril(jnp.ones((chunk, chunk), bool))[None, :, :, None]
    decay = jnp.where(mask, jnp.exp(jnp.where(mask, difference, 0)), 0)
    inside = jnp.einsum('kin,kjn,kijh,kjhp->kihp', c, b, decay, x)
    states = jnp.einsum('kjn,kjh,kjhp->khpn', b, jnp.exp(total[:, -1:] - total), x)

    def carry(s, row):
        made, decayed = row
        return s * decayed[:, None, None] + made, s

    start = jnp.zeros(states.shape[1:], x.dtype)
    _, before = lax.scan(carry, start, (states, jnp.exp(total[:, -1])))
    between = jnp.einsum('kin,kih,khpn->kihp', c, jnp.exp(total), before)
    return (inside + between).reshape(-1, *inside.shape[2:])


def ssm_factorized(a, u):
    """h_t = exp(-a_t) h_{t-1} + u_t by dividing out the product of decays, which overflows."""
    s = jnp.cumsum(a)
    return jnp.exp(-s) * jnp.cumsum(jnp.exp(s) * u)


def policy_loss(p, obs, actions, old, advantages):
    logs = jax.nn.log_softmax(mlp(p, obs))
    new = jnp.take_along_axis(logs, actions[:, None], 1)[:, 0]
    ratio = jnp.exp(new - old)
    gain = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    clipped = jnp.minimum(ratio * gain, jnp.clip(ratio, 0.8, 1.2) * gain)
    return -jnp.mean(clipped) + 0.01 * jnp.mean(jnp.sum(jnp.exp(logs) * logs, -1))
