"""Computes the answer keys of test/golden/rl anew from their operands, in NumPy and JAX, and writes them where all agree.

    python scripts/golden/rl.py            writes them in place
    python scripts/golden/rl.py --check    compares bytes with the stored ones instead, exit 1 if any differ

Operands, prices, actions, draws and sizes come from the stored keys, which another program made first. Every column in float32 or
bfloat16, every count and every low-precision fact has to come out as stored; float64 columns within the slack of the key, and are
kept. Gradients are jax's, in float64. Not computed: what is over draws or starts that were not kept (`steps` of ratios, `openLoopGrowth`
of cartpole), and `learning.json`, curves of another program. scripts/golden/rl/peers.py asks gymnasium, torch and stable-baselines3.
"""

import os

os.environ['JAX_PLATFORMS'] = 'cpu'

import json

import jax
import ml_dtypes
import numpy as np
from support.checks import expect
from support.columnfile import STORED, run, write_text
from support.storedkey import StoredKey, double

jax.config.update('jax_enable_x64', True)

import jax.numpy as jnp

bf16, F, D = ml_dtypes.bfloat16, np.float32, np.float64
DTYPES = {'f64': D, 'f32': F, 'bf16': bf16}


class Key(StoredKey):
    def __init__(self, name):
        super().__init__('rl', name)


def rounding(dtype):
    """Rounds float64 once to the dtype; products and sums of two of its numbers are exact enough in float64 for that."""
    return lambda v: np.asarray(v, D).astype(dtype).astype(D)


def running(terms, r):
    """The sum along the first axis, ascending, every step rounded."""
    total = np.zeros(np.shape(terms)[1:])
    for term in terms:
        total = r(total + term)
    return total


def close(computed, stored, slack, claim):
    expect(abs(computed - stored) <= slack * max(1, abs(stored)), f'{claim}: {computed}, stored {stored}')


def rms(x):
    return float(np.sqrt(np.mean(np.square(x))))


def advantages(r, gamma, lam, given, truncation_ends=False):
    rewards, values, following, terminated, truncated = given
    g, gl, last = r(gamma), r(gamma * lam), np.zeros(rewards.shape[1])
    found = np.zeros_like(rewards)
    for t in reversed(range(len(rewards))):
        ended = terminated[t] | truncated[t] if truncation_ends else terminated[t]
        target = np.where(ended, rewards[t], r(rewards[t] + r(g * following[t])))
        delta = r(target - values[t])
        last = np.where(terminated[t] | truncated[t], delta, r(delta + r(gl * last)))
        found[t] = last
    return found, r(found + values)


def gae(out):
    key = Key('gae')
    for case in key.facts['cases']:
        n, gamma, lam = case['name'], case['gamma'], case['lambda']
        given = [key[f'{n}_{c}'].astype(D) for c in ('rewards', 'values', 'next_values')]
        given += [key[f'{n}_{c}'] != 0 for c in ('terminated', 'truncated')]
        made = {label: advantages(rounding(dtype), gamma, lam, given) for label, dtype in DTYPES.items()}
        exact = made['f64'][0]
        for label, (a, returns) in made.items():
            keep = key.near if label == 'f64' else key.same
            keep(f'{n}_{label}_advantages', a)
            keep(f'{n}_{label}_returns', returns)
        key.near(f'{n}_f64_advantages_truncation_as_end', advantages(rounding(D), gamma, lam, given, True)[0])
        expect(case['terminations'] == given[3].sum() and case['truncations'] == given[4].sum(), f'ends of {n}')
        expect(case['gammaBfloat16'] == rounding(bf16)(gamma), f'gamma of {n}')
        expect(case['gammaLambdaBfloat16'] == rounding(bf16)(gamma * lam), f'gamma lambda of {n}')
        made['bf16Out'] = (rounding(bf16)(made['f32'][0]), None)
        for label in ('f32', 'bf16', 'bf16Out'):
            a, facts = made[label][0], case[label]
            close(rms(a - exact), facts['rmsError'], 1e-9, f'error of {n} {label}')
            expect(facts['wrongSign'] == (np.sign(a) != np.sign(exact)).sum(), f'signs of {n} {label}')
        close(rms(exact), case['bf16']['rmsAdvantage'], 1e-12, f'advantages of {n}')
    key.write(out)


