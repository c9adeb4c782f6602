"""A step of a small transformer with everything in bfloat16: layer norm, the mean of the loss and AdamW among it."""

import jax
import jax.numpy as jnp
import numpy as np
from dump import dump

WIDTH, TOKENS, VOCABULARY = 16, 12, 24


def layer_norm(x, gain):
    mean = x.sum(-1, keepdims=True, dtype=x.dtype) / x.shape[-1]
    square = jnp.square(x).sum(-1, keepdims=True, dtype=x.dtype) / x.shape[-1]
    variance = square - mean * mean
    return (x - mean) / jnp.sqrt(variance + 1e-3) * gain


def block(p, x):
    h = layer_norm(x, p['norm1'])
    q, k, v = h @ p['query'], h @ p['key'], h @ p['value']
    scores = jnp.where(jnp.tri(len(x), dtype=bool), q @ k.T / 4, -jnp.inf)
    x = x + jax.nn.softmax(scores) @ v @ p['out']
    return x + jax.nn.gelu(layer_norm(x, p['norm2']) @ p['up']) @ p['down']


def loss_of(p, tokens):
    x = block(p, p['embed'][tokens] + 2)
    logits = x[:-1] @ p['embed'].T
    losses = jax.nn.logsumexp(logits, -1) - jnp.take_along_axis(logits, tokens[1:, None], -1)[:, 0]
    return losses.sum(dtype=losses.dtype) / len(losses)


def adamw(p, g, m, v, step):
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    rate = 1e-3 / (1 - 0.9**step)
    return p - rate * (m / (jnp.sqrt(v / (1 - 0.999**step)) + 1e-8) + 0.01 * p), m, v


def train(p, m, v, step, tokens):
    loss, g = jax.value_and_grad(loss_of)(p, tokens)
    new = {name: adamw(p[name], g[name], m[name], v[name], step) for name in p}
    p, m, v = ({name: each[i] for name, each in new.items()} for i in range(3))
    return p, m, v, step + 1, loss


if __name__ == '__main__':
    draw = np.random.default_rng(1)
    shapes = {'embed': (VOCABULARY, WIDTH), 'up': (WIDTH, 2 * WIDTH), 'down': (2 * WIDTH, WIDTH)}
    shapes |= {name: (WIDTH, WIDTH) for name in ('query', 'key', 'value', 'out')}
    p = {name: jnp.asarray(draw.normal(0, 0.3, shape), jnp.bfloat16) for name, shape in shapes.items()}
    p |= {name: jnp.ones(WIDTH, jnp.bfloat16) for name in ('norm1', 'norm2')}
    m = {name: jnp.zeros_like(a) for name, a in p.items()}
    v = {name: jnp.zeros_like(a) for name, a in p.items()}
    tokens = jnp.asarray(draw.integers(0, VOCABULARY, TOKENS), jnp.int32)
    dump(train, p, m, v, jnp.bfloat16(1), tokens, file='transformer')
