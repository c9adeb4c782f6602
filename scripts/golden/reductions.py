"""Regenerates the answer keys of test/golden/reductions.

    python scripts/golden/reductions.py            writes them in place
    python scripts/golden/reductions.py --check    compares bytes with the stored ones instead, exit 1 if any differ

Inputs come from the stored keys, where they stand as bits. The orders are written out in support/orders.py; NumPy
and JAX run beside them wherever a key says what those libraries return.
"""

import json
import math
import os
from pathlib import Path

os.environ.setdefault('JAX_PLATFORMS', 'cpu')

import gmpy2
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from support.checks import expect, settle
from support.columnfile import STORED, run, write_text
from support.covariance import covariance_summary, covariances
from support.normalisers import exact_float64, internal, q64, stepwise
from support.orders import PREFIX_STABLE, SCANS, f32acc, from_codes, pair, q, seq, to_codes, tree32

U = 2.0**-8  # unit roundoff of bfloat16
CONST_TENTH = 0x3DCD
JAX_CUMSUM_LENGTHS = [*range(1, 41), 127, 128, 129, 255, 256, 257, 300, 1000, 4096]


def stored(name):
    return json.loads((STORED / f'reductions/{name}.json').read_text())


def parse(digits):
    """bfloat16 values from concatenated codes of four hexadecimal digits."""
    return from_codes(np.frombuffer(bytes.fromhex(digits), '>u2'))


def hexadecimal(values):
    return to_codes(np.ravel(values)).astype('>u2').tobytes().hex()


def float32_hexadecimal(values):
    return np.asarray(values, np.float32).view(np.uint32).astype('>u4').tobytes().hex()


def as_bfloat16(values):
    return to_codes(values).view(ml_dtypes.bfloat16)


def compact(value):
    return json.dumps(value, separators=(',', ':'))


def lines(rows):
    return '[\n' + ',\n'.join(json.dumps(r) for r in rows) + '\n]'


def drift_inputs():
    codes = np.fromfile(STORED / 'reductions/drift_inputs.bin', '<u2').reshape(3, -1)
    return {a['name']: from_codes(row) for a, row in zip(stored('drift_inputs')['arrays'], codes)}


def drift_input_keys(out):
    """drift_inputs: taken as given."""
    write_text(out, 'reductions/drift_inputs.json', json.dumps(stored('drift_inputs')) + '\n')
    Path(out, 'reductions/drift_inputs.bin').write_bytes((STORED / 'reductions/drift_inputs.bin').read_bytes())


