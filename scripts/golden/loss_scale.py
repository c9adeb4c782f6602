"""Regenerates test/golden/lowprecision/loss_scale.json: how jmp 0.0.4's dynamic loss scale moves, step by step.

    python scripts/golden/loss_scale.py [FOLDER]        FOLDER is test/golden unless named

Drawn: which steps have finite gradients. Computed: jmp.DynamicLossScale, not compiled (compiled, it forgets its
smallest scale, since its pytree leaves it out).
"""

import json
import os
import sys
from pathlib import Path

os.environ['JAX_PLATFORMS'] = 'cpu'

import jax.numpy as jnp
import jmp
import numpy as np


def run(generator, period, factor, start, least, bad, steps):
    scale = jmp.DynamicLossScale(
        jnp.float32(start), period=period, factor=factor, min_loss_scale=jnp.float32(least)
    )
    finite = generator.random(steps) >= bad
    scales, counters = [], []
    for ok in finite:
        scale = scale.adjust(jnp.asarray(bool(ok)))
        scales.append(float(scale.loss_scale))
        counters.append(int(scale.counter))
    return {
        'period': period,
        'factor': factor,
        'start': start,
        'least': least,
        'finite': ''.join('10'[not ok] for ok in finite),
        'scales': scales,
        'counters': counters,
    }


generator = np.random.default_rng(82)
runs = [
    run(generator, period, factor, start, least, bad, 120)
    for period, factor, start, least, bad in [
        (3, 2, 2.0**15, 1.0, 0.2),
        (5, 2, 2.0**16, 1.0, 0.1),
        (1, 2, 1.0, 0.25, 0.5),
        (4, 4, 64.0, 1.0, 0.3),
        (2, 2, 2.0**120, 1.0, 0.0),
        (7, 3, 1000.0, 0.1, 0.2),
        (10, 2, 8.0, 1.0, 0.9),
        (2, 2, 1.0, 2.0**-14, 0.7),
    ]
]
folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / 'test' / 'golden'
(folder / 'lowprecision').mkdir(parents=True, exist_ok=True)
lines = ',\n'.join(json.dumps(one, separators=(',', ':')) for one in runs)
(folder / 'lowprecision' / 'loss_scale.json').write_text(f'[\n{lines}\n]\n')
