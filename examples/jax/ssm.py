"""A state-space layer whose recurrence is divided by its own decay: exp(-s) cumsum(exp(s) u). It trains, and then it is NaN."""

import jax
import jax.numpy as jnp
import numpy as np
from dump import dump

LENGTH = 64


def layer(p, x):
    decay = jax.nn.softplus(p['decay'])
    s = jnp.cumsum(jnp.full(LENGTH, decay))
    states = jnp.exp(-s) * jnp.cumsum(jnp.exp(s) * x)
    return p['gain'] * states


def loss_of(p, x, y):
    return jnp.mean(jnp.square(layer(p, x) - y))


def step(p, x, y):
    loss, g = jax.value_and_grad(loss_of)(p, x, y)
    return {name: p[name] - 0.5 * g[name] for name in p}, loss


if __name__ == '__main__':
    x = np.random.default_rng(1).normal(0, 1, LENGTH)
    y = np.zeros(LENGTH)
    for t in range(LENGTH):
        y[t] = np.exp(-4.0) * (y[t - 1] if t else 0) + x[t]
    p = {'decay': jnp.bfloat16(0.3), 'gain': jnp.bfloat16(1)}
    dump(step, p, jnp.asarray(x, jnp.bfloat16), jnp.asarray(y, jnp.bfloat16), file='ssm')
