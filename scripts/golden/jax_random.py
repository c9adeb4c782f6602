"""Regenerates the answer keys of test/golden/random, from jax.random on CPU.

    python scripts/golden/jax_random.py [FOLDER]        FOLDER is test/golden unless named

XLA fuses multiply-adds where the machine can (x86-64 with FMA3, arm64); elsewhere the float draws differ in their
last bits. (Not named random.py: in this folder that name would hide Python's own module.)
"""

import hashlib
import json
import os
import sys
from pathlib import Path

os.environ['JAX_PLATFORMS'] = 'cpu'

import jax
import jax.numpy as jnp
import numpy as np

JAX = '0.10.2'
IMPL = 'threefry2x32, jax_threefry_partitionable=True, 64-bit disabled'
SEEDS = (0, 1, 42, 4294967295)
DIGITS = {1: 2, 2: 4, 4: 8}
random = jax.random


def hexes(values):
    """Bit patterns of an array, row-major, as hex words of the element's width."""
    flat = np.asarray(values).reshape(-1)
    size = flat.dtype.itemsize
    return [f'{int(word):0{DIGITS[size]}x}' for word in flat.view(f'u{size}')]


def integers(values):
    return [int(value) for value in np.asarray(values).reshape(-1)]


def key_words(keys):
    return hexes(random.key_data(keys))


