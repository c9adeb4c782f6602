"""Writes test/golden/autodiff/jax_transforms.json: jax.jvp in float64 on the cases of autodiff.py, jax.hessian, and the
gradient of a jax.lax.scan.

    JAX_PLATFORMS=cpu python scripts/golden/autodiff_transforms.py

Each case has its inputs, their tangents and the tangent of the result; a case of 'hessians' its input and the hessian; a
case of 'scans' its inputs, the results and the gradients of their sum. Numbers are written as in autodiff.py. Not among them: abs at
0, whose derivative is 1 in this jax and 0 here.
"""

import json

import jax
import jax.numpy as jnp
import numpy as np

from autodiff import CASES, TARGET, draw, plain



def jvp_case(name, f, inputs):
    tangents = [draw(*np.shape(x)) for x in inputs]
    _, tangent = jax.jvp(f, [jnp.asarray(x) for x in inputs], [jnp.asarray(t) for t in tangents])
    return {
        'name': name,
        'inputs': [plain(x) for x in inputs],
        'tangents': [plain(t) for t in tangents],
        'tangent': plain(tangent),
    }


def sine_products(x):
    return jnp.sum(jnp.exp(jnp.sin(x)) * x[::-1])


def log_probability(x):
    return -jax.nn.log_softmax(x * jnp.cumprod(x))[1]


def norms(x):
    return jnp.max(jnp.tanh(jnp.outer(x, x) @ x)) + jnp.sum(jnp.logaddexp(x, 2 * x))


def rnn(w, h, xs, reverse):
    def step(carry, x):
        h, total = carry
        h = jnp.tanh(h @ w + x)
        return (h, total + jnp.sum(h * x)), h[0] * x

    (h, total), ys = jax.lax.scan(step, (h, 0.0), xs, reverse=reverse)
    return h, total, ys


def scan_case(reverse):
    inputs = [draw(3, 3, low=-1.0, high=1.0), draw(3), draw(7, 3)]
    arrays = [jnp.asarray(x) for x in inputs]
    results = rnn(*arrays, reverse)

    def loss(*args):
        h, total, ys = rnn(*args, reverse)
        return jnp.sum(h) + total + jnp.sum(ys)

    return {
        'reverse': reverse,
        'inputs': [plain(x) for x in inputs],
        'results': [plain(x) for x in results],
        'gradients': [plain(g) for g in jax.grad(loss, (0, 1, 2))(*arrays)],
    }


def hessian_case(name, f, x):
    return {'name': name, 'input': plain(x), 'hessian': plain(jax.hessian(f)(jnp.asarray(x)))}


if __name__ == '__main__':
    parts = {
        'jvps': [jvp_case(*case) for case in CASES],
        'hessians': [
            hessian_case('sineProducts', sine_products, draw(4)),
            hessian_case('logProbability', log_probability, draw(5, low=0.5)),
            hessian_case('norms', norms, draw(3, low=0.1, high=0.9)),
        ],
        'scans': [scan_case(False), scan_case(True)],
    }
    text = ',\n'.join(
        f'"{name}": [\n' + ',\n'.join(json.dumps(case) for case in cases) + '\n]' for name, cases in parts.items()
    )
    target = TARGET.with_name('jax_transforms.json')
    target.write_text(f'{{"jax": "{jax.__version__}",\n{text}\n}}\n')
    print(f'autodiff_transforms.py: {sum(map(len, parts.values()))} cases')
