"""Norms, fusion, routing, fp8 and layouts of `kernels.py`."""

import hashlib
import math

import ml_dtypes
import numpy as np

from support.columnfile import read_columns, write_columns
from support.checks import expect
from support import kernels_numbers as k


def rsqrt(x):
    return (1 / np.sqrt(x.astype(np.float64))).astype(np.float32)


def rms_unit(x, eps, rounding):
    return rounding(x * rounding(rsqrt(rounding(k.mean(rounding(x * x), rounding)[..., None] + rounding(eps)))))


def norms(out):
    F, q = k.F, k.q
    columns, facts = read_columns('kernels/norms')
    for case in facts['cases']:
        name, rows, n = case['case'], case['rows'], case['n']
        x = k.b16(columns[f'{name}_x'], rows, n)
        scale, bias = (k.b16(columns[f'{name}_{p}'], n) for p in ('scale', 'bias'))
        eps = F(1e-5)
        wide = x.astype(np.float64)
        d = wide - wide.mean(-1, keepdims=True)
        exact = d / np.sqrt((d * d).mean(-1, keepdims=True) + 1e-5) * scale.astype(np.float64) + bias
        k.settled(columns, f'{name}_layer_exact_f64', exact, 1e-9)
        m = k.mean(x)[:, None]
        c = x - m
        put = lambda form, y: columns.update(
            {f'{name}_{form}_f32': k.words(y), f'{name}_{form}': k.codes16(y)}
        )
        put('layer_two_pass', c * rsqrt(k.mean(c * c)[:, None] + eps) * scale + bias)
        v = np.maximum(F(0), k.mean(x * x)[:, None] - m * m)
        columns[f'{name}_layer_fast_variance'] = k.words(v)
        put('layer_fast', c * (rsqrt(v + eps) * scale) + bias)
        walk, squares = np.zeros(rows, F), np.zeros(rows, F)
        for i in range(n):
            step = x[:, i] - walk
            walk = walk + (step.astype(np.float64) / (i + 1)).astype(F)
            squares = squares + step * (x[:, i] - walk)
        v = (squares.astype(np.float64) / n).astype(F)[:, None]
        columns[f'{name}_layer_welford_variance'] = k.words(v)
        put('layer_welford', (x - walk[:, None]) * rsqrt(v + eps) * scale + bias)
        m = k.mean(x, q)[:, None]
        c = q(x - m)
        r = q(rsqrt(q(k.mean(q(c * c), q)[:, None] + q(eps))))
        columns[f'{name}_layer_op'] = k.codes16(q(q(q(c * r) * scale) + bias))
        y = rms_unit(x, F(1e-6), F)
        columns[f'{name}_rms_f32'] = k.words(y)
        columns[f'{name}_rms_op'] = k.codes16(rms_unit(x, F(1e-6), q) * scale)
        columns[f'{name}_rms_fused'] = k.codes16(y * scale)
        columns[f'{name}_rms_cast_then_scale'] = k.codes16(q(y) * scale)
        columns[f'{name}_rms_one_plus_scale'] = k.codes16(y * (F(1) + scale))
    write_columns(out, 'kernels/norms', columns, facts)


def gelu_tanh(x):
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def silu(x):
    return x / (1 + np.exp(-x))


def fusion(out):
    F, q = k.F, k.q
    columns, facts = read_columns('kernels/fusion')
    m, depth, n = (facts['cases'][0][x] for x in ('m', 'k', 'n'))
    read = lambda name, *shape: k.b16(columns[name], *shape)
    a, b, up = read('a', m, depth), read('b', depth, n), read('up', depth, n)
    bias, residual, scale = read('bias', n), read('residual', m, n), read('norm_scale', n)
    s, t = k.dot(a, b), k.dot(a, up)
    put = lambda name, y: columns.update({name: k.codes16(y)})
    relu = lambda x: np.maximum(x, 0)
    for name, function in (('gelu_tanh', gelu_tanh), ('silu', silu), ('relu', relu)):
        put(f'bias_{name}_fused', k.once(function, s + bias))
        put(f'bias_{name}_op', k.once(function, q(q(s) + bias)))
        put(f'bias_{name}_epilogue', k.once(function, q(s + bias)))
    put('swiglu_fused', k.once(silu, s) * t)
    put('swiglu_op', q(k.once(silu, q(s))) * q(t))
    joined, op = s + bias + residual, q(q(q(s) + bias) + residual)
    put('residual_fused', joined)
    put('residual_op', op)
    put('residual_rms_fused', rms_unit(joined, F(1e-6), F) * scale)
    put('residual_rms_of_rounded', rms_unit(q(joined), F(1e-6), F) * scale)
    put('residual_rms_op', rms_unit(op, F(1e-6), q) * scale)
    e = k.once(np.exp, s - s.max(-1, keepdims=True))
    put('softmax_fused', e / k.running(e)[:, None])
    e = q(k.once(np.exp, q(q(s) - q(s).max(-1, keepdims=True))))
    put('softmax_op', e / k.running(e, q)[:, None])
    write_columns(out, 'kernels/fusion', columns, facts)


