"""Regenerates test/golden/precision from the inputs stored in it: every code, exact value, error, gain, event, law and
estimator is computed anew with MPFR (gmpy2) and scipy.

    python scripts/golden/precision.py

Given: the programs (nodes, constants as text), the samples' inputs, the loops' terms, points and starts, and the estimators'
samples. About ten seconds.
"""

import json
import struct
from fractions import Fraction
from itertools import product
from math import ceil, floor, log, log2, log10, sqrt
from pathlib import Path

import gmpy2
from gmpy2 import mpfr
from scipy import stats

FOLDER = Path(__file__).resolve().parents[2] / 'test' / 'golden' / 'precision'
FORMATS = {'float32': (24, 32, 23), 'bfloat16': (8, 16, 7)}
EXACT = gmpy2.context(precision=1500, emin=-10**8, emax=10**8)
ROUND = {
    name: gmpy2.context(precision=p, emin=-126 - p + 3 - 1, emax=128, subnormalize=True)
    for name, (p, _, _) in FORMATS.items()
}
NAN_CODE = {'float32': '7fc00000', 'bfloat16': '7fc0'}


def value(code, fmt):
    word = int(code, 16) << (0 if fmt == 'float32' else 16)
    return mpfr(struct.unpack('>f', struct.pack('>I', word))[0], 53)


def code(x, fmt):
    if gmpy2.is_nan(x):
        return NAN_CODE[fmt]
    word = struct.unpack('>I', struct.pack('>f', float(x)))[0]
    return f'{word:08x}' if fmt == 'float32' else f'{word >> 16:04x}'


def codes(text, fmt):
    width = 8 if fmt == 'float32' else 4
    return [text[i : i + width] for i in range(0, len(text), width)]


def rounded(x, fmt):
    """One rounding of an exact value: MPFR's addition of zero does it, the sign of zero kept apart."""
    if gmpy2.is_zero(x) or not gmpy2.is_finite(x):
        return x
    return ROUND[fmt].plus(x)


OPS = {
    '+': lambda c, a, b: c.add(a, b),
    '-': lambda c, a, b: c.sub(a, b),
    '*': lambda c, a, b: c.mul(a, b),
    '/': lambda c, a, b: c.div(a, b),
    'pow': lambda c, a, b: c.pow(a, b),
    'fma': lambda c, a, b, d: c.fma(a, b, d),
    'hypot': lambda c, a, b: c.hypot(a, b),
    'neg': lambda c, a: c.minus(a),
    'fabs': lambda c, a: c.abs(a),
    **{
        name: (lambda name: lambda c, a: getattr(c, name)(a))(name)
        for name in ('sqrt', 'exp', 'log', 'sin', 'cos', 'tan', 'atan', 'tanh')
    },
}
FREE = {'neg', 'fabs'}


def run(nodes, inputs, how):
    """The values of all nodes; how(k) is the context that node k is rounded in."""
    values = []
    for k, (op, args) in enumerate(nodes):
        read = [values[a] if isinstance(a, int) else inputs[a] for a in args]
        context = EXACT if op in FREE else how(k)
        values.append(OPS[op](context, *read))
    return values


def place(x, fmt):
    """R(v) of the README: ordinals, continued between the format's values."""
    p, _, mantissa = FORMATS[fmt]
    end = mpfr(255 * 2**mantissa, 53)
    if gmpy2.is_zero(x):
        return mpfr(0)
    size = abs(x)
    if not gmpy2.is_finite(x):
        at = end
    else:
        e = gmpy2.get_exp(size) - 1
        if e > 200:
            at = end
        elif e >= -126:
            at = EXACT.add(mpfr((e + 126) * 2**mantissa, 53), EXACT.mul(size, mpfr(2.0, 53) ** (mantissa - e)))
        else:
            at = EXACT.mul(size, mpfr(2.0, 53) ** (126 + mantissa))
        at = min(at, end)
    return at if x > 0 else EXACT.minus(at)


