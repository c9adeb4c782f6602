"""Writes test/golden/nn/gpt.json: a small decoder trained for 40 steps in float64 by jax and optax.

    python scripts/golden/decoder.py [FOLDER]   FOLDER is test/golden unless named

The model is that of benchmarks/peers/gpt.py, a program of its own; tokens follow a formula. Losses of every step, and of every
parameter at the end its sum and its sum of squares, as 16 hex digits of float64.
"""

import json
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / 'benchmarks' / 'peers'))

import gpt
import jax
import jax.numpy as jnp
import numpy as np

SIZES = gpt.Sizes(vocabulary=24, features=16, hidden=32, heads=4, kv_heads=2, layers=2, length=12, batch=3)
STEPS = 40


def tokens_of(step):
    i = np.arange(SIZES.batch * (SIZES.length + 1)).reshape(SIZES.batch, -1) + 7 * step
    return jnp.asarray((i * i + 3 * i) % SIZES.vocabulary, jnp.int32)


def hexes(values):
    return [struct.pack('>d', float(value)).hex() for value in values]


def main(folder):
    path = Path(folder) / 'nn'
    path.mkdir(parents=True, exist_ok=True)
    batches = [tokens_of(step) for step in range(STEPS)]
    losses, params, _ = gpt.train(SIZES, 3, 1e-2, 1e-2, batches, jnp.float64)
    leaves = jax.tree.leaves(params)
    key = {
        'losses': hexes(losses),
        'sums': hexes(leaf.sum() for leaf in leaves),
        'squares': hexes((leaf * leaf).sum() for leaf in leaves),
    }
    (path / 'gpt.json').write_text(json.dumps(key, indent=1) + '\n')


if __name__ == '__main__':
    main(sys.argv[1] if len(sys.argv) > 1 else 'test/golden')