def ppo_terms(case, dtype, logits, actions, old, advantage, value, old_value, target):
    """Every intermediate of the loss, rounded at each step; sums over actions ascending."""
    r, e = rounding(dtype), case['clip']
    every = np.arange(len(actions))
    shifted = r(logits - logits.max(1, keepdims=True))
    exp = r(np.exp(shifted))
    z = running(exp.T, r)
    log_z = r(np.log(z))
    log_probs, probs = r(shifted - log_z[:, None]), r(exp / z[:, None])
    ratio_log = r(log_probs[every, actions] - old)
    ratio = r(np.exp(ratio_log))
    first = r(-advantage * ratio)
    second = r(-advantage * np.clip(ratio, r(1 - e), r(1 + e)))
    square = lambda v: r(v * v)  # noqa: E731
    apart = square(r(value - target))
    if case['clipValue']:
        moved = r(old_value + np.clip(r(value - old_value), -r(e), r(e)))
        apart = np.maximum(apart, square(r(moved - target)))
    return {
        'shifted': shifted,
        'exp': exp,
        'z': z,
        'logZ': log_z,
        'logProbs': log_probs,
        'probs': probs,
        'entropy': -running(r(probs * log_probs).T, r),
        'logRatio': ratio_log,
        'ratio': ratio,
        'surrogate1': first,
        'surrogate2': second,
        'policyTerms': np.maximum(first, second),
        'valueTerms': apart,
        'k3Terms': r(r(ratio - 1) - ratio_log),
    }


def ppo_scalars(case, dtype, terms):
    r = rounding(dtype)
    mean = lambda v: r(running(v, r) / len(v))  # noqa: E731
    policy, entropy = mean(terms['policyTerms']), mean(terms['entropy'])
    value = r(mean(terms['valueTerms']) / 2)
    bonus, weighted = r(r(case['entropyCoefficient']) * entropy), r(r(case['valueCoefficient']) * value)
    return {
        'policyLoss': policy,
        'valueLoss': value,
        'entropyMean': entropy,
        'approxKl': mean(terms['k3Terms']),
        'oldApproxKl': mean(-terms['logRatio']),
        'clipFraction': (np.abs(r(terms['ratio'] - 1)) > r(case['clip'])).mean(),
        'total': r(r(policy - bonus) + weighted),
    }


def ppo_exact(case, logits, actions, old, advantage, value, old_value, target):
    """Loss and scalars by jax, in float64."""
    e, n = case['clip'], len(actions)
    log_probs = jax.nn.log_softmax(logits)
    chosen = log_probs[jnp.arange(n), actions]
    ratio = jnp.exp(chosen - old)
    policy = jnp.maximum(-advantage * ratio, -advantage * jnp.clip(ratio, 1 - e, 1 + e)).mean()
    apart = (value - target) ** 2
    if case['clipValue']:
        apart = jnp.maximum(apart, (old_value + jnp.clip(value - old_value, -e, e) - target) ** 2)
    entropies = -(jnp.exp(log_probs) * log_probs).sum(1)
    total = policy - case['entropyCoefficient'] * entropies.mean() + case['valueCoefficient'] * apart.mean() / 2
    scalars = {
        'policyLoss': policy,
        'valueLoss': apart.mean() / 2,
        'entropy': entropies.mean(),
        'total': total,
        'approxKl': (ratio - 1 - (chosen - old)).mean(),
        'oldApproxKl': (old - chosen).mean(),
        'clipFraction': (jnp.abs(ratio - 1) > e).astype(D).mean(),
        'explainedVariance': 1 - (target - old_value).var() / target.var(),
    }
    return total, (scalars, log_probs[jnp.arange(n), actions], entropies, ratio)


