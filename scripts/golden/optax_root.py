"""Writes test/golden/optimizer/root.json: optax's public names, and what functions of its root and of its small modules give.

    python scripts/golden/optax_root.py [FOLDER]        FOLDER is test/golden unless named

Operands are those of `draw`: numbers of five significant bits, which both dtypes hold. Results are numbers, exact: those of float32 and bfloat16
are float64 ones. Where optax throws in bfloat16 there is no result.
"""

import inspect
import json
import os
import sys
import types
import warnings
from pathlib import Path

os.environ['JAX_PLATFORMS'] = 'cpu'
warnings.simplefilter('ignore')

import jax
import jax.numpy as jnp
import numpy as np
import optax

DTYPES = {'float32': jnp.float32, 'bfloat16': jnp.bfloat16}
MODULES = ['assignment', 'contrib', 'losses', 'microbatching', 'perturbations', 'projections', 'second_order']


def draw(seed, shape, dtype):
    """Element i: ((7 i + 13 seed) mod 31 - 15) / 8."""
    i = np.arange(int(np.prod(shape)))
    return jnp.asarray(((7 * i + 13 * seed) % 31 - 15) / 8, dtype).reshape(shape)


def functions(module):
    return sorted(
        name
        for name in dir(module)
        if not name.startswith('_')
        and not isinstance(getattr(module, name), types.ModuleType)
        and not inspect.isclass(getattr(module, name))
        and inspect.isfunction(inspect.unwrap(getattr(module, name)))
    )


def trajectory(transform, dtype):
    """Parameters after eight steps."""
    params = {'a': draw(1, (3, 4), dtype), 'b': draw(2, (5,), dtype)}
    state = transform.init(params)
    for step in range(8):
        grads = {'a': draw(3 + step, (3, 4), dtype), 'b': draw(30 + step, (5,), dtype)}
        updates, state = transform.update(grads, state, params)
        params = optax.apply_updates(params, updates)
    return params


def loss(w, x):
    return jnp.sum(jnp.square(w) * w * x)


