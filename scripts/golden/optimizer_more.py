"""Writes test/golden/optimizer/more.json: 200 steps of further optax transforms, called operation by operation on CPU.

    python scripts/golden/optimizer_more.py [FOLDER]        FOLDER is test/golden unless named

Nothing is given but the formulas of `leaf`: parameters and gradients have five significant bits, so that both dtypes
hold them. lax.cond,
lax.fori_loop, lax.scan and lax.while_loop, which compile their bodies, are replaced by a choice and by loops. Parameters are recorded after the steps of RECORDED, as big-endian hex digits.
"""

import json
import os
import sys
from pathlib import Path

os.environ['JAX_PLATFORMS'] = 'cpu'

import jax
import jax.numpy as jnp
import numpy as np
import optax

SHAPES = {'b': [3], 'one': [1], 'w': [5, 4]}
# Three axes of the same elements, for what looks at more than two.
OTHER_SHAPES = {'muonHeads': {**SHAPES, 'w': [2, 5, 2]}, 'muonBatch': {**SHAPES, 'w': [2, 5, 2]}}
RECORDED = [1, 2, 3, 10, 50, 100, 200]
DTYPES = {'f32': (jnp.float32, np.uint32), 'bf16': (jnp.bfloat16, np.uint16)}


def leaf(name, step):
    """Element i at a step, 0 for the parameters: ((7 i + 13 step + 5 length) mod 31 - 15) / 2^(step mod 9)."""
    shape = SHAPES[name]
    n = int(np.prod(shape))
    i = np.arange(n)
    return (((7 * i + 13 * step + 5 * n) % 31 - 15) / 2.0 ** (step % 9)).reshape(shape)


def tree(step, dtype):
    return {name: jnp.asarray(leaf(name, step), dtype) for name in SHAPES}


def halving(step):
    return jnp.float32(0.55) / (jnp.float32(1) + jnp.float32(step))


def slower(step):
    return jnp.float32(1) - jnp.float32(0.1) / (jnp.float32(1) + jnp.float32(step))


squares = optax.stateless(lambda updates, _: jax.tree.map(lambda g: g * g, updates))


