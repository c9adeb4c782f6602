"""Regenerates the trajectories of test/golden/optimizer: optax on CPU, called operation by operation, not jitted.

    python scripts/golden/optimizer.py [FOLDER]        FOLDER is test/golden unless named

Given (read from the stored keys): names, options, starting parameters, gradients, which steps are recorded, and the
word of the program that made the keys first: `crosscheck_*`, how far its NumPy model of optax was off. Computed:
everything else. Where optax compiles an inner optimizer (`apply_if_finite`, `MultiSteps`) the recorded parameters are
those of the composition, written out here operation by operation, and optax's own compiled bits lie beside them (jitted
as a whole here: `lax.cond` alone would be compiled anew at every step); these, and adafactor's means, may differ on
another machine. The float32 runs of rmsprop and adagrad do: they stay as stored where this machine is within 4 ulp a
step.

`schedules.json` has its own script; `torch.json` and `mup.json` need torch and are not made here.
"""

import copy
import json
import os
import sys
from pathlib import Path

os.environ['JAX_PLATFORMS'] = 'cpu'

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import optax

from support.keyjson import text

VERSIONS = {'optax': '0.2.8', 'jax': '0.10.2'}
DTYPES = {'f32': jnp.float32, 'bf16': jnp.bfloat16, 'i32': jnp.int32, 'bool': jnp.bool_}
WORDS = {2: np.uint16, 4: np.uint32}
UNUSUAL = {'nan': np.nan, 'inf': np.inf, '-inf': -np.inf}

# Bits.


def short(x):
    return next(name for name, dtype in DTYPES.items() if x.dtype == dtype)


def bits(x):
    """The elements' bits in hexadecimal, C order, every NaN as it is."""
    x = np.asarray(x)
    return ''.join(f'{word:0{2 * x.itemsize}x}' for word in x.reshape(-1).view(WORDS[x.itemsize]))