def results(dtype):
    d = lambda seed, *shape: draw(seed, shape, dtype)
    labels = jnp.asarray([0, 1, 0, 2, 1, 2])
    pair = {'a': d(4, 2, 3), 'b': d(5, 4)}
    other = {'a': d(7, 2, 3), 'b': d(8, 4)}
    per_example = {'a': d(9, 4, 3), 'b': d(10, 4, 2, 2)}
    table = d(11, 4, 4)
    onehot = jax.nn.one_hot(jnp.asarray([[0, 1, 2], [2, 2, 1]]), 3, dtype=dtype)
    norms = lambda tree: optax.tree.norm(tree)
    mean = optax.measure_with_ema(norms, 0.75)
    measured, state = [], mean.init(pair)
    for step in range(4):
        value, state = mean.update({'a': d(20 + step, 2, 3)}, state)
        measured.append(value)
    w, x = d(13, 5), d(14, 5)
    made = {
        'optimisticAdamV2': lambda: trajectory(optax.optimistic_adam_v2(0.0625, alpha=0.75, beta=0.5), dtype),
        'keepParamsNonnegative': lambda: trajectory(optax.chain(optax.sgd(0.25), optax.keep_params_nonnegative()), dtype),
        'scaleByParamBlockNorm': lambda: trajectory(optax.chain(optax.scale_by_param_block_norm(), optax.scale(-0.0625)), dtype),
        'measureWithEma': lambda: measured,
        'safeNorm': lambda: [
            optax.safe_norm(d(6, 3, 4), 0.5),
            optax.safe_norm(d(6, 3, 4), 3.0, axis=1),
            optax.safe_norm(d(6, 3, 4), 0.5, ord=1, axis=0, keepdims=True),
            jax.grad(lambda v: optax.safe_norm(v, 1.0))(jnp.zeros(3, dtype)),
        ],
        'safeRootMeanSquares': lambda: [
            optax.safe_root_mean_squares(d(6, 3, 4), 0.5),
            optax.safe_root_mean_squares(d(6, 3, 4), 4.0),
            jax.grad(lambda v: optax.safe_root_mean_squares(v, 1.0))(jnp.zeros(3, dtype)),
        ],
        'scaleGradient': lambda: jax.grad(lambda v: jnp.sum(optax.scale_gradient(v * v, -0.375)))(d(6, 5)),
        'perExampleGlobalNormClip': lambda: optax.per_example_global_norm_clip(per_example, 3.0),
        'perExampleLayerNormClip': lambda: optax.per_example_layer_norm_clip(per_example, 3.0),
        'perExampleLayerNormClipShares': lambda: optax.per_example_layer_norm_clip(per_example, 3.0, uniform=False),
        'powerIteration': lambda: optax.power_iteration(table + table.T, v0=d(12, 4), num_iters=40),
        'microbatchSum': lambda: optax.microbatch(lambda v: jnp.sum(v, 0), 0, 2)(d(15, 6, 3)),
        'microbatchMean': lambda: optax.microbatch(lambda v: jnp.sum(v, 0), 0, 2, optax.microbatching.AccumulationType.MEAN)(d(15, 6, 3)),
        'hvp': lambda: optax.second_order.hvp(lambda p, i, t: loss(p, i), x, w, x, x),
        'hessianDiag': lambda: optax.second_order.hessian_diag(lambda p, i, t: loss(p, i), w, x, x),
        'fisherDiag': lambda: optax.second_order.fisher_diag(lambda p, i, t: loss(p, i), w, x, x),
        'projectionNonNegative': lambda: optax.projections.projection_non_negative(pair),
        'projectionBox': lambda: optax.projections.projection_box(pair, *(optax.tree.full_like(pair, b) for b in (-0.5, 1.0))),
        'projectionHypercube': lambda: jax.tree.map(lambda v: optax.projections.projection_hypercube(v, 0.75), pair),
        'projectionLinfBall': lambda: optax.projections.projection_linf_ball(pair, 0.75),
        'projectionSimplex': lambda: optax.projections.projection_simplex(pair, 2.0),
        'projectionL1Sphere': lambda: optax.projections.projection_l1_sphere(pair, 2.0),
        'projectionL1Ball': lambda: [optax.projections.projection_l1_ball(pair, s) for s in (2.0, 100.0)],
        'projectionL2Sphere': lambda: optax.projections.projection_l2_sphere(pair, 2.0),
        'projectionL2Ball': lambda: [optax.projections.projection_l2_ball(pair, s) for s in (2.0, 100.0)],
        'projectionVector': lambda: optax.projections.projection_vector(pair, other),
        'projectionHyperplane': lambda: optax.projections.projection_hyperplane(pair, other, 0.5),
        'projectionHalfspace': lambda: [optax.projections.projection_halfspace(pair, other, b) for b in (-9.0, 99.0)],
        'ntxent': lambda: [optax.losses.ntxent(d(16, 6, 4), labels, t) for t in (0.5, 0.0625)],
        'diceLoss': lambda: [
            optax.losses.dice_loss(d(17, 2, 3, 3), onehot),
            optax.losses.dice_loss(d(17, 2, 3, 3), onehot, alpha=0.25, beta=0.75, smooth=0.5, ignore_background=True),
            optax.losses.dice_loss(d(17, 2, 3, 1), onehot[..., :1]),
        ],
        'tripletMarginLoss': lambda: [
            optax.losses.triplet_margin_loss(d(18, 4, 3), d(19, 4, 3), d(20, 4, 3)),
            optax.losses.triplet_margin_loss(d(18, 4, 3), d(19, 4, 3), d(20, 4, 3), norm_degree=4, margin=0.5, axis=0),
        ],
        'fenchelYoungLoss': lambda: optax.losses.make_fenchel_young_loss(jax.nn.logsumexp)(d(21, 4, 3), onehot[:, :2].reshape(4, 3)),
    }
    answers = {}
    for name, make in made.items():
        try:
            answers[name] = make()
        except (TypeError, ValueError) as error:
            print(f'{jnp.dtype(dtype)} has no {name}: {str(error).splitlines()[0][:80]}')
    return answers


def numbers(tree):
    leaves = jax.tree.leaves(tree)
    return [[float(v) for v in np.asarray(leaf, np.float64).ravel()] for leaf in leaves]


if __name__ == '__main__':
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else 'test/golden')
    public = {'optax': functions(optax), **{f'optax.{m}': functions(getattr(optax, m)) for m in MODULES}}
    answer = {
        'optax': optax.__version__,
        'names': public,
        'results': {name: {k: numbers(v) for k, v in results(dtype).items()} for name, dtype in DTYPES.items()},
    }
    path = folder / 'optimizer' / 'root.json'
    path.write_text(json.dumps(answer, separators=(',', ':')) + '\n')
    print(path)