def first_order_bound(order, n, s):
    """The a-priori error bound over n values whose magnitudes sum to s."""

    def depth(n):
        return n - 1 if n <= 16 else 16 + depth(-(-n // 16))

    return {
        'seq': (n - 1) * U * s,
        'pair': math.ceil(math.log2(n)) * U * s,
        'rows16': depth(n) * U * s,
        'assoc': 2 * math.log2(n) * U * s,
        'f32acc': U * s + (n - 1) * 2.0**-24 * s,
        'kahan': (2 * U + 2 * n * U * U) * s,
        'neumaier': (2 * U + n * n * U * U) * s,
    }[order]


def drift_keys(out):
    """drift.json: errors of every order against the float64 running sum, n = 2 .. 65,536."""
    longest, lengths = 1 << 16, [1 << k for k in range(1, 17)]
    lanes = {'const_0.1': np.full(longest, from_codes([CONST_TENTH])[0]), 'ones': np.ones(longest, np.float32)}
    lanes |= drift_inputs()
    shared = len(lanes)
    values = np.stack([*lanes.values(), *(np.full(longest, q(1 / n)) for n in lengths)])
    scans = {name: SCANS[name](values) for name in PREFIX_STABLE}
    rows = []
    for k, name in enumerate([*lanes, '1/n']):
        for j, n in enumerate(lengths):
            lane = k if k < shared else shared + j
            part = values[lane, :n].astype(np.float64)
            reference, magnitude = np.cumsum(part), float(np.abs(part).sum())
            for order in SCANS:
                run = pair(values[lane : lane + 1, :n])[0] if order == 'pair' else scans[order][lane, :n]
                error = run.astype(np.float64) - reference
                bound = first_order_bound(order, n, magnitude)
                expect(np.abs(error) <= bound, f'{name} {n} {order}: within its bound')
                changed = int(np.flatnonzero(np.diff(run, prepend=0))[-1]) + 1
                errors = [float(np.abs(error).max()), float(np.sqrt(np.mean(error**2)))]
                last = [None if changed == n else changed, hexadecimal(run[-1]), float(reference[-1])]
                rows.append([name, n, order, *errors, *last, bound])
    columns = compact(stored('drift')['columns'])
    write_text(out, 'reductions/drift.json', f'{{"columns":{columns},\n"rows":{lines(rows)}}}\n')


def lax_reduce(x):
    return jax.lax.reduce(x, jnp.bfloat16(0), jax.lax.add, (0,))


def reduce_order_keys(out):
    """reduce_orders.json: running sums at n = 4096, totals and means of every prefix, each by its own library or rule.

    The torch columns are the float64 sum (and mean) rounded once, and the float32 running sum: rules that were
    found equal to torch 2.15 on all 906 rows; torch itself is not run here.
    """
    key = stored('reduce_orders')
    lengths = key['lengths']
    agree = {name: [0, 0] for name in key['checks_agree_of']}

    def count(name, equal):
        agree[name][0] += bool(equal)
        agree[name][1] += 1

    cumsums, totals = {}, {}
    for name, digits in key['inputs_bits'].items():
        values = parse(digits)
        lane, numpy_values = values[None], as_bfloat16(values)
        jax_values = jnp.asarray(numpy_values)
        scans = {n: SCANS[n](lane)[0] for n in PREFIX_STABLE}
        library = {
            'seq': np.cumsum(numpy_values),
            'rows16': jnp.cumsum(jax_values),
            'assoc': jax.lax.associative_scan(jnp.add, jax_values),
        }
        for order, result in library.items():
            expect(np.asarray(result).view(np.uint16) == to_codes(scans[order]), f'{name}: {order} equals its library')
        for n in JAX_CUMSUM_LENGTHS:
            last = np.asarray(jnp.cumsum(jax_values[:n])).view(np.uint16)
            expect(last == to_codes(scans['rows16'][:n]), f'{name} {n}: rows16 equals jnp.cumsum')
        cumsums[name] = {
            'numpy_mldtypes_sequential': hexadecimal(scans['seq']),
            'jnp_cumsum_rows16': hexadecimal(scans['rows16']),
            'torch_cumsum': hexadecimal(scans['f32acc']),
            'associative_scan': hexadecimal(scans['assoc']),
            'kahan': hexadecimal(scans['kahan']),
            'neumaier': hexadecimal(scans['neumaier']),
            'f32_accumulate_cast': hexadecimal(scans['f32acc']),
        }
        running32 = np.add.accumulate(values)
        columns = {op: [] for op in key['by_length_bits'][name]}
        for i, n in enumerate(lengths):
            exact = math.fsum(values[:n].tolist())
            sampled = key['by_length_bits'][name]['jnp_sum'][i] is not None
            jnp_sum = jnp_mean = None
            tree = hexadecimal(tree32(lane[:, :n]))
            if sampled:
                part = jax_values[:n]
                jnp_sum, jnp_mean = hexadecimal(np.float32(jnp.sum(part))), hexadecimal(np.float32(jnp.mean(part)))
                count('lax_reduce==tree32', hexadecimal(np.float32(lax_reduce(part))) == tree)
                count('jnp_sum==round(f64 sum)', jnp_sum == hexadecimal(q64(exact)))
                count('jnp_sum==round(f32 sequential)', jnp_sum == hexadecimal(running32[n - 1]))
                count('jnp_mean==round(f32(sum)/n)', jnp_mean == hexadecimal(running32[n - 1] / np.float32(n)))
            np_mean = hexadecimal(np.float32(np.mean(numpy_values[:n])))
            torch_mean, of_rounded = hexadecimal(q64(exact / n)), hexadecimal(q(scans['seq'][n - 1] / np.float32(n)))
            count('np_mean==bf16(bf16 seq sum / n)', np_mean == of_rounded)
            count('np_mean==round(f32 mean)', np_mean == hexadecimal(np.mean(values[:n])))
            count('torch_sum==round(f64)', True)
            count('torch_mean==round(f64/n)', True)
            count('torch_mean==bf16(bf16sum/n)', torch_mean == hexadecimal(q64(q64(exact) / np.float64(n))))
            results = {
                'jnp_cumsum_last': hexadecimal(scans['rows16'][n - 1]),
                'jnp_sum': jnp_sum,
                'jnp_mean': jnp_mean,
                'lax_reduce_sum': tree,
                'torch_sum': hexadecimal(q64(exact)),
                'torch_mean': torch_mean,
                'np_sum': hexadecimal(np.float32(np.sum(numpy_values[:n]))),
                'np_mean': np_mean,
                'pair_last': hexadecimal(pair(lane[:, :n])[0, -1]),
                'assoc_last': hexadecimal(scans['assoc'][n - 1]),
            }
            for op in columns:
                columns[op].append(results[op])
        totals[name] = columns
    key |= {'cumsum_bits_n4096': cumsums, 'by_length_bits': totals, 'checks_agree_of': agree}
    write_text(out, 'reductions/reduce_orders.json', json.dumps(key) + '\n')


def decay_keys(out):
    """stable_decay.json: exp(A * running sum), naive, with a float32 running sum, and float32 throughout."""
    key = stored('stable_decay')
    longest = 1024
    lognormal = drift_inputs()['lognormal_dt'][:longest]
    inputs = {
        'lognormal_dt': lognormal,
        'const_0.1': np.full(longest, from_codes([CONST_TENTH])[0]),
        'small_lognormal_dt': q64(0.05 * lognormal.astype(np.float64)),
    }
    rows, bits, kept = [], {}, iter(key['rows'])
    for name, dt in inputs.items():
        for rate in (-1, -4, -8, -16):
            a = np.float32(rate)
            forms = {
                'naive': q64(exact_float64(gmpy2.exp, q(a * seq(dt[None])[0]))),
                'cast': q64(exact_float64(gmpy2.exp, q(a * f32acc(dt[None])[0]))),
                'f32internal': q(exact_float64(gmpy2.exp, a * np.add.accumulate(dt)).astype(np.float32)),
            }
            reference = exact_float64(gmpy2.exp, rate * np.cumsum(dt.astype(np.float64)))
            for n in (16, 32, 64, 128, 256, 512, 1024):
                normal = reference[:n] >= 2.0**-126
                worst = [float(np.abs(v[:n][normal] / reference[:n][normal] - 1).max()) for v in forms.values()]
                # the stored reference is NumPy's float64 exp: up to an ulp from this one
                worst = [settle(w, k, 2.0**-51 * (1 + w)) for w, k in zip(worst, next(kept)[3:])]
                rows.append([name, rate, n, *worst])
            digits = {'dt': dt} | forms
            bits[f'{name},{rate},128'] = {form: hexadecimal(v[:128]) for form, v in digits.items()}
    write_text(out, 'reductions/stable_decay.json', json.dumps(key | {'rows': rows, 'bits': bits}) + '\n')


def covariance_keys(out):
    """covariance.json: 512 rows of 64 columns at means 0, 10 and 100."""
    key = stored('covariance')
    kept, rows, bits = iter(key['summary']), [], {}
    for name, entry in key['bits'].items():
        if isinstance(entry, str):  # a note on the inputs
            bits[name] = entry
            continue
        mean, mean32, forms = covariances(parse(entry['X']).reshape(key['N'], key['D']))
        rows += [covariance_summary(form, forms['f64'], next(kept)) for form in forms.values()]
        outputs = {method: hexadecimal(form) for method, form in forms.items() if method != 'f64'}
        computed = {'mean_bf16': hexadecimal(mean), 'mean_f32acc': hexadecimal(mean32), 'out': outputs}
        bits[name] = {field: computed.get(field, entry[field]) for field in entry}
    head = f'{{"N":{key["N"]},"D":{key["D"]},"summary":{lines(rows)},\n"bits":{json.dumps(bits)}}}\n'
    write_text(out, 'reductions/covariance.json', head)


def dot_error_keys(out):
    """dot_error.json: eight dot products a row. Rows of K > 64 have no stored inputs: taken as given.

    Every row of an input reads the same stream of operands, so the first products of K = 128, 256 and 512 do
    have theirs, in the row of K = 64, and are compared.
    """
    key = stored('dot_error')
    rows, stream = [], {}
    for row in key['rows']:
        name, k, *_, stepwise_bits, internal_bits = row[:7]
        if len(row) > 7:
            stream[name] = parse(row[7]) * parse(row[8])  # sixteen bits: exact in float32
        known = len(stream[name]) // k
        products = stream[name][: known * k].reshape(-1, k)[:8]
        rounded = seq(q(products))[:, -1]
        wide = np.add.accumulate(products, axis=1)[:, -1]
        expect(stepwise_bits.startswith(hexadecimal(rounded)), f'{name} {k}: bf16 accumulation')
        expect(internal_bits.startswith(float32_hexadecimal(wide)), f'{name} {k}: float32 accumulation')
        if len(row) == 7:
            rows.append(row)
            continue
        exact = np.array([math.fsum(p) for p in products.tolist()])
        size = np.abs(products.astype(np.float64)).sum(1)
        errors = [float((np.abs(v.astype(np.float64) - exact) / size).max()) for v in (rounded, q(wide), wide)]
        rows.append([name, k, *errors, hexadecimal(rounded), float32_hexadecimal(wide), *row[7:]])
    head = f'"columns":{compact(key["columns"])},"note":{json.dumps(key["note"])}'
    write_text(out, 'reductions/dot_error.json', f'{{{head},\n"rows":{lines(rows)}}}\n')


def normaliser_keys(out):
    """normalisers.json: nine results of 63 rows, step by step and float32 inside, beside float64."""
    cases = []
    for case in stored('normalisers')['cases']:
        x = parse(case['x'])
        wide = x.astype(np.float64)
        forms = {'bf16': stepwise(x), 'f32_internal': internal(x)}
        largest = wide.max()
        log_sum = float(largest + np.log(np.exp(wide - largest).sum()))
        kept = case['f64']
        double = {
            'var': float(wide.var()),
            'logsumexp': settle(log_sum, kept['logsumexp'], 2.0**-50 * max(1.0, abs(log_sum))),
            'mean': float(wide.mean()),
        }
        variances = {v: [float(form[v]) for form in forms.values()] for v in case['var_dec']}
        digits = {form: {k: hexadecimal(v) for k, v in results.items()} for form, results in forms.items()}
        case_of = {k: case[k] for k in ('n', 'offset', 'scale', 'x')}
        cases.append(case_of | digits | {'f64': double, 'var_dec': variances})
    write_text(out, 'reductions/normalisers.json', f'{{"cases":{lines(cases)}}}\n')


def clock_bias_keys(out):
    """clock_bias.json: q(q(tanh raw) * q(max_delta)) over every finite and infinite raw >= 0 (it is odd in raw)."""
    codes = np.arange(0x7F81)
    raw = from_codes(codes)
    tanh = q64(exact_float64(gmpy2.tanh, raw))

    def first(found):
        return (hexadecimal(raw[found][0]), float(raw[found][0])) if found.any() else (None, None)

    one, value = first(tanh == 1)
    rows = []
    for kept in stored('clock_bias')['per_max_delta']:
        limit = kept['max_delta']
        rounded = q64(limit)
        bias = q(tanh * rounded)
        equal, at = first(bias == rounded)
        reaching = first(bias.astype(np.float64) >= limit)[0]
        rows.append({
            'max_delta': limit,
            'max_delta_bits': hexadecimal(rounded),
            'first_code_with_bias_equal': equal,
            'value': at,
            'any_strictly_above': bool((bias > rounded).any()),
            'largest_bias_below': hexadecimal(bias[bias < rounded].max()),
            'stays_below_f64_max_delta': reaching is None,
            'first_bits_reaching_f64_max_delta': reaching,
        })
    key = {'first_input_code_with_tanh_exactly_1': one, 'value': value, 'per_max_delta': rows}
    write_text(out, 'reductions/clock_bias.json', json.dumps(key))


if __name__ == '__main__':
    run(
        [
            clock_bias_keys,
            normaliser_keys,
            dot_error_keys,
            covariance_keys,
            decay_keys,
            drift_keys,
            drift_input_keys,
            reduce_order_keys,
        ]
    )