OPTIMIZERS = {
    'identity': lambda: optax.identity(),
    'setToZero': lambda: optax.set_to_zero(),
    'signSgd': lambda: optax.sign_sgd(0.013),
    'signum': lambda: optax.signum(0.013),
    'signumFloat32': lambda: optax.signum(0.013, beta=0.7, accumulator_dtype=jnp.float32),
    'adamaxw': lambda: optax.adamaxw(0.013, weight_decay=0.1),
    'optimisticGradientDescent': lambda: optax.optimistic_gradient_descent(0.013, alpha=1.1, beta=0.7),
    'ademamix': lambda: optax.contrib.ademamix(0.013, b3=0.99, weight_decay=0.1),
    'ademamixScheduled': lambda: optax.contrib.ademamix(0.013, b3=slower, alpha=halving),
    'adan': lambda: optax.adan(0.013, weight_decay=0.1),
    'adopt': lambda: optax.contrib.adopt(0.013, b2=0.99),
    'adoptNesterov': lambda: optax.contrib.adopt(0.013, nesterov=True, use_clipping=False),
    'rprop': lambda: optax.rprop(0.013),
    'novograd': lambda: optax.novograd(0.013, weight_decay=0.1),
    'sm3': lambda: optax.sm3(0.013),
    'fromage': lambda: optax.fromage(0.013),
    'noisySgd': lambda: optax.noisy_sgd(0.013, key=3),
    'applyEvery': lambda: optax.chain(optax.apply_every(3), optax.scale(-0.013)),
    'centralize': lambda: optax.chain(optax.centralize(), optax.scale(-0.013)),
    'normalizeByUpdateNorm': lambda: optax.chain(optax.normalize_by_update_norm(1.5), optax.scale(-0.013)),
    'namedChain': lambda: optax.named_chain(('adam', optax.scale_by_adam()), ('rate', optax.scale(-0.013))),
    'partition': lambda: optax.partition(
        {'fast': optax.sgd(0.1), 'slow': optax.adam(0.013)}, {'b': 'fast', 'one': 'slow', 'w': 'fast'}
    ),
    'freeze': lambda: optax.chain(optax.sgd(0.013), optax.freeze({'b': True, 'one': False, 'w': False})),
    'selectiveTransform': lambda: optax.selective_transform(
        optax.adam(0.013), freeze_mask={'b': True, 'one': False, 'w': False}
    ),
    'conditionallyTransform': lambda: optax.chain(
        optax.conditionally_transform(optax.scale_by_adam(), lambda step: step % 3 == 0), optax.scale(-0.013)
    ),
    'conditionallyMask': lambda: optax.chain(
        optax.conditionally_mask(optax.scale_by_adam(), lambda step: step % 3 == 0), optax.scale(-0.013)
    ),
    'muon': lambda: optax.contrib.muon(0.013, weight_decay=0.1),
    'muonAol': lambda: optax.contrib.muon(0.013, preconditioning='aol', adaptive=True, consistent_rms=0.2),
    'muonSchatten': lambda: optax.contrib.muon(0.013, preconditioning='schatten', nesterov=False),
    'muonHeads': lambda: optax.contrib.muon(
        0.013,
        weight_decay=0.1,
        muon_weight_dimension_numbers={
            'b': None,
            'one': None,
            'w': optax.contrib.MuonDimensionNumbers(reduction_axis=(1,), output_axis=(2, 0)),
        },
    ),
    'muonBatch': lambda: optax.contrib.muon(
        0.013,
        muon_weight_dimension_numbers=lambda tree: {
            'b': None,
            'one': None,
            'w': optax.contrib.MuonDimensionNumbers(reduction_axis=-1, output_axis=1),
        },
    ),
    'scheduleFree': lambda: optax.contrib.schedule_free(optax.adam(0.013, b1=0.0), 0.013),
    'scheduleFreeScheduled': lambda: optax.contrib.schedule_free(
        optax.sgd(halving), halving, b1=0.8, weight_lr_power=1.0, state_dtype=jnp.float32
    ),
    'scheduleFreeSgd': lambda: optax.contrib.schedule_free_sgd(0.013, weight_decay=0.1),
    'scheduleFreeAdamw': lambda: optax.contrib.schedule_free_adamw(0.013, weight_decay=0.1),
    'prodigy': lambda: optax.contrib.prodigy(weight_decay=0.1, estim_lr0=1e-3),
    'prodigySafeguard': lambda: optax.contrib.prodigy(0.5, safeguard_warmup=True),
    'prodigyScheduled': lambda: optax.contrib.prodigy(halving, estim_lr0=1e-3),
    'reduceOnPlateau': lambda: optax.chain(
        optax.sgd(0.013),
        optax.contrib.reduce_on_plateau(factor=0.5, patience=3, cooldown=2, accumulation_size=2),
    ),
    'polyakSgd': lambda: optax.polyak_sgd(max_learning_rate=0.1, scaling=0.5, f_min=0.1),
    'sam': lambda: optax.contrib.sam(
        optax.adam(0.013), optax.chain(optax.contrib.normalize(), optax.sgd(0.05))
    ),
    'samOpaque': lambda: optax.contrib.sam(
        optax.sgd(0.013, momentum=0.9),
        optax.chain(optax.contrib.normalize(), optax.sgd(0.05)),
        sync_period=3,
        reset_state=False,
        opaque_mode=True,
    ),
    'sophia': lambda: optax.contrib.sophia(0.013, hessian_diagonal_fn=squares),
    'sophiaHutchinson': lambda: optax.contrib.sophia(
        0.013,
        update_interval=3,
        hessian_diagonal_fn=optax.contrib.hutchinson_estimator_diag_hessian(jax.random.key(5)),
    ),
    'differentiallyPrivateAggregate': lambda: optax.chain(
        optax.contrib.differentially_private_aggregate(1.5, 0.1, key=5), optax.scale(-0.013)
    ),
    'lbfgs': lambda: optax.lbfgs(0.3, memory_size=4, linesearch=None),
    'lbfgsBacktracking': lambda: optax.lbfgs(
        memory_size=3,
        scale_init_precond=False,
        linesearch=optax.scale_by_backtracking_linesearch(max_backtracking_steps=8),
    ),
    'lbfgsZoom': lambda: optax.lbfgs(memory_size=3),
    'sgdZoom': lambda: optax.chain(
        optax.sgd(0.7),
        optax.scale_by_zoom_linesearch(
            max_linesearch_steps=6, max_learning_rate=8.0, tol=1e-3, increase_factor=1.7, curv_rtol=0.2, approx_dec_rtol=None
        ),
    ),
    'dog': lambda: optax.contrib.dog(),
    'dogDistance': lambda: optax.contrib.dog(0.7, init_step=('distance', 0.01), weight_decay=0.1),
    'dogRate': lambda: optax.contrib.dog(halving, init_step=('learning_rate', 0.03)),
    'dowg': lambda: optax.contrib.dowg(),
    'dowgDistance': lambda: optax.contrib.dowg(0.7, init_estim_sq_dist=0.01, weight_decay=0.1),
    'cocob': lambda: optax.contrib.cocob(),
    'cocobDecay': lambda: optax.contrib.cocob(0.7, alpha=20.0, weight_decay=0.1),
    'dadaptAdamw': lambda: optax.contrib.dadapt_adamw(estim_lr0=1e-3, weight_decay=0.1),
    'dadaptAdamwScheduled': lambda: optax.contrib.dadapt_adamw(halving, betas=(0.8, 0.99)),
    'momo': lambda: optax.contrib.momo(),
    'momoAdaptive': lambda: optax.contrib.momo(0.3, beta=0.8, weight_decay=0.1, lower_bound=0.1, adapt_lower_bound=True),
    'momoScheduled': lambda: optax.contrib.momo(halving, weight_decay=0.1),
    'momoAdam': lambda: optax.contrib.momo_adam(),
    'momoAdamAdaptive': lambda: optax.contrib.momo_adam(
        0.3, b1=0.8, b2=0.99, weight_decay=0.1, lower_bound=0.1, adapt_lower_bound=True
    ),
    'scheduledDecay': lambda: optax.chain(optax.add_decayed_weights(halving), optax.scale(-0.01)),
    'injectedSchedule': lambda: optax.inject_hyperparams(optax.sgd)(learning_rate=halving),
}