def draws(key, shape):
    n = int(np.prod(shape))
    record = {
        'shape': list(shape),
        'bits32': hexes(random.bits(key, shape, jnp.uint32)),
        'bits16': hexes(random.bits(key, shape, jnp.uint16)),
        'bits8': hexes(random.bits(key, shape, jnp.uint8)),
        'uniform_f32': hexes(random.uniform(key, shape)),
        'uniform_f32_-2_5': hexes(random.uniform(key, shape, minval=-2.0, maxval=5.0)),
        'uniform_bf16': hexes(random.uniform(key, shape, jnp.bfloat16)),
        'normal_f32': hexes(random.normal(key, shape)),
        'bernoulli_0.3': integers(random.bernoulli(key, 0.3, shape)),
        'randint_0_10': integers(random.randint(key, shape, 0, 10)),
        'randint_-5_1000': integers(random.randint(key, shape, -5, 1000)),
        'exponential_f32': hexes(random.exponential(key, shape)),
        'gumbel_f32': hexes(random.gumbel(key, shape)),
        'truncated_normal_-2_2_f32': hexes(random.truncated_normal(key, -2.0, 2.0, shape)),
    }
    if len(shape) == 1 and n > 1:
        record['permutation'] = integers(random.permutation(key, n))
        record['choice_without_replacement_half'] = integers(random.choice(key, n, (n // 2,), replace=False))
    return record


def case(seed):
    key = random.key(seed)
    logits = jnp.log(jnp.array([0.1, 0.2, 0.3, 0.4], jnp.float32))
    shapes = ((), (1,), (2,), (7,), (8,), (3, 5), (2, 3, 4), (1000,))
    return {
        'seed': seed,
        'key': key_words(key),
        'split2': key_words(random.split(key, 2)),
        'split5': key_words(random.split(key, 5)),
        'fold_in': {str(data): key_words(random.fold_in(key, data)) for data in (0, 1, 1000, 2**31)},
        'draws': [draws(key, shape) for shape in shapes],
        'categorical_1234_n64': integers(random.categorical(key, logits, shape=(64,))),
    }


def digest(values):
    """First words and SHA-256 of an array's little-endian bytes: a long draw in one line."""
    flat = np.ascontiguousarray(np.asarray(values).reshape(-1))
    if flat.dtype.kind == 'b':
        flat = flat.astype(np.uint8)
    raw = flat.astype(flat.dtype.newbyteorder('<')).tobytes()
    return {'length': int(flat.size), 'first': hexes(flat[:4]), 'sha256': hashlib.sha256(raw).hexdigest()}


def more():
    """Calls with arguments that jax_random.json lacks; `args` is what follows the key in the TypeScript call."""
    calls = []

    def call(name, seed, args, values):
        calls.append({'call': name, 'seed': seed, 'args': args, **digest(values)})

    key_seeds = (-1, -(2**31), 2**31, 2**32, 2**32 + 5, 2**53 - 1, -(2**53) + 1, 2**63 - 1, -(2**63))
    for seed in (3, 2**32 - 1):
        key = random.key(seed)
        for name in ('bits', 'normal', 'exponential', 'gumbel'):
            call(name, seed, [100_000], getattr(random, name)(key, (100_000,)))
        for dtype in ('bfloat16', 'float16'):
            call('normalNarrow', seed, [[100, 1000], {'dtype': dtype}], random.normal(key, (100, 1000), dtype))
        # With one bound tiny beside the other float64 drops part of the sum, and many sums are midpoints.
        for low, high in (
            (-1, 1), (0.1, 0.3), (1000, 1000.5), (-1e38, 1e38), (1e-30, 3), (-1e-30, 3), (-1e-20, 1.7), (2, 2),
        ):
            values = random.uniform(key, (10_000,), minval=low, maxval=high)
            call('uniform', seed, [10_000, {'minval': low, 'maxval': high}], values)
        # The last but one: float32's erf falls there, so that the uniform draw has its bounds exchanged.
        for low, high in ((-1, 3), (2, 5), (-0.001, 0.001), (-100, 100), (5.25, 5.29), (8, 9)):
            values = random.truncated_normal(key, low, high, (10_000,))
            call('truncatedNormal', seed, [10_000, {'lower': low, 'upper': high}], values)
        for low, high in (
            (-100, -3), (0, 65535), (0, 65536), (0, 65537), (5, 6), (-1_000_000, 1_000_001), (0, 2**30),
            (0, 2**31 - 1), (-(2**31), 0), (-(2**31), 2**31 - 1), (0, 2**31), (-(2**31), 2**31),
        ):
            end = jnp.uint32(high) if high == 2**31 else high
            call('randint', seed, [10_000, {'minval': low, 'maxval': high}], random.randint(key, (10_000,), low, end))
        for p in (0.0, 0.1, 1.0):
            call('bernoulli', seed, [10_000, {'p': p}], random.bernoulli(key, p, (10_000,)))
        for n in (1, 3, 1625, 1626, 100_000):
            call('permutation', seed, [n], random.permutation(key, n))
        for m in (1, 16, 17, 40, 300):
            # Weights i^2 mod 11 and, from the third on, a few zeros: no two machines disagree about them.
            p = [(i * i) % 11 / 8 for i in range(1, m + 1)]
            weights = jnp.array(p, jnp.float32)
            half = max(1, m // 2)
            call('choice', seed, [m, 1000, {'p': p}], random.choice(key, m, (1000,), p=weights))
            call('choice', seed, [m, 1000], random.choice(key, m, (1000,)))
            values = random.choice(key, m, (half,), replace=False, p=weights)
            call('choice', seed, [m, half, {'p': p, 'replace': False}], values)
            logits = [-((i * 7) % 13) / 4 for i in range(m)]
            values = random.categorical(key, jnp.array(logits, jnp.float32), shape=(1000,))
            call('categorical', seed, [logits, 1000], values)
    return {
        'keys': [{'seed': str(seed), 'key': key_words(random.key(seed))} for seed in key_seeds],
        'calls': calls,
    }


def write(folder, name, content):
    key = {'made_with': {'jax': JAX}, 'impl': IMPL} | content
    path = folder / 'random' / f'{name}.json'
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(key, separators=(',', ':')))


if __name__ == '__main__':
    if jax.__version__ != JAX:
        sys.exit(f'jax_random.py: jax is not {JAX} [{jax.__version__}]')
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / 'test' / 'golden'
    write(folder, 'jax_random', {'cases': [case(seed) for seed in SEEDS]})
    write(folder, 'jax_random_more', more())