def ppo(out):
    key = Key('ppo')
    for case in key.facts['cases']:
        n = case['name']
        logits, old, plain, value, old_value, target = (
            key[f'{n}_{c}'].astype(D)
            for c in ('logits', 'old_log_probs', 'advantages', 'values', 'old_values', 'returns')
        )
        actions = key[f'{n}_actions'].astype(int)
        ddof = {'n-1': 1, 'n': 0, 'none': None}[case['normalise']]
        advantage = plain if ddof is None else (plain - plain.mean()) / (plain.std(ddof=ddof) + 1e-8)

        def loss(logits, value, advantage):
            return ppo_exact(case, logits, actions, old, advantage, value, old_value, target)  # noqa: B023

        both = jax.value_and_grad(loss, (0, 1), has_aux=True)
        (_, (scalars, chosen, entropies, ratio)), (d_logits, d_values) = both(logits, value, advantage)
        key.near(f'{n}_f64_log_probs', chosen)
        key.near(f'{n}_f64_entropies', entropies)
        key.near(f'{n}_f64_grad_logits', d_logits)
        key.near(f'{n}_f64_grad_values', d_values)
        for name, stored in case['f64'].items():
            close(float(scalars[name]), double(stored), 1e-12, f'{name} of {n}')
        not_normalised = loss(logits, value, plain)[1][0]
        for name, stored in case['f64NotNormalised'].items():
            close(float(not_normalised[name]), double(stored), 1e-12, f'{name} of {n}, not normalised')
        clips = np.array([1 - case['clip'], 1 + case['clip']])
        close(float(np.abs(ratio[:, None] - clips).min()), case['leastDistanceToClip'], 1e-12, f'distance of {n}')
        for label in ('bf16', 'f32'):
            inputs = (logits, actions, old, plain, value, old_value, target)
            terms = ppo_terms(case, DTYPES[label], *inputs)
            for name, x in terms.items():
                key.same(f'{n}_{label}_{name}', x)
            stored = case['low'][label]
            for name, x in ppo_scalars(case, DTYPES[label], terms).items():
                expect(double(stored[name]) == x, f'{name} of {n} in {label}')
            expect(stored['ratiosEqualOne'] == (terms['ratio'] == 1).sum(), f'ratios of 1 of {n} in {label}')
    key.write(out)


def ratio(out):
    text = (STORED / 'rl/ratio.json').read_text()
    facts = json.loads(text)
    formats = {'bfloat16': bf16, 'float16': np.float16}
    for one in facts['neighbours']:
        dtype = formats[one['format']]
        r = rounding(dtype)
        at = r(np.log(one['p']))
        code = int(np.asarray(at, dtype).view(np.uint16))
        # A negative number: the next code is the next below.
        below, above = (float(np.asarray(code + step, np.uint16).view(dtype)) for step in (1, -1))
        expect(at == one['logProb'] and at - below == one['ulp'], f'log-probability of {one["p"]}')
        ups = [float(r(np.exp(r(x - at)))) for x in (above, below)]
        expect(ups == [one['ratioUp'], one['ratioDown']], f'ratios beside {one["p"]} in {one["format"]}')
        close(100 * (np.exp(one['ulp']) - 1), one['leastChangePercent'], 1e-12, f'change of {one["p"]}')
    for name, level in facts['levels'].items():
        dtype = formats[name]
        r = rounding(dtype)
        low, high = float(r(0.8)), float(r(1.2))
        every = np.unique(r(np.arange(0.5, 2, 2.0**-12)))
        expect((low, high) == (level['clipLow'], level['clipHigh']), f'clip of {name}')
        expect(level['valuesBelowOne'] == ((every >= low) & (every < 1)).sum(), f'ratios below 1 of {name}')
        expect(level['valuesAboveOne'] == ((every > 1) & (every <= high)).sum(), f'ratios above 1 of {name}')
        # Differences that are multiples of 2^-26, rounded to the format before their exponential is.
        grid = np.arange(1, 1 << 19) * 2.0**-26
        for sign, fact in ((1, 'ratioIsOneUpTo'), (-1, 'ratioIsOneDownTo')):
            one = r(np.exp(r(sign * grid))) == 1
            expect(sign * grid[np.flatnonzero(~one)[0] - 1] == level[fact], f'{fact} of {name}')
    write_text(out, 'rl/ratio.json', text)


