"""Writes test/golden/nca: steps of neural cellular automata in several arithmetics, and their gradients by jax.

    python scripts/golden/nca.py [--check]

Parameters, start, masks and the facts of the cases are read from the stored key `nca`, which another program made first (NumPy,
jax, and a second one in JavaScript); all other columns are computed anew here, from the description, with NumPy and ml_dtypes. `more`
runs the same inputs in pairs of dtypes that the first program did not have. Columns of a run: the state after each step.
"""

import os

os.environ['JAX_PLATFORMS'] = 'cpu'

import jax
import ml_dtypes
import numpy as np
from support.columnfile import read_columns, run, write_columns

jax.config.update('jax_enable_x64', True)

import jax.numpy as jnp

DTYPES = {
    'f64': np.float64,
    'f32': np.float32,
    'bf16': ml_dtypes.bfloat16,
    'f16': np.float16,
    'e4m3fn': ml_dtypes.float8_e4m3fn,
    'e5m2': ml_dtypes.float8_e5m2,
}
# (what is computed with, what the state is kept in)
GIVEN = {'f64': ('f64', 'f64'), 'f32': ('f32', 'f32'), 'bf16': ('bf16', 'bf16'), 'bf16-f32state': ('bf16', 'f32')}
MORE = {
    'f16': ('f16', 'f16'),
    'f32-bf16state': ('f32', 'bf16'),
    'bf16-e4m3fnstate': ('bf16', 'e4m3fn'),
    'e4m3fn-bf16state': ('e4m3fn', 'bf16'),
    'e4m3fn-f32state': ('e4m3fn', 'f32'),
    'e5m2': ('e5m2', 'e5m2'),
}
LINE = {'identity': [0, 1, 0], 'gradient': [-0.5, 0, 0.5], 'laplacian': [1, -2, 1]}
SOBEL = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]) / 8
PLANE = {
    'identity': np.array([[0, 0, 0], [0, 1, 0], [0, 0, 0]]),
    'sobelX': SOBEL,
    'sobelY': SOBEL.T,
    'laplacian': np.array([[1, 2, 1], [2, -12, 2], [1, 2, 1]]) / 16,
}
WORDS = {1: 'u1', 2: 'u2', 4: 'u4', 8: 'u8'}


def neighbours(case, x, beyond=0, np=np):
    """[offset, the values that lie there], row-major; x [..., channels] of cells alone."""
    d = len(case['shape'])
    pads = [(1, 1)] * d + [(0, 0)] * (x.ndim - d)
    wide = np.pad(x, pads, mode='wrap') if case['padding'] == 'wrap' else np.pad(x, pads, constant_values=beyond)
    offsets = [(i,) for i in range(3)] if d == 1 else [(i, j) for i in range(3) for j in range(3)]
    return [(o, wide[tuple(slice(i, i + n) for i, n in zip(o, case['shape']))]) for o in offsets]


def perception(case, x, np=np):
    """Sums in the dtype of x, one array for each kernel."""
    kernels = LINE if len(case['shape']) == 1 else PLANE
    around = neighbours(case, x, np=np)
    for name in case['kernels']:
        kernel, total = np.asarray(kernels[name]), np.zeros_like(x)
        for offset, values in around:
            weight = float(kernel[offset])
            if weight != 0:
                total = total + values * x.dtype.type(weight)
        yield total


def product(a, b, wide):
    total = np.zeros((*a.shape[:-1], b.shape[1]), wide)
    for k in range(a.shape[-1]):
        total = total + a[..., k, None].astype(wide) * b[k].astype(wide)
    return total


def alive(case, x, threshold, np=np):
    values = x[..., case['aliveChannel']]
    return np.stack([v for _, v in neighbours(case, values, -np.inf, np)]).max(0) > threshold


