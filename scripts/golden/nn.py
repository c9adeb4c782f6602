"""Writes test/golden/nn/nn.json: what jax.nn.initializers draw, and convolutions by jax.lax in float64.

    python scripts/golden/nn.py [FOLDER]        FOLDER is test/golden unless named

Initializers are called operation by operation on CPU; their bits are big-endian hex digits of float32. Convolutions are of
small whole numbers, given by the formulas of `numbers`, so that every sum is exact and its order does not matter.
"""

import json
import os
import sys
from pathlib import Path

os.environ['JAX_PLATFORMS'] = 'cpu'

import jax
import numpy as np

jax.config.update('jax_enable_x64', True)

import jax.numpy as jnp
from jax.nn import initializers as ini

SHAPES = {'matrix': (5, 3), 'wide': (3, 8), 'kernel': (3, 2, 4, 6)}
FANS = ('glorot_uniform', 'glorot_normal', 'lecun_uniform', 'lecun_normal', 'he_uniform', 'he_normal')
AXES = {'plain': {}, 'axes': {'in_axis': 0, 'out_axis': 1}}


def bits(values):
    values = np.asarray(values, np.float32).ravel()
    return ''.join(f'{word:08x}' for word in values.view(np.uint32))


def rows():
    for place, (shape_name, shape) in enumerate(SHAPES.items()):
        seed = 10 + place
        key = jax.random.key(seed)

        def row(name, made, options=None):
            values = made(key, shape, jnp.float32)
            return {'name': name, 'options': options or {}, 'seed': seed, 'shape': shape, 'bits': bits(values)}

        for name in FANS:
            for axes, options in AXES.items():
                yield row(name, getattr(ini, name)(**options), options)
        for mode in ('fan_in', 'fan_out', 'fan_avg', 'fan_geo_avg'):
            for distribution in ('truncated_normal', 'normal', 'uniform'):
                options = {'scale': 0.7, 'mode': mode, 'distribution': distribution}
                yield row('variance_scaling', ini.variance_scaling(0.7, mode, distribution), options)
        options = {'scale': 1.5, 'mode': 'fan_in', 'distribution': 'normal', 'batch_axis': 0}
        if len(shape) == 4:
            yield row('variance_scaling', ini.variance_scaling(1.5, 'fan_in', 'normal', batch_axis=0), options)
        yield row('normal', ini.normal(0.02), {'stddev': 0.02})
        yield row('normal', ini.normal())
        yield row('uniform', ini.uniform(0.3), {'scale': 0.3})
        yield row('uniform', ini.uniform())
        yield row('truncated_normal', ini.truncated_normal(0.02), {'stddev': 0.02})
        options = {'stddev': 1.0, 'lower': -1.0, 'upper': 3.0}
        yield row('truncated_normal', ini.truncated_normal(1.0, lower=-1.0, upper=3.0), options)
        yield row('constant', ini.constant(0.1), {'value': 0.1})
        yield row('orthogonal', ini.orthogonal())
        yield row('orthogonal', ini.orthogonal(2.0, column_axis=0), {'scale': 2.0, 'column_axis': 0})


def numbers(shape, a, b):
    """((a i + b) mod 13 - 6), row-major."""
    return ((a * np.arange(np.prod(shape)) + b) % 13 - 6).reshape(shape).astype(np.float64)


def convolution(lengths, kernel, inputs, outputs, stride, dilation, padding, groups):
    x = numbers((2, *lengths, inputs), 5, 1)
    weight = numbers((*kernel, inputs // groups, outputs), 7, 2)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    pads = padding.upper()
    if padding == 'circular':
        # Flax's wrapping: what the kernel reaches to both sides, then 'VALID'.
        sides = [((r - 1) // 2, r // 2) for r in reach]
        x, pads = np.pad(x, [(0, 0), *sides, (0, 0)], mode='wrap'), 'VALID'
    if padding == 'causal':
        pads = [(r - 1, 0) for r in reach]
    spatial = 'WH'[: len(kernel)]
    numbering = (f'N{spatial}C', f'{spatial}IO', f'N{spatial}C')
    result = jax.lax.conv_general_dilated(
        x, weight, stride, pads, rhs_dilation=dilation, dimension_numbers=numbering, feature_group_count=groups
    )
    return {
        'lengths': lengths,
        'kernel': kernel,
        'inputs': inputs,
        'outputs': outputs,
        'stride': stride,
        'dilation': dilation,
        'padding': padding,
        'groups': groups,
        'shape': result.shape,
        'values': np.asarray(result, np.int64).ravel().tolist(),
    }


def convolutions():
    for padding in ('same', 'valid', 'circular', 'causal'):
        for length in (1, 5, 8):
            for kernel, stride, dilation in ((1, 1, 1), (3, 1, 1), (4, 2, 1), (3, 3, 2), (2, 1, 3)):
                if padding == 'valid' and (kernel - 1) * dilation + 1 > length:
                    continue
                for inputs, outputs, groups in ((2, 3, 1), (4, 4, 4), (4, 6, 2)):
                    yield convolution((length,), (kernel,), inputs, outputs, (stride,), (dilation,), padding, groups)
    for padding in ('same', 'valid', 'circular'):
        yield convolution((5, 4), (3, 2), 2, 3, (1, 1), (1, 1), padding, 1)
        yield convolution((5, 6), (3, 3), 2, 2, (2, 1), (1, 2), padding, 2)


def main(folder):
    path = Path(folder) / 'nn'
    path.mkdir(parents=True, exist_ok=True)
    key = {'initializers': list(rows()), 'convolutions': list(convolutions())}
    text = json.dumps(key, separators=(',', ':')).replace('},{', '},\n{')
    (path / 'nn.json').write_text(text + '\n')


if __name__ == '__main__':
    main(sys.argv[1] if len(sys.argv) > 1 else 'test/golden')