def array(digits, dtype, shape):
    width = 4 if dtype == 'bf16' else 8
    words = [int(digits[i : i + width], 16) for i in range(0, len(digits), width)]
    storage = ml_dtypes.bfloat16 if dtype == 'bf16' else np.float32
    return jnp.asarray(np.array(words, WORDS[width // 2]).view(storage).reshape(shape))


def tree(leaves, stored, dtype):
    made = {}
    for path, shape in leaves:
        *above, last = path.split('/')
        at = made
        for name in above:
            at = at.setdefault(name, {})
        at[last] = array(stored[path], dtype, shape)
    return made


def flat(leaves, values):
    """The leaves by their paths, as the key orders them."""

    def under(path):
        at = values
        for name in path.split('/'):
            at = at[name]
        return at

    return {path: under(path) for path, _ in leaves}


def tree_bits(leaves, values):
    return {path: bits(x) for path, x in flat(leaves, values).items()}


def at_step(key, name, t, dtype):
    return tree(key['leaves'], {path: of[t] for path, of in key['grads'][name].items()}, dtype)


def decimal(value):
    value = float(value)
    return value if np.isfinite(value) else 'nan' if np.isnan(value) else 'inf' if value > 0 else '-inf'


def decimals(x):
    return [decimal(value) for value in np.asarray(x, np.float64).reshape(-1)]


def ulps(a, b):
    """The largest distance in numbers of the dtype between two dicts of bits; NaN beside NaN is 0."""
    most = 0
    for path in a:
        width = 4 if len(a[path]) == len(b[path]) and ulps.dtype == 'bf16' else 8
        sign = 1 << (4 * width - 1)
        for i in range(0, len(a[path]), width):
            x, y = int(a[path][i : i + width], 16), int(b[path][i : i + width], 16)
            nan = [w & (sign - 1) > (0x7F80 << (4 * width - 16)) for w in (x, y)]
            if any(nan):
                continue
            most = max(most, abs((x if x < sign else sign - x) - (y if y < sign else sign - y)))
    return most


# The keys.


def adamw_of(run):
    hyper = dict(run['hyper'])
    if isinstance(hyper['learning_rate'], list):
        _, args = hyper['learning_rate']
        hyper['learning_rate'] = optax.warmup_cosine_decay_schedule(**args)
    if run['mask']:
        mask = run['mask']
        hyper['mask'] = {'decoder': {'b': mask['decoder/b'], 'w': mask['decoder/w']}, 'scale': mask['scale']}
    if run['optimizer'] == 'inject_adamw':
        return optax.inject_hyperparams(optax.adamw)(**hyper)
    return getattr(optax, run['optimizer'])(**hyper)


def adamw(key):
    leaves = key['leaves']
    for run in key['runs']:
        optimizer, dtype = adamw_of(run), run['param_dtype']
        params = tree(leaves, run['params0'], dtype)
        state = optimizer.init(params)
        if 'hyperparams_bits' in run:
            run['hyperparams_bits'] = {
                name: [short(x), bits(x)] for name, x in in_order(run['hyperparams_bits'], state.hyperparams)
            }
        records = {record['step']: record for record in run['records']}
        for step in range(1, key['steps'] + 1):
            updates, state = optimizer.update(at_step(key, run['grads'], step - 1, dtype), state, params)
            params = optax.apply_updates(params, updates)
            if step in records:
                moments = (state.inner_state if run['optimizer'] == 'inject_adamw' else state)[0]
                fill(
                    records[step],
                    count=int(moments.count),
                    params=tree_bits(leaves, params),
                    update=tree_bits(leaves, updates),
                    mu=tree_bits(leaves, moments.mu),
                    nu=tree_bits(leaves, moments.nu),
                    **({'nu_max': tree_bits(leaves, moments.nu_max)} if 'nu_max' in records[step] else {}),
                )
        run['final_decimal'] = {path: decimals(x) for path, x in flat(leaves, params).items()}
        if 'lr_bits' in run:
            rate = optax.warmup_cosine_decay_schedule(**run['hyper']['learning_rate'][1])
            counts = [jnp.asarray(c, jnp.int32) for c in range(key['steps'])]
            run['lr_bits'] = ''.join(bits(np.float32(rate(c))) for c in counts)


def in_order(like, values):
    return [(name, values[name]) for name in like]


def fill(record, **values):
    """Puts values into a record that has these names: the order of the stored key stays."""
    missing = set(values) - set(record)
    assert not missing, missing
    record.update(values)


def single_leaf(key):
    for run in key['runs']:
        optimizer = getattr(optax, run['optimizer'])(**run['hyper'])
        params = {'w': array(run['params0'], run['dtype'], run['shape'])}
        state = optimizer.init(params)
        for t, grads in enumerate(run['grads']):
            updates, state = optimizer.update({'w': array(grads, run['dtype'], run['shape'])}, state, params)
            params = optax.apply_updates(params, updates)
            run['params'][t] = bits(params['w'])


def finite(x):
    return all(bool(jnp.all(jnp.isfinite(leaf))) for leaf in jax.tree.leaves(x))


def composed_apply_if_finite(inner, limit):
    """optax.apply_if_finite without its lax.cond, which compiles the inner optimizer."""

    def init(params):
        return {'bad': 0, 'total': 0, 'last': True, 'inner': inner.init(params)}

    def update(updates, state, params):
        last = finite(updates)
        bad = 0 if last else state['bad'] + 1
        total = state['total'] + (not last)
        if last or bad > limit:
            updates, state_inner = inner.update(updates, state['inner'], params)
        else:
            updates, state_inner = jax.tree.map(jnp.zeros_like, updates), state['inner']
        return updates, {'bad': bad, 'total': total, 'last': last, 'inner': state_inner}

    return init, update


def chain_links(key):
    made = {
        'clip': lambda: optax.clip_by_global_norm(key['max_norm']),
        'zero_nans': optax.zero_nans,
        'adamw': lambda: optax.adamw(**key['adamw']),
    }
    return lambda names: [made[name]() for name in names]


def chain_run(key, run):
    leaves, dtype, link = key['leaves'], run['dtype'], chain_links(key)
    optimizer = optax.chain(*link(run['chain']))
    params = tree(leaves, run['params0'], dtype)
    state = optimizer.init(params)
    for record in run['records']:
        grads = at_step(key, dtype, record['step'] - 1, dtype)
        updates, state = optimizer.update(grads, state, params)
        params = optax.apply_updates(params, updates)
        fill(record, gnorm=bits(optax.global_norm(grads)), params=tree_bits(leaves, params))
        if 'found_nan' in record:
            found = state[run['chain'].index('zero_nans')].found_nan
            fill(record, found_nan={path: bool(x) for path, x in flat(leaves, found).items()})
        if 'mu' in record:
            adam = state[run['chain'].index('adamw')][0]
            fill(
                record,
                mu=tree_bits(leaves, adam.mu),
                nu=tree_bits(leaves, adam.nu),
                count=int(adam.count),
            )


def finite_run(key, run):
    leaves, dtype = key['leaves'], run['dtype']
    names = run['chain'][0].removeprefix('finite(').removesuffix(')').split('>')
    links = chain_links(key)(names)
    inner = links[0] if len(links) == 1 else optax.chain(*links)
    limit = key['max_consecutive_errors']
    real = optax.apply_if_finite(inner, limit)
    real_update = jax.jit(real.update)
    init, update = composed_apply_if_finite(inner, limit)
    params = compiled = tree(leaves, run['params0'], dtype)
    state, real_state = init(params), real.init(params)
    most = 0
    for record in run['records']:
        grads = at_step(key, dtype, record['step'] - 1, dtype)
        updates, state = update(grads, state, params)
        params = optax.apply_updates(params, updates)
        updates, real_state = real_update(grads, real_state, compiled)
        compiled = optax.apply_updates(compiled, updates)
        assert (state['bad'], state['total']) == (int(real_state.notfinite_count), int(real_state.total_notfinite))
        fill(
            record,
            notfinite_count=state['bad'],
            total_notfinite=state['total'],
            last_finite=state['last'],
            applied=state['last'] or state['bad'] > limit,
            params=tree_bits(leaves, params),
            params_optax_cond=tree_bits(leaves, compiled),
        )
        ulps.dtype = dtype
        most = max(most, ulps(record['params'], record['params_optax_cond']))
    run['cond_max_ulp_vs_composed'] = most


def numbers(values, dtype):
    return jnp.asarray([UNUSUAL.get(x, x) if isinstance(x, str) else x for x in values], DTYPES[dtype])


def order_row(row):
    transforms = {'clip': lambda: optax.clip_by_global_norm(1.0), 'zero_nans': optax.zero_nans}
    transform = optax.chain(*[transforms[name]() for name in row['order'].split('>')])
    grads = {'g': numbers(row['in'], row['dtype'])}
    out = transform.update(grads, transform.init(grads))[0]['g']
    fill(row, out=bits(out), out_decimal=decimals(out))


def clip_row(row):
    x = array(row['in'], row['dtype'], [-1])
    limit = UNUSUAL.get(row['max_norm'], row['max_norm'])
    norm = optax.global_norm({'g': x})
    out = optax.clip_by_global_norm(limit).update({'g': x}, optax.EmptyState())[0]['g']
    fill(row, norm=bits(norm), out=bits(out), norm_decimal=decimal(norm), out_decimal=decimals(out))


def ema_of_constant(run):
    dtype = DTYPES[run['dtype']]
    mean, target = jnp.asarray(run['start'], dtype), jnp.asarray(run['target'], dtype)
    first, stall = [], None
    for step in range(1, run['last_step'] + 1):
        new = optax.incremental_update(target, mean, 1 - run['tau'])
        if stall is None and bits(new) == bits(mean):
            stall = step - 1
        mean = new
        first.append(bits(mean))
    fill(
        run,
        first_60=''.join(first[:60]),
        stall_after_updates=stall,
        last=bits(mean),
        last_decimal=decimal(mean),
    )


def ema_of_tree(key, run):
    mean = tree(key['leaves'], run['start'], run['dtype'])
    records = {record['step']: record for record in run['records']}
    for step in range(1, max(records) + 1):
        target = tree(key['leaves'], {path: of[step - 1] for path, of in run['targets'].items()}, run['dtype'])
        mean = optax.incremental_update(target, mean, 1 - run['tau'])
        if step in records:
            fill(records[step], ema=tree_bits(key['leaves'], mean))


def chain(key):
    for run in key['runs']:
        (finite_run if run['chain'][0].startswith('finite') else chain_run)(key, run)
    for row in key['order_table']:
        order_row(row)
    for row in key['clip_table']:
        clip_row(row)
    for run in key['ema']:
        ema_of_tree(key, run) if run.get('kind') == 'tree' else ema_of_constant(run)


def every(run):
    if isinstance(run['every_k'], int):
        return lambda _: run['every_k']
    assert run['every_k'] == 'gradient_step < 4 ? 2 : 5'
    return lambda step: jnp.where(step < 4, 2, 5)


def multisteps(key):
    leaves = key['leaves']
    for run in key['runs']:
        dtype = ulps.dtype = run['params0'] and ('bf16' if len(run['params0']['scale']) == 4 else 'f32')
        inner = optax.adamw(**run['inner']['adamw']) if 'adamw' in run['inner'] else optax.sgd(run['inner']['sgd'])
        accumulator = DTYPES[run['accumulator']]
        skip = optax.skip_not_finite if run['skip_not_finite'] else None
        real = optax.MultiSteps(
            inner, every(run), run['use_grad_mean'], skip, accumulator_dtype=accumulator
        )
        real_update = jax.jit(real.update)
        params = compiled = tree(leaves, run['params0'], dtype)
        acc = jax.tree.map(lambda x: jnp.zeros_like(x, dtype=accumulator), params)
        mini = done = 0
        state, real_state = inner.init(params), real.init(params)
        most = {'params': 0, 'acc': 0}
        for record in run['records']:
            grads = at_step(key, run['grads'], record['step'] - 1, dtype)
            updates, real_state = real_update(grads, real_state, compiled)
            compiled = optax.apply_updates(compiled, updates)
            skipped = run['skip_not_finite'] and not finite(grads)
            emitted = False
            if not skipped:
                k = int(every(run)(done))
                total = jax.tree.map(accumulated(run['use_grad_mean'], mini), grads, acc)
                emitted = mini == k - 1
                if emitted:
                    mean = jax.tree.map(lambda x, g: x.astype(g.dtype), total, grads)
                    updates, state = inner.update(mean, state, params)
                    params = optax.apply_updates(params, updates)
                    done += 1
                    total = jax.tree.map(jnp.zeros_like, total)
                acc = jax.tree.map(lambda x: x.astype(accumulator), total)
                mini = (mini + 1) % k
            assert (mini, done) == (int(real_state.mini_step), int(real_state.gradient_step))
            fill(
                record,
                mini_step=mini,
                gradient_step=done,
                emitted=emitted,
                skipped=skipped,
                acc=tree_bits(leaves, acc),
                params=tree_bits(leaves, params),
            )
            ulps.dtype = dtype
            most['params'] = max(most['params'], ulps(record['params'], tree_bits(leaves, compiled)))
            ulps.dtype = run['accumulator']
            most['acc'] = max(most['acc'], ulps(record['acc'], tree_bits(leaves, real_state.acc_grads)))
            if 'params_optax' in record:
                fill(record, params_optax=tree_bits(leaves, compiled))
        run['compiled_max_ulp'] = most


def accumulated(mean, mini):
    """The next accumulator; an array by an array of its shape is divided, not multiplied by a reciprocal."""

    def add(g, acc):
        if not mean:
            return g + acc
        apart = g - acc
        return acc + apart / jnp.full_like(apart, mini + 1)

    return add


def ema(key):
    for run in key['runs']:
        accumulator = run['accumulator_dtype']
        transform = optax.ema(run['decay'], run['debias'], accumulator and jnp.dtype(accumulator))
        records = {record['step']: record for record in run['records']}
        state = transform.init(at_step(key, run['grads'], 0, run['grads']))
        for step in range(1, key['steps'] + 1):
            updates, state = transform.update(at_step(key, run['grads'], step - 1, run['grads']), state)
            if step in records:
                fill(
                    records[step],
                    update_dtype=short(jax.tree.leaves(updates)[0]),
                    update=tree_bits(key['leaves'], updates),
                    ema_dtype=short(jax.tree.leaves(state.ema)[0]),
                    ema=tree_bits(key['leaves'], state.ema),
                    count=int(state.count),
                )


def other(key, run):
    leaves = key['leaves']
    optimizer = getattr(optax, run['optimizer'])(**run['hyper'])
    params = tree(leaves, run['params0'], run['dtype'])
    state = optimizer.init(params)
    for record in run['records']:
        grads = at_step(key, run['dtype'], record['step'] - 1, run['dtype'])
        updates, state = optimizer.update(grads, state, params)
        params = optax.apply_updates(params, updates)
        fill(record, params=tree_bits(leaves, params))
    run['final_state'] = {
        jax.tree_util.keystr(path): [short(x), list(x.shape), bits(x)]
        for path, x in jax.tree_util.tree_flatten_with_path(state)[0]
    }
    run['final_decimal'] = {path: decimals(x) for path, x in flat(leaves, params).items()}


# XLA's 1 / sqrt begins with the processor's estimate: other models of CPU give other last bits.
PROCESSOR = {'rmsprop-f32', 'rmsprop-momentum-centered-f32', 'adagrad-f32'}


def others(key):
    for run in key['runs']:
        made = copy.deepcopy(run)
        other(key, made)
        ulps.dtype = run['dtype']
        apart = [ulps(a['params'], b['params']) for a, b in zip(run['records'], made['records'])]
        if run['name'] in PROCESSOR and all(n <= 4 * step for step, n in enumerate(apart, 1)):
            print(f'{run["name"]}: kept as stored; this processor is up to {max(apart)} ulp from it')
        else:
            run.update(made)


if __name__ == '__main__':
    found = {'optax': optax.__version__, 'jax': jax.__version__}
    if found != VERSIONS:
        sys.exit(f'optimizer.py: versions are not {VERSIONS} [{found}]')
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / 'test' / 'golden'
    for compute in (adamw, single_leaf, chain, multisteps, ema, others):
        path = folder / 'optimizer' / f'{compute.__name__}.json'
        stored = path.read_text()
        key = json.loads(stored)
        compute(key)
        made = text(key) + '\n'
        print(f'{path.name}: {"as stored" if made == stored else "differs from what was stored"}', flush=True)
        path.write_text(made)