def steps(case, w1, b1, w2, b2, x0, masks, compute, state):
    r, s = DTYPES[compute], DTYPES[state]
    wide = np.float64 if compute == 'f64' else np.float32
    sums = np.float64 if 'f64' in (compute, state) else np.float32
    R = lambda v: v.astype(r)
    w1, b1, w2, b2 = (R(v) for v in (w1, b1, w2, b2))
    plus = lambda a, b: R(a.astype(wide) + b.astype(wide))
    x, result = x0.astype(s), []
    for mask in masks:
        y = np.concatenate([R(t) for t in perception(case, R(x).astype(wide))], -1)
        hidden = np.maximum(plus(R(product(y, w1, wide)), b1), r(0))
        dx = plus(R(product(hidden, w2, wide)), b2)
        moved = (x.astype(sums) + dx.astype(sums)).astype(s)
        new = np.where(mask[..., None] != 0, moved, x)
        if case['aliveChannel'] is not None:
            threshold = np.float64(case['aliveThreshold']).astype(s).astype(np.float64)
            old_lives, lives = (alive(case, v.astype(np.float64), threshold) for v in (x, new))
            new = np.where((old_lives & lives)[..., None], new, s(0))
        x = new
        result.append(x)
    return np.stack(result)


def inputs(stored, case):
    n, name = case['channels'], case['name']
    shapes = {
        'w1': (len(case['kernels']) * n, case['hidden']),
        'b1': (case['hidden'],),
        'w2': (case['hidden'], n),
        'b2': (n,),
        'x0': (*case['shape'], n),
    }
    values = {
        k: stored[f'{name}_{k}'].view(ml_dtypes.bfloat16).astype(np.float64).reshape(shape) for k, shape in shapes.items()
    }
    return values | {'masks': stored[f'{name}_masks'].reshape(case['steps'], *case['shape'])}


def words(values):
    return np.ascontiguousarray(values).view(WORDS[values.dtype.itemsize]).ravel()


def given(out):
    stored, facts = read_columns('nca/nca')
    columns = {}
    for case in facts['cases']:
        name, data = case['name'], inputs(stored, case)
        for k in ('w1', 'b1', 'w2', 'b2', 'x0', 'masks'):
            columns[f'{name}_{k}'] = stored[f'{name}_{k}']
        for label, (compute, state) in GIVEN.items():
            columns[f'{name}_{label}'] = words(steps(case, *data.values(), compute, state))
        columns[f'{name}_perception0'] = words(np.concatenate(list(perception(case, data['x0'])), -1))
    write_columns(out, 'nca/nca', columns, facts)


def more(out):
    stored, facts = read_columns('nca/nca')
    columns = {}
    for case in facts['cases']:
        data = inputs(stored, case)
        for label, (compute, state) in MORE.items():
            columns[f'{case["name"]}_{label}'] = words(steps(case, *data.values(), compute, state))
    write_columns(out, 'nca/more', columns, {'cases': [case['name'] for case in facts['cases']]})


def last_state(case, p, x, masks):
    for mask in masks:
        y = jnp.concatenate(list(perception(case, x, jnp)), -1)
        dx = jax.nn.relu(y @ p['w1'] + p['b1']) @ p['w2'] + p['b2']
        new = jnp.where(mask[..., None] != 0, x + dx, x)
        if case['aliveChannel'] is not None:
            lives = alive(case, x, case['aliveThreshold'], jnp) & alive(case, new, case['aliveThreshold'], jnp)
            new = jnp.where(lives[..., None], new, 0.0)
        x = new
    return x


def gradients(out):
    """Of the mean square of the last state, in float64."""
    stored, facts = read_columns('nca/nca')
    columns, losses = {}, []
    for case in facts['cases']:
        data = inputs(stored, case)
        p = {k: jnp.asarray(data[k]) for k in ('w1', 'b1', 'w2', 'b2')}

        def loss(p, x):
            return jnp.mean(last_state(case, p, x, data['masks']) ** 2)

        value, (dp, dx) = jax.value_and_grad(loss, (0, 1))(p, jnp.asarray(data['x0']))
        losses.append({'name': case['name'], 'loss': float(value)})
        for k, v in {**dp, 'x0': dx}.items():
            columns[f'{case["name"]}_{k}'] = words(np.asarray(v))
    write_columns(out, 'nca/gradients', columns, {'cases': losses})


if __name__ == '__main__':
    run([given, more, gradients])
