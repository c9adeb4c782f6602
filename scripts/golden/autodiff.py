"""Writes test/golden/autodiff/jax_gradients.json: gradients by jax.vjp in float64, kinks and ties among them.

    JAX_PLATFORMS=cpu python scripts/golden/autodiff.py

Each case has its inputs, a cotangent of the result and the cotangents of the inputs. Numbers are float64, written by
repr; what JSON has no number for is text ('nan', 'inf', '-inf'). Not among them: abs at 0, whose derivative is 1 in this
jax and 0 here (and in torch).
"""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update('jax_enable_x64', True)
TARGET = Path(__file__).resolve().parents[2] / 'test' / 'golden' / 'autodiff' / 'jax_gradients.json'
rng = np.random.default_rng(1)


def draw(*shape, low=-2.0, high=2.0):
    return np.round(rng.uniform(low, high, shape), 3)


wide = np.array([-2.5, -1.0, -0.75, -0.125, 0.3, 0.5, 1.0, 1.75, 3.0])
positive = np.array([0.01, 0.125, 0.5, 1.0, 1.5, 2.0, 7.0, 30.0])
inner = np.array([-0.9, -0.5, -0.1, 0.2, 0.6, 0.95])
UNARY = {
    'exp': (jnp.exp, wide), 'exp2': (jnp.exp2, wide), 'expm1': (jnp.expm1, wide), 'log': (jnp.log, positive),
    'log2': (jnp.log2, positive), 'log10': (jnp.log10, positive), 'log1p': (jnp.log1p, positive),
    'sqrt': (jnp.sqrt, positive), 'rsqrt': (jax.lax.rsqrt, positive), 'cbrt': (jnp.cbrt, wide),
    'reciprocal': (jnp.reciprocal, wide), 'sin': (jnp.sin, wide), 'cos': (jnp.cos, wide), 'tan': (jnp.tan, wide),
    'asin': (jnp.arcsin, inner), 'acos': (jnp.arccos, inner), 'atan': (jnp.arctan, wide),
    'sinh': (jnp.sinh, wide), 'cosh': (jnp.cosh, wide), 'tanh': (jnp.tanh, wide), 'asinh': (jnp.arcsinh, wide),
    'acosh': (jnp.arccosh, positive + 1.0), 'atanh': (jnp.arctanh, inner), 'sigmoid': (jax.nn.sigmoid, wide),
    'softplus': (jax.nn.softplus, wide), 'silu': (jax.nn.silu, wide),
    'gelu': (lambda x: jax.nn.gelu(x, approximate=False), wide),
    'geluTanh': (lambda x: jax.nn.gelu(x, approximate=True), wide), 'erf': (jax.lax.erf, wide),
    'erfc': (jax.lax.erfc, wide), 'lgamma': (jax.lax.lgamma, np.concatenate([positive, [-0.5, -1.25, -7.75]])),
    'square': (jnp.square, wide), 'abs': (jnp.abs, wide), 'neg': (jnp.negative, wide),
    'relu': (jax.nn.relu, np.append(wide, 0.0)), 'sign': (jnp.sign, wide), 'floor': (jnp.floor, wide),
    'ceil': (jnp.ceil, wide), 'rint': (jnp.rint, wide), 'trunc': (jnp.trunc, wide),
}
ties = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0], [-1.0, 0.0, -2.0]])
CASES = [
    *((name, f, [x]) for name, (f, x) in UNARY.items()),
    ('add', jnp.add, [draw(2, 3), draw(3)]),
    ('sub', jnp.subtract, [draw(2, 1), draw(2, 3)]),
    ('mul', jnp.multiply, [draw(2, 1, 3), draw(4, 1)]),
    ('div', jnp.divide, [draw(2, 3), draw(1, 3, low=0.5)]),
    ('pow', jnp.power, [draw(2, 3, low=0.2), draw(3)]),
    ('pow', jnp.power, [np.array([0.0, 0.0, 2.0]), np.array([2.0, 1.0, 3.0])]),
    ('atan2', jnp.arctan2, [draw(2, 3), draw(3)]),
    ('minimum', jnp.minimum, [ties, np.array([2.0, 2.0, 3.0])]),
    ('maximum', jnp.maximum, [ties, np.array([2.0, 2.0, 3.0])]),
    ('logAddExp', jnp.logaddexp, [draw(2, 3), draw(3)]),
    ('logAddExp', jnp.logaddexp, [np.array([0.0, 100.0, -100.0]), np.zeros(3)]),
    ('wherePositive', lambda a, b: jnp.where(a > 0, b, a * 2), [draw(2, 3), draw(3)]),
    ('reshapeTransposeFlip', lambda x: jnp.flip(jnp.transpose(x.reshape(2, 3, 2), (2, 0, 1)), (0, 2)), [draw(4, 3)]),
    ('broadcastTo', lambda x: jnp.broadcast_to(x, (2, 3, 4)), [draw(3, 1)]),
    ('sliceSteps', lambda x: x[1, ::-2, 1:], [draw(2, 5, 3)]),
    ('takeRepeated', lambda x: jnp.take(x, jnp.array([[2, 0], [2, 2]]), axis=1), [draw(2, 3, 2)]),
    ('concatStack', lambda a, b: jnp.stack([jnp.concatenate([a, b], 1), jnp.concatenate([b, a], 1)], 1),
     [draw(2, 3), draw(2, 1)]),
    ('tril', lambda x: jnp.tril(x, 1), [draw(2, 3, 4)]),
    ('triu', lambda x: jnp.triu(x, -1), [draw(4, 3)]),
    ('sum', lambda x: jnp.sum(x, (0, 2)), [draw(2, 3, 4)]),
    ('mean', lambda x: jnp.mean(x, (1,)), [draw(2, 3, 4)]),
    ('max', lambda x: jnp.max(x, 1), [ties]),
    ('min', lambda x: jnp.min(x, 0), [ties]),
    ('cumsum', lambda x: jnp.cumsum(x, 1), [draw(2, 5, 2)]),
    ('cumprod', lambda x: jnp.cumprod(x, 0), [draw(6, 2)]),
    ('cumprod', lambda x: jnp.cumprod(x, 0), [np.array([[2.0, 0.0], [0.0, 3.0], [4.0, 0.0], [5.0, 2.0]])]),
    ('matmul', jnp.matmul, [draw(3, 4), draw(4, 2)]),
    ('matmul', jnp.matmul, [draw(2, 1, 3, 4), draw(5, 4, 2)]),
    ('matmul', jnp.matmul, [draw(4), draw(3, 4, 2)]),
    ('matmul', jnp.matmul, [draw(3, 4), draw(4)]),
    ('softmax', lambda x: jax.nn.softmax(x, -1), [draw(3, 4)]),
    ('logSoftmax', lambda x: jax.nn.log_softmax(x, -1), [draw(3, 4)]),
    ('logsumexp', lambda x: jax.nn.logsumexp(x, 1), [draw(3, 4)]),
    ('variance', lambda x: jnp.var(x, 1), [draw(3, 4)]),
    ('hessianVector', lambda x, v: jax.jvp(jax.grad(lambda y: jnp.sum(jnp.exp(jnp.sin(y)) * y[::-1])), (x,), (v,))[1],
     [draw(4), draw(4)]),
    # No draws here: the cotangents of all cases are drawn after this list.
    ('hypot', jnp.hypot, [np.array([[3.0, -0.5, 1e200], [2.0, -1.0, 0.0]]), np.array([-4.0, 1.25, 0.0])]),
]


def plain(array):
    flat = [float(v) for v in np.asarray(array).ravel()]
    return {
        'shape': list(np.shape(array)),
        'values': [v if np.isfinite(v) else str(v) for v in flat],
    }


def case(name, f, inputs):
    out, pullback = jax.vjp(f, *map(jnp.asarray, inputs))
    cotangent = draw(*out.shape)
    gradients = pullback(jnp.asarray(cotangent))
    return {
        'name': name,
        'inputs': [plain(x) for x in inputs],
        'cotangent': plain(cotangent),
        'gradients': [plain(g) for g in gradients],
    }


if __name__ == '__main__':
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    lines = ',\n'.join(json.dumps(case(*one)) for one in CASES)
    TARGET.write_text(f'{{"jax": "{jax.__version__}", "cases": [\n{lines}\n]}}\n')
    print(f'autodiff.py: {len(CASES)} cases')