def top(logits, count):
    """Largest first, equals by lowest index, -0 below +0, NaN above all: by the integers that order float32."""
    bits = np.ascontiguousarray(logits, np.float32).view(np.int32).astype(np.int64)
    order = np.where(bits < 0, -(bits & 0x7FFFFFFF) - 1, bits)
    return np.argsort(-order, axis=-1, kind='stable')[:, :count]


def moe(out):
    F, q = k.F, k.q
    columns, facts = read_columns('kernels/moe')
    for case in facts['cases']:
        name, tokens, experts, count, d = (case[x] for x in ('case', 'tokens', 'experts', 'k', 'd'))
        x, router = k.b16(columns[f'{name}_x'], tokens, d), k.b16(columns[f'{name}_router'], d, experts)
        logits = k.dot(x, router)
        e = k.once(np.exp, logits - logits.max(-1, keepdims=True))
        rows = k.running(e)
        probs = e / rows[:, None]
        chosen = top(logits, count)
        weights = np.take_along_axis(probs, chosen, -1)
        own = np.take_along_axis(logits, chosen, -1)
        after = k.once(np.exp, own - own[:, :1])
        put = lambda column, values: columns.update({f'{name}_{column}': values})
        put('logits', k.words(logits)), put('logits16', k.codes16(logits)), put('probs', k.words(probs))
        put('experts', chosen.ravel().astype(np.uint32))
        put('experts16', top(q(logits), count).ravel().astype(np.uint32))
        put('weights', k.words(weights))
        put('weights_renormalised', k.words(weights / k.running(weights)[:, None]))
        put('weights_after', k.words(after / k.running(after)[:, None]))
        capacity = math.ceil(tokens * count * case['capacityFactor'] / experts)
        expect(capacity == case['capacity'], f'{name} has the capacity stored')
        for order in ('token', 'choice'):
            queue = np.zeros(experts, int)
            position = np.zeros((tokens, count), np.uint32)
            sent, combined = np.zeros((experts, capacity, d), F), np.zeros((tokens, d), F)
            places = [(t, c) for t in range(tokens) for c in range(count)]
            for t, c in places if order == 'token' else sorted(places, key=lambda p: (p[1], p[0])):
                position[t, c] = queue[chosen[t, c]]
                queue[chosen[t, c]] += 1
            kept = position < capacity
            for t, c in places:
                if kept[t, c]:
                    sent[chosen[t, c], position[t, c]] = x[t]
            for c in range(count):
                y = np.array([q(x[t] * F(chosen[t, c] + 1)) * weights[t, c] for t in range(tokens)], F)
                combined = combined + np.where(kept[:, c, None], y, F(0))
            put(f'position_{order}', position.ravel()), put(f'kept_{order}', kept.ravel().astype(np.uint8))
            put(f'load_{order}', np.minimum(queue, capacity).astype(np.uint32))
            put(f'dispatched_{order}', k.codes16(sent)), put(f'combined_{order}', k.codes16(combined))
        P = k.mean(probs.T)
        for column, list_, total in (('first', chosen[:, 0], tokens), ('all', chosen.ravel(), tokens * count)):
            share = (np.bincount(list_, minlength=experts) / total).astype(F)
            put(f'aux_{column}', k.words(F(experts) * k.running(share * P)))
        lse = logits.max(-1) + k.once(np.log, rows)
        put('z_loss', k.words(k.mean(lse * lse)))
    write_columns(out, 'kernels/moe', columns, facts)


FORMATS = {'float8_e4m3fn': (ml_dtypes.float8_e4m3fn, 448.0), 'float8_e5m2': (ml_dtypes.float8_e5m2, 57344.0)}


def codes8(x, name, saturate=True):
    dtype, most = FORMATS[name]
    x = np.asarray(x, np.float32)
    return (np.clip(x, -most, most) if saturate else x).astype(dtype)


def fp8_delayed(out):
    columns, facts = read_columns('kernels/fp8_delayed')
    for case in facts['cases']:
        history, scale, made = np.zeros(case['length'], k.F), k.F(1), []
        goal = k.F(FORMATS[case['format']][1] * 2.0 ** -case['margin'])
        for amax in columns[f"{case['kind']}_amax"].view(k.F):
            history[0] = amax
            largest = amax if case['algorithm'] == 'most_recent' else np.nanmax(np.append(history, k.F(0)))
            if np.isfinite(largest) and largest > 0:
                with np.errstate(over='ignore'):
                    scale = np.minimum(goal / largest, np.finfo(k.F).max)
            history = np.roll(history, -1)
            history[0] = 0
            made.append(scale)
        columns[case['case']] = k.words(np.array(made))
    write_columns(out, 'kernels/fp8_delayed', columns, facts)


