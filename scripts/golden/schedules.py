"""Regenerates test/golden/optimizer/schedules.json: optax's schedules at many steps, on CPU.

    python scripts/golden/schedules.py [FOLDER]        FOLDER is test/golden unless named

Given (read from the stored key): which schedules, by optax's argument names, and at which steps. Computed: `eager`,
optax called with an int32 count, operation by operation; `jit_differs`, where the same function compiled gives other
bits (XLA fuses multiply-adds where the machine can); `f64`, the formulas below in Python's float64.
The key was first made by another program, which also compared a NumPy model of optax's float32 operations: the
`recipe` counts, 0 throughout, are its word.
"""

import json
import math
import os
import struct
import sys
from pathlib import Path

os.environ['JAX_PLATFORMS'] = 'cpu'

import jax
import jax.numpy as jnp
import numpy as np
import optax

from support.keyjson import text

VERSIONS = {'optax': '0.2.8', 'jax': '0.10.2'}


def clipped(value, low, high):
    return min(max(value, low), high)


# Each kind twice: optax's function, and the formula in float64.


def polynomial64(init_value, end_value, power, transition_steps, transition_begin=0):
    if transition_steps <= 0:
        return lambda c: init_value
    begin = max(transition_begin, 0)

    def value(c):
        left = 1 - clipped(c - begin, 0, transition_steps) / transition_steps
        return (init_value - end_value) * left**power + end_value

    return value


def linear64(**args):
    return polynomial64(power=1, **args)


def cosine64(init_value, decay_steps, alpha=0.0, exponent=1.0):
    def value(c):
        wave = 0.5 * (1 + math.cos(math.pi * min(c, decay_steps) / decay_steps))
        return init_value * ((1 - alpha) * wave**exponent + alpha)

    return value


def exponential64(
    init_value, transition_steps, decay_rate, transition_begin=0, staircase=False, end_value=None
):
    if transition_steps <= 0 or decay_rate == 0:
        return lambda c: init_value
    begin = max(transition_begin, 0)

    def value(c):
        p = (c - begin) / transition_steps
        if staircase:
            p = math.floor(p)
        decayed = init_value if c <= begin else init_value * decay_rate**p
        if end_value is not None:
            decayed = max(decayed, end_value) if decay_rate < 1 else min(decayed, end_value)
        return decayed

    return value


def join64(parts, boundaries):
    def value(c):
        out = parts[0](c)
        for boundary, part in zip(boundaries, parts[1:]):
            if c >= boundary:
                out = part(c - boundary)
        return out

    return value


def warmup_cosine64(init_value, peak_value, warmup_steps, decay_steps, end_value=0.0, exponent=1.0):
    alpha = 0.0 if peak_value == 0 else end_value / peak_value
    return join64(
        [
            linear64(init_value=init_value, end_value=peak_value, transition_steps=warmup_steps),
            cosine64(peak_value, decay_steps - warmup_steps, alpha, exponent),
        ],
        [warmup_steps],
    )


def warmup_exponential64(init_value, peak_value, warmup_steps, **args):
    return join64(
        [
            linear64(init_value=init_value, end_value=peak_value, transition_steps=warmup_steps),
            exponential64(init_value=peak_value, **args),
        ],
        [warmup_steps],
    )


def warmup_constant64(init_value, peak_value, warmup_steps):
    return linear64(init_value=init_value, end_value=peak_value, transition_steps=warmup_steps)


def piecewise_constant64(init_value, boundaries_and_scales):
    def value(c):
        v = init_value
        for boundary, scale in sorted(boundaries_and_scales.items()):
            if c >= boundary:
                v = v * scale
        return v

    return value


def piecewise_interpolate64(interpolate_type, init_value, boundaries_and_scales):
    bounds, values = [0], [init_value]
    for boundary, scale in sorted(boundaries_and_scales.items()):
        bounds.append(boundary)
        values.append(values[-1] * scale)

    def value(c):
        if c >= bounds[-1]:
            return values[-1]
        j = max(i for i, b in enumerate(bounds) if b <= c)
        q = (c - bounds[j]) / max(bounds[j + 1] - bounds[j], 1)
        v, w = values[j], values[j + 1]
        if interpolate_type == 'linear':
            return (w - v) * q + v
        return w + (v - w) / 2 * (math.cos(math.pi * q) + 1)

    return value


def linear_onecycle64(
    transition_steps, peak_value, pct_start=0.3, pct_final=0.85, div_factor=25.0, final_div_factor=1e4
):
    scales = {
        int(pct_start * transition_steps): div_factor,
        int(pct_final * transition_steps): 1 / div_factor,
        transition_steps: 1 / final_div_factor,
    }
    return piecewise_interpolate64('linear', peak_value / div_factor, scales)


def cosine_onecycle64(transition_steps, peak_value, pct_start=0.3, div_factor=25.0, final_div_factor=1e4):
    scales = {
        int(pct_start * transition_steps): div_factor,
        transition_steps: 1 / (div_factor * final_div_factor),
    }
    return piecewise_interpolate64('cosine', peak_value / div_factor, scales)


def cumulative(lengths):
    return [sum(lengths[: i + 1]) for i in range(len(lengths))]


def sgdr64(cosine_kwargs):
    restarts = cumulative([cycle['decay_steps'] for cycle in cosine_kwargs])[:-1]
    return join64([warmup_cosine64(**cycle) for cycle in cosine_kwargs], restarts)