def bits_apart(got, exact, fmt):
    if gmpy2.is_nan(got) != gmpy2.is_nan(exact):
        return float(FORMATS[fmt][1])
    if gmpy2.is_nan(got):
        return 0.0
    apart = EXACT.abs(EXACT.sub(place(got, fmt), place(exact, fmt)))
    return float(EXACT.log2(EXACT.add(apart, mpfr(1))))


def short(x):
    return round(x, 4) + 0.0


def decimal(x, n):
    """n digits, zeros at the end cut, with an exponent of two digits below 0.0001 and from 10^n up."""
    if gmpy2.is_zero(x):
        return '0.0'
    digits, e, _ = gmpy2.mpfr(x, 1500).digits(10, n)
    sign, digits = ('-', digits[1:]) if digits[0] == '-' else ('', digits)
    digits = digits.rstrip('0')
    if -4 < e <= n:
        whole = digits[:e].ljust(e, '0') if e > 0 else '0'
        return f'{sign}{whole}.{digits[max(e, 0):].rjust(len(digits[max(e, 0):]) + max(-e, 0), "0") or "0"}'
    return f'{sign}{digits[0]}.{digits[1:] or "0"}e{e - 1:+03d}'


def exponent(x):
    return gmpy2.get_exp(abs(x)) - 1


def events_of(nodes, inputs, values, fmt):
    p = FORMATS[fmt][0]
    least = mpfr(2.0, 53) ** -126
    found = []
    for k, (op, args) in enumerate(nodes):
        if op in FREE:
            continue
        read = [values[a] if isinstance(a, int) else inputs[a] for a in args]
        r = values[k]
        if any(gmpy2.is_nan(a) for a in read):
            continue
        finite = all(gmpy2.is_finite(a) for a in read)
        if gmpy2.is_nan(r):
            found.append([k, 'invalid'])
            continue
        exact = OPS[op](EXACT, *read)
        if gmpy2.is_infinite(r):
            if finite:
                found.append([k, 'divideByZero' if gmpy2.is_infinite(exact) else 'overflow'])
            continue
        if finite and not gmpy2.is_zero(exact) and abs(exact) < least and exact != r:
            found.append([k, 'underflow'])
        if op in '+-' and finite and not any(gmpy2.is_zero(a) for a in read):
            a, b = read[0], read[1] if op == '+' else -read[1]
            if r == a or r == b:
                found.append([k, 'absorb'])
            lost = p if gmpy2.is_zero(r) else max(exponent(a), exponent(b)) - exponent(r)
            if lost >= 2:
                found.append([k, 'cancel', lost])
    return found