def loss(step):
    """((11 step) mod 29 + 1) / 8: what transforms are told that need the loss."""
    return jnp.float32(((11 * step) % 29 + 1) / 8)


def square_of_sum(params):
    """Its Hessian is all ones, so that H r is the sum of r: exact in both dtypes."""
    total = sum(jnp.sum(x.astype(jnp.float32)) for x in jax.tree.leaves(params))
    return 0.5 * total * total


CURVATURE = {'b': 1.0, 'one': 2.0, 'w': 0.5}


def bowl(params):
    """Half the sum of curvature p^2, leaf after leaf."""
    return sum(0.5 * c * jnp.sum(params[name] * params[name]) for name, c in CURVATURE.items())


def down_the_bowl(step, dtype, params):
    """Its gradient with noise: the gradients of `tree` over 128."""
    return jax.tree.map(lambda p, g, c: p * c + g / 128, params, tree(step, dtype), CURVATURE)


EXTRA = {
    'sgdZoom': lambda step, dtype: {'value_fn': bowl},
    'lbfgsZoom': lambda step, dtype: {'value_fn': bowl},
    **{
        name: lambda step, dtype: {'value': loss(step)}
        for name in ('momo', 'momoAdaptive', 'momoScheduled', 'momoAdam', 'momoAdamAdaptive')
    },
    'sophiaHutchinson': lambda step, dtype: {'obj_fn': square_of_sum},
    'reduceOnPlateau': lambda step, dtype: {'value': loss(step)},
    'polyakSgd': lambda step, dtype: {'value': loss(step)},
    'lbfgsBacktracking': lambda step, dtype: {'value_fn': bowl},
    'samOpaque': lambda step, dtype: {'grad_fn': lambda _, i: tree(step + 300 * (i + 1), dtype)},
}