def ratios(out):
    key = Key('ratios')
    quarter = int(np.asarray(0.25, bf16).view(np.uint16))
    every = [sign | code for sign in (0, 1 << 15) for code in range(quarter + 1)]
    expect(sorted(key['differences'].tolist()) == sorted(every), 'every difference of at most a quarter')
    key.done.add('differences')
    found = np.exp(key['differences'].view(bf16).astype(D)).astype(bf16)
    key.same('ratios', found.view(np.uint16))
    key.write(out)


def moments(out):
    key = Key('moments')
    for case in key.facts['cases']:
        n, x = case['name'], key[f'{case["name"]}_x'].astype(D)
        arithmetics = {
            'float64': (D, D),
            'bfloat16': (bf16, bf16),
            'bfloat16, float32 sums': (bf16, F),
            'float32': (F, F),
        }
        for name, (dtype, accumulator) in arithmetics.items():
            r, add = rounding(dtype), rounding(accumulator)
            mean_of = lambda v: r(running(v, add) / len(v))  # noqa: E731, B023
            mean = mean_of(x)
            c = r(x - mean)
            found = [mean, mean_of(r(c * c)), r(mean_of(r(x * x)) - r(mean * mean))]
            for value, stored in zip(found, case[name]):
                if name == 'float64':
                    close(float(value), double(stored), 1e-12, f'moments of {n}')
                else:
                    expect(value == double(stored), f'moments of {n} in {name}')
        for ddof, column in ((1, 'normalised_n1'), (0, 'normalised_n')):
            if f'{n}_{column}' in key.about:
                key.near(f'{n}_{column}', (x - x.mean()) / (x.std(ddof=ddof) + 1e-8))
    key.write(out)


def accumulate(out):
    key = Key('accumulate')
    facts = key.facts
    x, target, w = (key[c].astype(D) for c in ('x', 'target', 'w'))
    n = len(x)

    def samples(r):
        p = running(r(x * w).T, r)
        return r(r(2 * r(p - target))[:, None] * x)

    f64, f32 = rounding(D), rounding(F)
    exact, single = samples(f64), samples(f32)
    key.same('f32_samples', single)
    whole = exact.mean(0)
    key.near('f64_whole', whole)
    key.same('f32_whole', f32(running(single, f32) / n))
    # What the parts are computed with, what they are handed over in, and what they are added up in.
    arithmetics = {'f64': (f64, f64, f64), 'f32': (f32, f32, f32)}
    arithmetics |= {'bf16-f32': (f32, rounding(bf16), f32), 'bf16': (f32, rounding(bf16), rounding(bf16))}
    for result in facts['results']:
        sizes, rule, label = result['sizes'], result['rule'], result['accumulator']
        inside, hand, add = arithmetics[label]
        rows = np.split(exact if label == 'f64' else single, np.cumsum(facts[sizes])[:-1])
        total = np.zeros(facts['d'])
        for part in rows:
            b = len(part)
            s = running(part, inside)
            if rule != 'sum':
                s = inside(s / b)
            if rule == 'weighted':
                s = inside(s * inside(b / n))
            total = add(total + hand(s))
        total = {'mean-of-means': add(total / len(rows)), 'weighted': total, 'sum': add(total / n)}[rule]
        column = f'{sizes}_{rule}_{label}'
        (key.near if label == 'f64' else key.same)(column, total)
        error = float(np.abs(total - whole).max() / np.abs(whole).max())
        expect(abs(error - result['relativeError']) <= 1e-9 * max(error, 1e-6), f'error of {column}: {error}')
        if 'bitsEqualWhole' in result:
            equal = (np.asarray(total, F) == key['f32_whole']).sum()
            expect(equal == result['bitsEqualWhole'], f'bits of {column}: {equal}')
    for one in facts['oneAndManyOf2ToMinus9']:
        parts = np.array([1.0] + [2.0**-9] * (one['parts'] - 1))
        for name, dtype in (('bfloat16', bf16), ('float32', F)):
            expect(one[name] == running(parts, rounding(dtype)), f'{one["parts"]} parts in {name}')
    key.write(out)