def expression_keys(e):
    for fmt in FORMATS:
        key = e[fmt]
        with gmpy2.context(EXACT):
            constants = [rounded(mpfr(text), fmt) for text in e['constants']]
        key['constants'] = [code(c, fmt) for c in constants]
        named = {f'k{i}': c for i, c in enumerate(constants)}
        nodes = e['nodes']
        order = [k for k, (op, _) in enumerate(nodes) if op not in FREE]
        key['order'] = order
        last = len(nodes) - 1
        local = [0.0] * len(order)
        exacts, exact_codes, all_inputs, raw = [], [], [], []
        for sample in key['samples']:
            inputs = {x['name']: value(c, fmt) for x, c in zip(e['inputs'], sample['x'])} | named
            exact = run(nodes, inputs, lambda k: EXACT)
            got = run(nodes, inputs, lambda k: ROUND[fmt])
            true = rounded(exact[last], fmt)
            bits = bits_apart(got[last], true, fmt)
            real = bits_apart(got[last], exact[last], fmt)
            gains = []
            for k in order:
                again = run(nodes, inputs, lambda j: EXACT if j == k else ROUND[fmt])
                gains.append(real - bits_apart(again[last], exact[last], fmt))
            most = max(gains)
            for i, k in enumerate(order):
                op, args = nodes[k]
                read = [rounded(exact[a], fmt) if isinstance(a, int) else inputs[a] for a in args]
                local[i] += bits_apart(OPS[op](ROUND[fmt], *read), rounded(exact[k], fmt), fmt)
            sample.update(
                {
                    'true': code(true, fmt),
                    'trueDecimal': decimal(exact[last], 25),
                    'got': code(got[last], fmt),
                    'nodes': ''.join(code(v, fmt) for v in got),
                    'bitsOfError': short(bits),
                    'realBits': short(real),
                    'gains': [short(g) for g in gains],
                    'blame': [k for k, g in zip(order, gains) if most > 1e-6 and g >= most - 1e-6],
                    'events': events_of(nodes, inputs, got, fmt),
                }
            )
            exacts.append(exact)
            exact_codes.append(true)
            all_inputs.append(inputs)
            raw.append((bits, real, gains))
        n = len(raw)
        key['meanBits'] = short(sum(b for b, _, _ in raw) / n)
        key['maxBits'] = short(max(b for b, _, _ in raw))
        key['meanRealBits'] = short(sum(short(r) for _, r, _ in raw) / n)
        means = [sum(g[i] for _, _, g in raw) / n for i in range(len(order))]
        key['meanGain'] = [short(m) for m in means]
        key['meanLocal'] = [short(total / n) for total in local]
        key['blame'] = [k for k, m in zip(order, means) if max(means) > 0 and m >= max(means) - 1e-4]
        if 'keepFloat32' in key:
            key['keepFloat32'] = kept(nodes, order, all_inputs, exact_codes)


def kept(nodes, order, all_inputs, trues):
    best = {}
    for chosen in product((0, 1), repeat=len(order)):
        wide = {k for k, on in zip(order, chosen) if on}
        how = lambda k: ROUND['float32' if k in wide else 'bfloat16']
        bits = [
            bits_apart(rounded(run(nodes, inputs, how)[-1], 'bfloat16'), true, 'bfloat16')
            for inputs, true in zip(all_inputs, trues)
        ]
        best.setdefault(len(wide), []).append((sum(bits) / len(bits), max(bits), sorted(wide)))
    rows = []
    for size in sorted(best):
        least = min(mean for mean, _, _ in best[size])
        rows.append(
            {
                'size': size,
                'meanBits': short(least),
                'sets': sorted(
                    (wide for mean, _, wide in best[size] if mean <= least + 1e-9),
                    key=lambda wide: sum(2**k for k in wide),
                ),
                'maxBits': short(min(most for _, most, _ in best[size])),
            }
        )
    return rows


def fpbench():
    path = FOLDER / 'fpbench.json'
    key = json.loads(path.read_text())
    for e in key['expressions']:
        expression_keys(e)
    line = lambda o: json.dumps(o, separators=(',', ':'))
    parts = []
    for e in key['expressions']:
        text = [line({k: v for k, v in e.items() if k not in FORMATS})[:-1]]
        for fmt in FORMATS:
            head = {k: v for k, v in e[fmt].items() if k != 'samples'}
            samples = ',\n'.join(line(s) for s in e[fmt]['samples'])
            text.append(f'{line(fmt)}:{line(head)[:-1]},"samples":[\n{samples}]}}')
        parts.append(',\n'.join(text) + '}')
    path.write_text(f'{{"note":{line(key["note"])},"expressions":[\n' + ',\n'.join(parts) + '\n]}\n')


def exact_key(x, fmt):
    return {'code': code(rounded(x, fmt), fmt), 'decimal': decimal(x, 28)}


