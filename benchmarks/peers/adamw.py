"""An AdamW step on N float32 parameters by optax (jit) and torch.optim.AdamW, one thread.

Usage: adamw.py N. Prints a JSON list of {name, ns}: the median time of a step in ns per parameter. A library that is
not installed is left out.
"""

import json
import sys
import time

N = int(sys.argv[1])


def median_ns(step):
    for _ in range(5):
        step()
    times = []
    for _ in range(30):
        begin = time.perf_counter()
        step()
        times.append((time.perf_counter() - begin) * 1e9 / N)
    return sorted(times)[len(times) // 2]


def optax_step():
    import jax
    import jax.numpy as jnp
    import optax

    optimizer = optax.adamw(1e-3)
    grads = {'w': jnp.linspace(-0.5, 0.5, N, dtype=jnp.float32)}
    point = {'params': {'w': jnp.ones(N, jnp.float32)}}
    point['state'] = optimizer.init(point['params'])

    @jax.jit
    def update(params, state):
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state

    def step():
        point['params'], point['state'] = jax.block_until_ready(update(point['params'], point['state']))

    return f'optax {optax.__version__}, jit', step


def torch_step():
    import torch

    torch.set_num_threads(1)
    w = torch.nn.Parameter(torch.ones(N))
    w.grad = torch.linspace(-0.5, 0.5, N)
    return f'torch {torch.__version__}, AdamW', torch.optim.AdamW([w], lr=1e-3, weight_decay=1e-4).step


found = []
for make in (optax_step, torch_step):
    try:
        name, step = make()
    except ImportError:
        continue
    found.append({'name': name, 'ns': median_ns(step)})
print(json.dumps(found))