def pole(state, action, steps, dtype=D):
    """A step of the pole, and whether it ends the episode: terminated, truncated."""
    x, x_dot, theta, theta_dot = state
    f, cos, sin = (10.0 if action else -10.0), np.cos(theta), np.sin(theta)
    temp = (f + 0.05 * theta_dot**2 * sin) / 1.1
    theta_acc = (9.8 * sin - cos * temp) / (0.5 * (4.0 / 3.0 - 0.1 * cos**2 / 1.1))
    x_acc = temp - 0.05 * theta_acc * cos / 1.1
    moved = [x + 0.02 * x_dot, x_dot + 0.02 * x_acc, theta + 0.02 * theta_dot, theta_dot + 0.02 * theta_acc]
    moved = np.array(moved).astype(dtype).astype(D)
    terminated = bool(abs(moved[0]) > 2.4 or abs(moved[2]) > 12 * 2 * np.pi / 360)
    return moved, terminated, steps + 1 >= 500 and not terminated


def cartpole(out):
    key = Key('cartpole')
    for case in key.facts['cases']:
        n = case['name']
        states, actions = key[f'{n}_states'], key[f'{n}_actions']
        free = [states[0]]
        for t, action in enumerate(actions):
            state, terminated, truncated = pole(states[t], action, t)
            expect(np.abs(state - states[t + 1]) <= 1e-15 * np.maximum(1, np.abs(state)), f'step {t} of {n}')
            last = t == len(actions) - 1
            expect((terminated, truncated) == ((case['terminated'], case['truncated']) if last else (False, False)), n)
            free.append(pole(free[-1], action, t)[0])
        key.done.add(f'{n}_states')
        expect(np.abs(np.array(free[:101]) - states[:101]) <= 1e-12, f'the first hundred steps of {n}')
        key.same(f'{n}_observations', states.astype(F))
        expect(case['steps'] == len(actions) == case['rewardSum'], f'length of {n}')
    key.write(out)


def ema(x, m):
    e = [x[0]]
    for value in x[1:]:
        e.append(e[-1] + 2 / (m + 1) * (value - e[-1]))
    return np.array(e)


def wilder(x):
    """From row 14 on; x from row 1 on at index 1."""
    w = np.full(len(x), np.nan)
    w[14] = x[1:15].mean()
    for t in range(15, len(x)):
        w[t] = (13 * w[t - 1] + x[t]) / 14
    return w


def features(ohlcv):
    o, h, low, c, v = ohlcv.T
    n, names = len(c), {}
    r = np.concatenate([[np.nan], np.log(c[1:] / c[:-1])])
    window = lambda x, m, t: x[t - m + 1 : t + 1]  # noqa: E731
    rows = range(50, n)
    each = lambda f: np.array([f(t) for t in rows])  # noqa: E731
    for k in (1, 5, 20):
        names[f'return{k}'] = each(lambda t: np.log(c[t] / c[t - k]))  # noqa: B023
    names |= {'high': np.log(h / o)[50:], 'low': np.log(low / o)[50:], 'body': np.log(c / o)[50:]}
    names['gap'] = each(lambda t: np.log(o[t] / c[t - 1]))
    names['closeLocation'] = each(lambda t: 0 if h[t] == low[t] else (2 * c[t] - h[t] - low[t]) / (h[t] - low[t]))
    for m in (5, 20):
        names[f'volatility{m}'] = each(lambda t: window(r, m, t).std())  # noqa: B023
    for m in (10, 50):
        names[f'sma{m}'] = each(lambda t: c[t] / window(c, m, t).mean() - 1)  # noqa: B023
    fast, macd = ema(c, 12), ema(c, 12) - ema(c, 26)
    names['ema12'] = (c / fast - 1)[50:]
    names['macd'] = (macd / c)[50:]
    names['macdSignalGap'] = ((macd - ema(macd, 9)) / c)[50:]
    change = np.concatenate([[np.nan], np.diff(c)])
    up, down = wilder(np.maximum(change, 0)), wilder(np.maximum(-change, 0))
    names['rsi14'] = each(lambda t: 0 if up[t] + down[t] == 0 else up[t] / (up[t] + down[t]) - 0.5)

    def score(x, t, scale):
        """Decided by greatest = least: the rounded mean of twenty equal numbers may be another number."""
        w = window(x, 20, t)
        return 0 if w.max() == w.min() else (x[t] - w.mean()) / (scale * w.std())

    names['bollinger20'] = each(lambda t: score(c, t, 2))
    before = np.concatenate([[np.nan], c[:-1]])
    names['atr14'] = (wilder(np.maximum(h - low, np.maximum(np.abs(h - before), np.abs(low - before)))) / c)[50:]
    log_v = np.log(v)
    names['volume20'] = each(lambda t: score(log_v, t, 1))
    names['drawdown50'] = each(lambda t: c[t] / window(c, 50, t).max() - 1)
    return names