def sums(key, fmt):
    add = lambda a, b: ROUND[fmt].add(a, b)
    sub = lambda a, b: ROUND[fmt].sub(a, b)
    terms = [value(c, fmt) for c in codes(key['terms'], fmt)]
    total, size, prefixes = mpfr(0), mpfr(0), []
    for v in terms:
        total, size = EXACT.add(total, v), EXACT.add(size, EXACT.abs(v))
        prefixes.append(code(rounded(total, fmt), fmt))
    s, partial, absorbed, bound = mpfr(0), [], 0, mpfr(0)
    for i, v in enumerate(terms):
        before, s = s, add(s, v)
        absorbed += i > 0 and s == before and v != 0
        partial.append(s)
        bound = EXACT.add(bound, EXACT.abs(s))
    k, c, kahan = mpfr(0), mpfr(0), []
    for v in terms:
        y = sub(v, c)
        t = add(k, y)
        c = sub(sub(t, k), y)
        k = t
        kahan.append(code(k, fmt))
    true = rounded(total, fmt)
    u = mpfr(2.0, 53) ** -FORMATS[fmt][0]
    return {
        'name': key['name'],
        'terms': key['terms'],
        'exact': exact_key(total, fmt),
        'naive': {
            'partial': ''.join(code(v, fmt) for v in partial),
            'bitsOfError': short(bits_apart(s, true, fmt)),
            'absorbedAdditions': absorbed,
            'totalRounding': decimal(EXACT.sub(total, s), 28),
            'runningBound': decimal(EXACT.mul(u, bound), 28),
        },
        'exactPartial': ''.join(prefixes),
        'kahan': {'partial': ''.join(kahan), 'bitsOfError': short(bits_apart(k, true, fmt))},
    }


def horner(key, fmt):
    c = [value(x, fmt) for x in codes(key['coefficients'], fmt)]
    u = mpfr(2.0, 53) ** -FORMATS[fmt][0]
    points = []
    for point in key['points']:
        x = value(point['x'], fmt)
        s, steps, bound, exact = c[0], [c[0]], mpfr(0), c[0]
        for coefficient in c[1:]:
            p = ROUND[fmt].mul(s, x)
            s = ROUND[fmt].add(p, coefficient)
            steps += [p, s]
            own = EXACT.mul(u, EXACT.add(EXACT.abs(p), EXACT.abs(s)))
            bound = EXACT.add(EXACT.mul(bound, EXACT.abs(x)), own)
            exact = EXACT.add(EXACT.mul(exact, x), coefficient)
        points.append(
            {
                'x': point['x'],
                'steps': ''.join(code(v, fmt) for v in steps),
                'exact': exact_key(exact, fmt),
                'bitsOfError': short(bits_apart(s, rounded(exact, fmt), fmt)),
                'runningBound': decimal(bound, 28),
            }
        )
    return {'coefficients': key['coefficients'], 'order': key['order'], 'points': points}


def one_pass(values, context):
    n = mpfr(len(values))
    total = squares = mpfr(0)
    for v in values:
        total = context.add(total, v)
        squares = context.add(squares, context.mul(v, v))
    mean = context.div(total, n)
    return context.sub(context.div(squares, n), context.mul(mean, mean))


def variance(key, fmt):
    values = [value(c, fmt) for c in codes(key['values'], fmt)]
    got, exact = one_pass(values, ROUND[fmt]), one_pass(values, EXACT)
    bits = bits_apart(got, rounded(exact, fmt), fmt)
    one = {'result': code(got, fmt), 'bitsOfError': short(bits)}
    return {'name': key['name'], 'values': key['values'], 'exact': exact_key(exact, fmt), 'onePass': one}


def softmax_of(logits, context, shifted):
    top = max(logits)
    e = [context.exp(context.sub(x, top) if shifted else x) for x in logits]
    total = mpfr(0)
    for x in e:
        total = context.add(total, x)
    return [context.div(x, total) for x in e]


def softmax(key, fmt):
    logits = [value(c, fmt) for c in codes(key['logits'], fmt)]
    exact = softmax_of(logits, EXACT, False)
    result = {'name': key['name'], 'logits': key['logits'], 'exact': [exact_key(x, fmt) for x in exact]}
    for form in ('naive', 'shifted'):
        got = softmax_of(logits, ROUND[fmt], form == 'shifted')
        result[form] = {
            'result': ''.join(code(x, fmt) for x in got),
            'bitsOfError': [short(bits_apart(g, rounded(x, fmt), fmt)) for g, x in zip(got, exact)],
        }
    return result