def by_branch(chosen, then, otherwise, *operands, operand=()):
    """lax.cond without its compilation, which would fuse the branch: the meaning, operation by operation."""
    operands = operands or ((operand,) if operand != () else ())
    return (then if bool(chosen) else otherwise)(*operands)


jax.lax.cond = by_branch


def by_steps(lower, upper, body, value, **_):
    """lax.fori_loop, uncompiled likewise."""
    for i in range(lower, upper):
        value = body(i, value)
    return value


jax.lax.fori_loop = by_steps


def by_rows(body, carry, rows, reverse=False):
    """lax.scan, uncompiled likewise; results in the order of the rows."""
    count = len(jax.tree.leaves(rows)[0])
    results = [None] * count
    for i in reversed(range(count)) if reverse else range(count):
        carry, results[i] = body(carry, jax.tree.map(lambda x: x[i], rows))
    return carry, jnp.stack(results)


jax.lax.scan = by_rows


def by_condition(going, body, value):
    """lax.while_loop, uncompiled likewise."""
    value = jax.tree.map(jnp.asarray, value)
    while bool(going(value)):
        value = body(value)
    return value


jax.lax.while_loop = by_condition


PER_EXAMPLE = ['differentiallyPrivateAggregate']


def examples(step, dtype):
    """Gradients of four examples, those of the steps 200 apart."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *(tree(step + 200 * i, dtype) for i in range(4)))


def hexed(x, word):
    width = 2 * np.dtype(word).itemsize
    return ''.join(f'{int(v):0{width}x}' for v in np.asarray(x).reshape(-1).view(word))


def run(name, short):
    dtype, word = DTYPES[short]
    transform = OPTIMIZERS[name]()
    shapes = OTHER_SHAPES.get(name, SHAPES)
    shaped = lambda given: {path: x.reshape(shapes[path]) if name in OTHER_SHAPES else x for path, x in given.items()}
    params = shaped(tree(0, dtype))
    state = transform.init(params)
    records = {}
    for step in range(1, 201):
        extra = EXTRA[name](step, dtype) if name in EXTRA else {}
        grads = examples(step, dtype) if name in PER_EXAMPLE else shaped(tree(step, dtype))
        if name.startswith('lbfgs') or name == 'sgdZoom':
            grads = down_the_bowl(step, dtype, params)
        if name in ('lbfgsBacktracking', 'lbfgsZoom', 'sgdZoom'):
            extra = {**extra, 'value': bowl(params), 'grad': grads}
        updates, state = transform.update(grads, state, params, **extra)
        params = optax.apply_updates(params, updates)
        if step in RECORDED:
            records[step] = {path: hexed(params[path], word) for path in SHAPES}
    return {'name': f'{name}-{short}', 'optimizer': name, 'dtype': short, 'records': records}


def one_element(name, short):
    """One step of lars or lamb on a leaf of one element whose square is out of range."""
    dtype, word = DTYPES[short]
    make = {'lars': lambda: optax.lars(1.0), 'lamb': lambda: optax.lamb(1.0, eps=0.0)}[name]
    rows = []
    for p, g in [(1.0, 1e-25), (1e-25, 1.0), (1e25, 2e20), (-3.0, 1e-20), (0.0, 1.0)]:
        params, grads = (jnp.asarray([x], dtype) for x in (p, g))
        transform = make()
        updates, _ = transform.update(grads, transform.init(params), params)
        rows.append({'p': p, 'g': g, 'u': hexed(updates, word)})
    return {'optimizer': name, 'dtype': short, 'rows': rows}


if __name__ == '__main__':
    if optax.__version__ != '0.2.8':
        sys.exit(f'optimizer_more.py: optax is not 0.2.8 [{optax.__version__}]')
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / 'test' / 'golden'
    key = {
        'about': 'optax 0.2.8, jax 0.10.2, CPU, op by op; scripts/golden/optimizer_more.py',
        'runs': [run(name, short) for name in OPTIMIZERS for short in DTYPES],
        'oneElement': [one_element(name, short) for name in ('lars', 'lamb') for short in DTYPES],
    }
    (folder / 'optimizer' / 'more.json').write_text(json.dumps(key, indent=1) + '\n')