def fp8_matmul(out):
    columns, facts = read_columns('kernels/fp8_matmul')
    for case in facts['cases']:
        name, m, depth, n = (case[x] for x in ('case', 'm', 'k', 'n'))
        word = lambda key: np.uint32(int(case[key], 16)).view(k.F)
        values, inverses = [], []
        for side, shape in (('a', (m, depth)), ('b', (depth, n))):
            scale, form = word(f'scale{side.upper()}'), case[f'format{side.upper()}']
            scaled = k.b16(columns[f'{name}_{side}'], *shape) * scale
            codes = codes8(scaled, form)
            columns[f'{name}_{side}_codes'] = codes.view(np.uint8).ravel()
            if side == 'a':
                columns[f'{name}_a_codes_nonsaturating'] = codes8(scaled, form, False).view(np.uint8).ravel()
            values.append(codes.astype(k.F))
            inverses.append(k.F(1) / scale)
        acc = k.dot(*values)
        result = acc * (inverses[0] * inverses[1])
        columns[f'{name}_acc'], columns[f'{name}_f32'] = k.words(acc), k.words(result)
        columns[f'{name}_bf16'] = k.codes16(result)
    write_columns(out, 'kernels/fp8_matmul', columns, facts)


def tiles(x, rows, columns, pow2):
    """Codes and scales of a matrix in tiles."""
    down, across = -(-x.shape[0] // rows), -(-x.shape[1] // columns)
    scales, codes = np.zeros((down, across), k.F), np.zeros(x.shape, ml_dtypes.float8_e4m3fn)
    for i in range(down):
        for j in range(across):
            place = np.s_[i * rows : (i + 1) * rows, j * columns : (j + 1) * columns]
            scale = k.F(max(np.abs(x[place]).max(), k.F(1e-4))) / k.F(448)
            if pow2:
                fraction, exponent = math.frexp(scale)
                scale = k.F(math.ldexp(1, exponent - 1 if fraction == 0.5 else exponent))
            scales[i, j] = scale
            codes[place] = codes8(x[place] * (k.F(1) / scale), 'float8_e4m3fn')
    return codes, scales


def fp8_blocks(out):
    columns, facts = read_columns('kernels/fp8_blocks')
    for case in facts['cases']:
        name, m, depth, n = (case[x] for x in ('case', 'm', 'k', 'n'))
        x, w = k.b16(columns[f'{name}_x'], m, depth), k.b16(columns[f'{name}_w'], depth, n)
        for end in ('', '_pow2'):
            (xc, xs), (wc, ws) = tiles(x, 1, 128, end != ''), tiles(w, 128, 128, end != '')
            for side, codes, scales in (('x', xc, xs), ('w', wc, ws)):
                columns[f'{name}_{side}_codes{end}'] = codes.view(np.uint8).ravel()
                columns[f'{name}_{side}_scales{end}'] = k.words(scales)
            total = np.zeros((m, n), k.F)
            for i in range(0, depth, 128):
                both = xs[:, i // 128, None] * np.repeat(ws[i // 128], 128)[:n]
                total = total + k.dot(xc[:, i : i + 128].astype(k.F), wc[i : i + 128].astype(k.F)) * both
            columns[f'{name}_f32{end}'] = k.words(total)
            columns[f'{name}_bf16{end}'] = k.codes16(total)
    write_columns(out, 'kernels/fp8_blocks', columns, facts)


def layout(out):
    columns, facts = read_columns('kernels/layout')
    for case in facts['cases']:
        name, source, (rows, across) = case['case'], case['source'], case['tile']
        places = np.arange(np.prod(source), dtype=np.uint32).reshape(source)
        spatial = case['kind'] == 'spatial'
        height, width = source[1:3] if spatial else source
        pads = [(0, -height % rows), (0, -width % across)]
        padded = np.pad(places, [(0, 0), *pads, (0, 0)] if spatial else pads, constant_values=2**32 - 1)
        if spatial:
            b, h, w, c = padded.shape
            tiled = padded.reshape(b, h // rows, rows, w // across, across, c).transpose(0, 1, 3, 2, 4, 5)
        else:
            h, w, pack = *padded.shape, case['pack']
            tiled = padded.reshape(h // rows, rows // pack, pack, w // across, across).transpose(0, 3, 1, 4, 2)
        tiled = np.ascontiguousarray(tiled)
        expect(list(tiled.shape) == case['shape'], f'{name} has the shape stored')
        expect(hashlib.sha256(tiled.tobytes()).hexdigest() == case['sha256'], f'{name} has the hash stored')
        if f'{name}_map' in columns:
            columns[f'{name}_map'] = tiled.ravel()
        else:
            columns[f'{name}_source'] = tiled.ravel()[columns[f'{name}_at']]
    write_columns(out, 'kernels/layout', columns, facts)