def muller_states(starts, constants, context, count):
    states = list(starts)
    while len(states) < count:
        p, x = states[-2:]
        t2 = context.sub(constants[1], context.div(constants[0], x))
        states.append(context.add(t2, context.div(constants[2], context.mul(x, p))))
    return states


def muller(key, fmt):
    given = codes(key['states'], fmt)
    starts = [value(c, fmt) for c in given[:2]]
    constants = [mpfr(1130), mpfr(111), mpfr(3000)]
    got = muller_states(starts, [rounded(c, fmt) for c in constants], ROUND[fmt], len(given))
    # Starts are rounded in the exact sequence, constants are not.
    exact = muller_states(starts, constants, EXACT, len(given))
    return {
        **{k: key[k] for k in ('name', 'note', 'order') if k in key},
        'states': ''.join(code(x, fmt) for x in got),
        'exact': [exact_key(x, fmt) for x in exact],
        'bitsOfError': [short(bits_apart(g, rounded(x, fmt), fmt)) for g, x in zip(got, exact)],
    }


def rump(key, fmt):
    inputs = {name: value(key[name], fmt) for name in 'ab'}
    inputs |= {f'k{i}': rounded(mpfr(text), fmt) for i, text in enumerate(key['constants'])}
    got = run(key['nodes'], inputs, lambda k: ROUND[fmt])
    exact = run(key['nodes'], inputs, lambda k: EXACT)[-1]
    return {
        **{k: key[k] for k in ('name', 'fpcore', 'nodes', 'constants', 'a', 'b')},
        'values': ''.join(code(v, fmt) for v in got),
        'exactFromRoundedInputs': exact_key(exact, fmt),
        'bitsOfError': short(bits_apart(got[-1], rounded(exact, fmt), fmt)),
    }


def archimedes(key, fmt):
    given = codes(key['t'], fmt)
    c, t = ROUND[fmt], [value(given[0], fmt)]
    while len(t) < len(given):
        r = c.sqrt(c.add(c.mul(t[-1], t[-1]), mpfr(1)))
        cancels = key['name'] == 'cancelling'
        t.append(c.div(c.sub(r, mpfr(1)), t[-1]) if cancels else c.div(t[-1], c.add(r, mpfr(1))))
    return {'name': key['name'], 'order': key['order'], 't': ''.join(code(x, fmt) for x in t)}


def loops():
    path = FOLDER / 'loops.json'
    key = json.loads(path.read_text())
    one = {'sum': sums, 'variance': variance, 'softmax': softmax, 'muller': muller, 'rump': rump, 'archimedes': archimedes}
    result = {'note': 'See test/golden/README.md.'}
    for name, make in one.items():
        result[name] = {fmt: [make(k, fmt) for k in key[name][fmt]] for fmt in FORMATS}
    result['horner'] = {fmt: horner(key['horner'][fmt], fmt) for fmt in FORMATS}
    path.write_text(json.dumps(result, separators=(',', ':')) + '\n')


def neighbours(x, fmt, mode):
    """The two values around an exact Fraction, and the probability of the upper one."""
    p = FORMATS[fmt][0]
    if x == 0:
        return [(x, 1.0)]
    e = floor(log2(abs(x)))
    while Fraction(2) ** e > abs(x):
        e -= 1
    while Fraction(2) ** (e + 1) <= abs(x):
        e += 1
    step = Fraction(2) ** (max(e, -126) - p + 1)
    low = floor(x / step)
    rest = x / step - low
    if rest == 0:
        return [(x, 1.0)]
    up = rest if mode == 'proportional' else Fraction(1, 2)
    return [(low * step, 1 - up), ((low + 1) * step, up)]


def law(steps, fmt, mode):
    """The law of a chain of operations: each step maps a value to the exact next one, rounded at random."""
    states = {Fraction(0): Fraction(1)}
    for step in steps:
        after = {}
        for x, weight in states.items():
            for y, share in neighbours(step(x), fmt, mode):
                after[y] = after.get(y, 0) + weight * Fraction(share)
        states = after
    return states