def doubling(join, linear, cosine):
    """A linear warm-up, then cosine cycles of the recorded periods, joined."""

    def make(
        init_value, peak_value, end_value, warmup_steps, total_steps, cycles, variant, periods, boundaries,
        schedule_end,
    ):
        first = (total_steps - warmup_steps) // (2**cycles - 1)
        expected = [first * 2**i for i in range(cycles)]
        if variant == 'last_absorbs_remainder':
            expected[-1] += total_steps - warmup_steps - sum(expected)
        assert periods == expected
        assert boundaries == [warmup_steps] + [warmup_steps + end for end in cumulative(periods)[:-1]]
        assert schedule_end == warmup_steps + sum(periods)
        parts = [linear(init_value=init_value, end_value=peak_value, transition_steps=warmup_steps)]
        parts += [cosine(init_value=peak_value, decay_steps=n, alpha=end_value / peak_value) for n in periods]
        return join(parts, boundaries)

    return make


def joined(table, join):
    def make(parts, boundaries):
        made = [table(part['kind'], {k: v for k, v in part.items() if k != 'kind'}) for part in parts]
        return join(made, boundaries)

    return make


def optax_schedule(kind, args):
    special = {
        'join': joined(optax_schedule, optax.join_schedules),
        'sgdr_doubling': doubling(optax.join_schedules, optax.linear_schedule, optax.cosine_decay_schedule),
        'exponential_decay': optax.exponential_decay,
    }
    return (special.get(kind) or getattr(optax, f'{kind}_schedule'))(**args)


def float64_schedule(kind, args):
    formulas = {
        'constant': lambda value: lambda c: value,
        'linear': linear64,
        'polynomial': polynomial64,
        'cosine_decay': cosine64,
        'exponential_decay': exponential64,
        'warmup_constant': warmup_constant64,
        'warmup_cosine_decay': warmup_cosine64,
        'warmup_exponential_decay': warmup_exponential64,
        'piecewise_constant': piecewise_constant64,
        'piecewise_interpolate': piecewise_interpolate64,
        'linear_onecycle': linear_onecycle64,
        'cosine_onecycle': cosine_onecycle64,
        'join': joined(float64_schedule, join64),
        'sgdr': sgdr64,
        'sgdr_doubling': doubling(join64, linear64, cosine64),
    }
    return formulas[kind](**args)


def arguments(given):
    """The stored arguments as Python takes them: integer powers and boundaries, no notes."""
    args = {key: value for key, value in given.items() if key != 'power_is_int'}
    if 'power' in args:
        args['power'] = int(args['power']) if given['power_is_int'] else float(args['power'])
    if 'boundaries_and_scales' in args:
        args['boundaries_and_scales'] = {int(b): s for b, s in args['boundaries_and_scales'].items()}
    return args


def ulps(a, b):
    """The distance in float32 numbers; the two zeros are one, and NaN (compiled, a root of less than 0) is skipped."""

    def index(bits):
        signed = bits.astype(np.int64)
        return np.where(signed < 2**31, signed, 2**31 - signed)

    numbers = ~(np.isnan(a.view(np.float32)) | np.isnan(b.view(np.float32)))
    return np.abs(index(a) - index(b))[numbers]


def words(values):
    return np.asarray(values, np.float32).view(np.uint32)


def entry(given):
    """One schedule of the key, and how many of its values differ under jit and from the rounded float64."""
    args = arguments(given['args'])
    first_last = given['steps_are'] == 'range_inclusive'
    steps = list(range(given['steps'][0], given['steps'][1] + 1)) if first_last else given['steps']
    counts = [jnp.asarray(step, jnp.int32) for step in steps]
    function = optax_schedule(given['kind'], args)
    eager = words([np.float32(function(c)) for c in counts])
    compiled = jax.jit(lambda c: jnp.asarray(function(c), jnp.float32))
    jit = words([np.float32(compiled(c)) for c in counts])
    formula = float64_schedule(given['kind'], args)
    f64 = [float(formula(step)) for step in steps]
    stride = max(1, len(steps) // 8)
    shown = sorted({*range(0, len(steps), stride), len(steps) - 1})
    record = {
        **{key: given[key] for key in ('name', 'kind', 'args', 'steps', 'steps_are')},
        'eager': ''.join(f'{word:08x}' for word in eager),
        'jit_differs': {str(s): f'{b:08x}' for s, a, b in zip(steps, eager, jit) if a != b},
        'f64': ''.join(struct.pack('>d', value).hex() for value in f64),
        'decimal': {str(steps[i]): float(f'{eager.view(np.float32)[i]:.9g}') for i in shown},
        'max_ulp': {
            'eager_vs_jit': int(ulps(eager, jit).max()),
            'eager_vs_recipe': 0,
            'eager_vs_f64_rounded': int(ulps(eager, words(f64)).max()),
        },
    }
    return record, len(steps), int((eager != jit).sum()), int((eager != words(f64)).sum())


if __name__ == '__main__':
    found = {'optax': optax.__version__, 'jax': jax.__version__}
    if found != VERSIONS:
        sys.exit(f'schedules.py: versions are not {VERSIONS} [{found}]')
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / 'test' / 'golden'
    path = folder / 'optimizer' / 'schedules.json'
    stored = json.loads(path.read_text())
    made = [entry(given) for given in stored['schedules']]
    key = {
        'about': stored['about'],
        'schedules': [record for record, *_ in made],
        'totals': {
            'values': sum(n for _, n, _, _ in made),
            'jit_differs': sum(n for _, _, n, _ in made),
            'recipe_differs': 0,
            'f64_rounded_differs': sum(n for *_, n in made),
        },
    }
    path.write_text(text(key) + '\n')
