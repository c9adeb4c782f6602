"""Writes test/golden/ssm/step2750.json and .bin: the step-2750 experiment, step by step, in every variant.

    python3 scripts/golden/ssm.py            # numpy and ml_dtypes; about three minutes
    python3 scripts/golden/ssm.py --check    # compares with what is stored

The runs are made by benchmarks/peers/step2750.py, a program of its own: nothing of src is in it. The inputs x are given
(test/golden/ssm/step2750_data, standard normal draws in bfloat16); the outputs y follow from them by the teacher's
recurrence, in float64, rounded to float32 and then to bfloat16.
"""

import hashlib
import sys
from pathlib import Path

import ml_dtypes
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / 'scripts' / 'golden'), str(ROOT / 'benchmarks' / 'peers')]

import step2750 as peer
from support.columnfile import read_columns, run, write_columns

STEPS = 5000
SHORT = 300
GAP = dict(length=128, rows=1024, rate=7.0, step=0.07, gap=16.0, start=(7.0, 0.03, 16.0), lr=2.75e-4)
UNIFORM = dict(length=384, rows=256, rate=3.2, step=0.066, gap=None, start=(3.2, 0.04, None), lr=2.37e-4)
# Rates at which the naive run is repeated, to the first step that is not finite.
RATES = [1.5e-4, 2e-4, 2.5e-4, 2.7e-4, 2.8e-4, 3e-4, 4e-4, 6e-4, 1e-3]


def data_of(experiment):
    """The codes of x and y, the file that `--data` of the command reads."""
    rows, length = experiment['rows'], experiment['length']
    x = read_columns('ssm/step2750_data')[0]['x'][: rows * length]
    values = x.view(ml_dtypes.bfloat16).astype(np.float64).reshape(rows, length)
    steps = np.full(length, experiment['step'])
    if experiment['gap']:
        steps[0] = experiment['gap']
    h, y = np.zeros(rows), np.zeros((rows, length))
    for t in range(length):
        h = np.exp(-experiment['rate'] * steps[t]) * h + steps[t] * values[:, t]
        y[:, t] = h
    return np.concatenate([x, y.astype(np.float32).astype(ml_dtypes.bfloat16).view(np.uint16).ravel()])


def bits(v):
    """Float32 bits, NaN as 7fc00000."""
    v = np.atleast_1d(np.asarray(v, np.float32))
    return np.where(np.isnan(v), np.uint32(0x7FC00000), v.view(np.uint32))


def digest(values):
    return hashlib.sha256(np.concatenate(values).astype('<u4').tobytes()).hexdigest()


def key_of(experiment, **options):
    """The columns of one run (a row a record) and its facts."""
    gap = experiment['gap'] is not None
    steps = list(
        peer.train(
            data_of(experiment),
            experiment['length'],
            peer.initial(*experiment['start']),
            steps=STEPS,
            lr=experiment['lr'],
            gap=gap,
            stop=not options.get('zero_nans'),
            **options,
        )
    )
    bad = [r['step'] for r in steps if not r['finite']]
    first = bad[0] if bad else None
    count = len(steps)

    def recorded(t):
        return t <= 5 or t % 100 == 0 or t > count - 11 or (first and first <= t < first + 20)

    rows = [
        np.concatenate(
            [
                np.uint32([r['step']]),
                *map(bits, (r['params'], r['grads'], r['norm'], r['loss'])),
                *map(bits, (r['dt'][-1], r['cs'][-1], r['A'], r['after'])),
            ]
        )
        for r in steps
        if recorded(r['step'])
    ]
    losses = [bits(r['loss']) for r in steps]
    facts = {
        'steps_run': count,
        'first_nonfinite_step': first,
        'nonfinite_steps': len(bad),
        'loss_sha256': digest(losses),
        'short_loss_sha256': digest(losses[:SHORT]),
    }
    return np.concatenate(rows), facts


def runs(out):
    columns, facts = {}, {}
    for name, options in peer.VARIANTS.items():
        columns[name], facts[name] = key_of(GAP, **options)
        print(name, facts[name]['first_nonfinite_step'], flush=True)
    for name in ('naive', 'stable', 'rows16'):
        # 384 positions take the products of a matrix to float32's subnormals, where they no longer fit it.
        columns[f'uniform_{name}'], facts[f'uniform_{name}'] = key_of(UNIFORM, exact=True, **peer.VARIANTS[name])
        print(f'uniform_{name}', facts[f'uniform_{name}']['first_nonfinite_step'], flush=True)
    codes = data_of(GAP)
    rates = []
    for lr in RATES:
        last = list(peer.train(codes, 128, peer.initial(*GAP['start']), steps=8000, lr=lr))[-1]
        rates.append([lr, last['step']])
    experiments = {
        name: {k: v for k, v in experiment.items()}
        | {'xy_sha256': hashlib.sha256(data_of(experiment).astype('<u2').tobytes()).hexdigest()}
        for name, experiment in (('gap', GAP), ('uniform', UNIFORM))
    }
    row = 'step params[5] grads[5] norm loss dt_end cs_end A params_after[5]: float32 bits, NaN 7fc00000; step a number'
    write_columns(
        out,
        'ssm/step2750',
        columns,
        {'row': row, 'short': SHORT, 'experiments': experiments, 'runs': facts, 'first_nonfinite_step_by_lr': rates},
    )


if __name__ == '__main__':
    run([runs])