def chain(program, v, fmt):
    if program in ('sum', 'absorbed'):
        return [lambda _: v[0]] + [lambda s, t=t: s + t for t in v[1:]]
    if program == 'product':
        return [lambda _: v[0]] + [lambda s, t=t: s * t for t in v[1:]]
    x = v[0]
    return [lambda _: 1 * x, lambda s: s - 3, lambda s: s * x, lambda s: s + 3, lambda s: s * x, lambda s: s - 1]


def distribution(key):
    fmt, mode = key['format'], key['mode']
    v = [Fraction(float(value(c, fmt))) for c in key['inputs']]
    if key['program'] == 'cancel':
        states = {}
        for (a, p), (b, q) in product(neighbours(v[0] * v[1], fmt, mode), neighbours(v[2] * v[3], fmt, mode)):
            for y, share in neighbours(a - b, fmt, mode):
                states[y] = states.get(y, 0) + Fraction(p) * Fraction(q) * Fraction(share)
        exact = v[0] * v[1] - v[2] * v[3]
    else:
        steps = chain(key['program'], v, fmt)
        states = law(steps, fmt, mode)
        exact = Fraction(0)
        for step in steps:
            exact = step(exact)
    mean = sum(x * p for x, p in states.items())
    sd = sqrt(sum((x - mean) ** 2 * p for x, p in states.items()))
    rows = sorted(states.items())
    key.update(
        {
            'exact': float(exact),
            'mean': float(mean),
            'standardDeviation': sd,
            'outcomes': len(rows),
            'distribution': [[code(mpfr(float(x)), fmt), float(p)] for x, p in rows],
        }
    )
    if sd > 0:
        key['significantBits'] = -log2(sd / abs(float(mean)))


def estimator(key):
    x = [struct.unpack('>d', bytes.fromhex(key['values'][i : i + 16]))[0] for i in range(0, len(key['values']), 16)]
    n = len(x)
    mean = sum(x) / n
    s = sqrt(sum((v - mean) ** 2 for v in x) / (n - 1))
    z = [v / key['reference'] - 1 for v in x]
    middle = sum(z) / n
    sd = sqrt(sum((v - middle) ** 2 for v in z) / n)
    chi2, t = stats.chi2.ppf(0.025, n - 1), stats.t.ppf(0.975, n - 1)
    shift = 0.5 * log2((n - 1) / chi2)
    key.update(
        {
            'samples': n,
            'sdOfZ': sd,
            'plain': -log2(s / abs(mean)),
            'significantCnh': -log2(sd) - shift - log2(stats.norm.ppf(0.975)),
            'contributingCnh': -log2(sd) - shift - log2(0.51 - 0.5) - log2(2 * sqrt(2 * 3.141592653589793)),
            'significantGeneral': max(0, floor(-log2(max(abs(v) for v in z)))),
            'cestacDecimalDigits': log10(sqrt(n) * abs(mean) / (t * s)),
            'studentT': t,
            'chi2Low': chi2,
        }
    )


def near(a, b):
    """Whether two keys say the same: floats to 1e-9, all else alike."""
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(near(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(near, a, b))
    if isinstance(a, float) or isinstance(b, float):
        return a == b or (a is not None and b is not None and abs(a - b) <= 1e-9 * max(1, abs(a)))
    return a == b


def stochastic():
    """Floats depend on the order of sums in their last bits, so the file is written only where something else differs."""
    path = FOLDER / 'stochastic.json'
    before = path.read_text()
    key = json.loads(before)
    for d in key['distributions']:
        distribution(d)
    for e in key['estimators']:
        estimator(e)
    for t in key['trials']:
        t['n'] = ceil(log(1 - t['confidence']) / log(t['probability']))
    if not near(key, json.loads(before)):
        path.write_text(json.dumps(key, separators=(',', ':')) + '\n')


if __name__ == '__main__':
    fpbench()
    loops()
    stochastic()