def episode(facts, ohlcv, actions):
    """Columns after each decision on the close of a row."""
    o, c = ohlcv[:, 0], ohlcv[:, 3]
    equity, position, a, b = 1.0, 0.0, 0.0, 0.0
    columns = {}
    for i, action in enumerate(actions):
        t, old = facts['start'] + i, equity
        target = {0: 1.0, 1: position, 2: -1.0 if facts['short'] else 0.0}[int(action)]
        equity *= 1 + position * (o[t + 1] / c[t] - 1)
        equity *= 1 - facts['fee'] * abs(target - position)
        turnover, position = abs(target - position), target
        equity *= 1 + position * (c[t + 1] / o[t + 1] - 1)
        simple = equity / old - 1
        d = b - a * a
        sharpe = 0 if d <= 1e-12 else (b * (simple - a) - a * (simple**2 - b) / 2) / d**1.5
        a, b = a + 0.01 * (simple - a), b + 0.01 * (simple**2 - b)
        row = {
            'position': position,
            'equity': equity,
            'turnover': turnover,
            'logReward': np.log(equity / old),
            'simpleReward': simple,
            'sharpeReward': sharpe,
            'terminated': equity <= facts['ruin'],
            'truncated': t + 1 == len(c) - 1,
        }
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    return columns


def environment(out):
    key = Key('environment')
    for series in key.facts['series']:
        n = series['name']
        found = features(key[f'{n}_ohlcv'])
        expect(sorted(found) == sorted(key.facts['features']), 'names of features')
        key.near(f'{n}_features', np.stack([found[name] for name in key.facts['features']], 1), 1e-9, 1)
    for facts in key.facts['episodes']:
        n = facts['name']
        columns = episode(facts, key[f'{facts["series"]}_ohlcv'], key[f'{n}_actions'])
        for name in ('terminated', 'truncated'):
            key.same(f'{n}_{name}', columns.pop(name))
        for name, values in columns.items():
            key.near(f'{n}_{name}', values, 1e-9 if name == 'sharpeReward' else 1e-12, 1)
        close(columns['equity'][-1], facts['finalEquity'], 1e-12, f'equity of {n}')
        expect(sum(columns['turnover']) == facts['turnover'], f'turnover of {n}')
        expect(len(columns['equity']) == facts['steps'], f'length of {n}')
    key.write(out)


def misc(out):
    key = Key('misc')
    for one in key.facts['orthogonal']:
        n, gain = one['name'], double(one['gain'])
        gaussian = key[f'{n}_gaussian']
        wide = gaussian.shape[0] < gaussian.shape[1]
        q, r = np.linalg.qr(gaussian.T if wide else gaussian)
        q = q * np.sign(np.diag(r))
        key.near(f'{n}_weights', (q.T if wide else q) * gain, 1e-13)
    start, row, means, variances = key.facts['runningStart'], 0, [], []
    count, mean, variance = start['count'], np.full(4, float(start['mean'])), np.full(4, float(start['variance']))
    for size, counted in zip(key.facts['runningBatches'], key.facts['runningCounts']):
        batch = key['running_rows'][row : row + size]
        row += size
        delta, total = batch.mean(0) - mean, count + size
        second = variance * count + batch.var(0) * size + delta**2 * count * size / total
        mean, variance, count = mean + delta * size / total, second / total, total
        close(count, counted, 1e-15, 'count')
        means.append(mean)
        variances.append(variance)
    key.near('running_mean', means)
    key.near('running_variance', variances)
    key.write(out)


def learning(out):
    """Given: curves of another program."""
    write_text(out, 'rl/learning.json', (STORED / 'rl/learning.json').read_text())


if __name__ == '__main__':
    run([gae, ppo, ratio, ratios, moments, accumulate, cartpole, environment, misc, learning])
