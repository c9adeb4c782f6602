"""Writes test/golden/failures/readings.json: what the failures of src/experiments/failures read, from programs that are not ours.

    python scripts/golden/failures.py

Each failure is written again in NumPy + ml_dtypes (every addition rounded in a plain loop), JAX (draws, scans,
gradients), optax (optimizers) and jmp (loss scale), from the description in its docstring alone.
"""

import json
from fractions import Fraction
from pathlib import Path

import jax
import jax.numpy as jnp
import jmp
import ml_dtypes
import numpy as np
import optax

bf16 = ml_dtypes.bfloat16
OUT = Path(__file__).resolve().parents[2] / 'test' / 'golden' / 'failures' / 'readings.json'


def running(values):
    """Sums in bfloat16, each addition rounded."""
    total, sums = bf16(0), []
    for value in values:
        total = bf16(total + value)
        sums.append(float(total))
    return sums


def last_change(values):
    """How many values there were when they last changed."""
    last = len(values) - 1
    while last > 0 and values[last] == values[last - 1]:
        last -= 1
    return last + 1


def neumaier(values):
    total, correction, sums = bf16(0), bf16(0), []
    for value in values:
        added = bf16(total + value)
        lost = bf16(bf16(total - added) + value) if abs(total) >= abs(value) else bf16(bf16(value - added) + total)
        correction = bf16(correction + lost)
        total = added
        sums.append(float(bf16(total + correction)))
    return sums


def draws(number, n):
    return np.asarray(jax.random.normal(jax.random.key(number), (n,)))


def sums():
    ones = np.ones(1024, bf16)
    plain, compensated = running(ones), neumaier(ones)
    losses = np.asarray(jax.random.uniform(jax.random.key(14), (1200,), minval=9, maxval=12)).astype(bf16)
    totals = running(losses)
    return {
        'ones-stall': {'sum': plain[-1], 'lastChange': last_change(plain)},
        'neumaier-stall': {'sum': compensated[-1], 'lastChange': last_change(compensated)},
        'loss-metric-stuck': {'total': totals[-1], 'lastChange': last_change(totals), 'meanLoss': totals[-1] / 1200},
        'gradient-accumulation': {'gradient': plain[511], 'lastCounted': last_change(plain[:512])},
    }


def state_space():
    dt = np.asarray(jax.random.exponential(jax.random.key(3), (256,))).astype(bf16)
    cs = np.asarray(jax.lax.associative_scan(jnp.add, jnp.asarray(dt * bf16(-8))))
    rises = [i + 1 for i in range(1, 256) if cs[i] > cs[i - 1]]
    exponents = np.tril((cs[:, None] - cs[None, :]).astype(np.float32))
    decay = bf16(np.exp(np.float32(bf16(-0.001))))
    state = bf16(0)
    for _ in range(100):
        state = bf16(bf16(decay * state) + bf16(1))
    after = float(state)
    for _ in range(3000):
        state = bf16(decay * state)

    def masked_after(steps):
        sums = jnp.cumsum(steps)
        decays = jnp.exp(sums[:, None] - sums[None, :])
        return jnp.where(jnp.tril(jnp.ones((64, 64), bool)), decays, 0).sum()

    gradients = jax.grad(masked_after)(jnp.full(64, -2.0, jnp.bfloat16))
    return {
        'decay-above-one': {
            'maxDecay': float(bf16(np.exp(exponents.max()))),
            'rising': len(rises),
            'firstRise': rises[0],
        },
        'decay-rounds-to-one': {'decay': float(decay), 'afterInput': after, 'final': float(state)},
        'mask-after-exp': {'nanGradients': int(jnp.isnan(gradients).sum())},
    }


def optimizers():
    adam = optax.scale_by_adam()
    state, nu = adam.init([jnp.ones(1, jnp.bfloat16)]), []
    for step in range(1500):
        gradient = jnp.full(1, 1 if step < 100 else 0.001, jnp.bfloat16)
        updates, state = adam.update([gradient], state)
        nu.append(float(state.nu[0][0]))
    half = optax.adam(1e-3)
    zero_update, _ = half.update([jnp.zeros(1, jnp.float16)], half.init([jnp.ones(1, jnp.float16)]))
    target, path = [jnp.zeros(1, jnp.bfloat16)], [0.0]
    for _ in range(3000):
        target = optax.incremental_update([jnp.ones(1, jnp.bfloat16)], target, 1 - 0.996)
        path.append(float(target[0][0]))
    weight = jnp.ones(1, jnp.bfloat16)
    for _ in range(500):
        weight = optax.apply_updates(weight, jnp.full(1, -0.001, jnp.float32))
    return {
        'beta2-rounds-to-one': {
            'b2': float(bf16(0.999)),
            'peak': nu[99],
            'final': nu[-1],
            'update': float(updates[0][0]),
        },
        'eps-underflow': {'eps': float(np.float16(1e-8)), 'firstNaNStep': 1 if bool(jnp.isnan(zero_update[0][0])) else None},
        'ema-stall': {'target': path[-1], 'gap': 1 - path[-1], 'lastChange': last_change(path) - 1},
        'update-under-half-ulp': {'weight': float(weight[0])},
    }


def ring():
    """256 replicas, 256 elements: chunk c is the one element c, first sent by replica c + 1."""
    root = jax.random.key(9)
    rows = [np.asarray(jax.random.normal(jax.random.fold_in(root, r), (256,))) + np.float32(1) for r in range(256)]
    gradients = np.stack(rows).astype(bf16)
    means = np.zeros(256)
    for c in range(256):
        total = gradients[(c + 1) % 256, c]
        for hop in range(2, 257):
            total = bf16(total + gradients[(c + hop) % 256, c])
        means[c] = float(bf16(float(total) / 256))
    worst = float(np.abs(means - gradients.astype(np.float64).mean(0)).max())
    return {'ring-all-reduce': {'worst': worst}}


def functions():
    first_zero = next(
        m / 4
        for m in range(49)
        if bf16(np.log(np.float32(bf16(bf16(1) + bf16(np.exp(np.float32(-m / 4))))))) == 0
    )
    activations = (draws(1, 256) + np.float32(30)).astype(bf16)
    squares, mean = np.float32(0), np.float32(0)
    for x in activations:
        squares = np.float32(squares + np.float32(bf16(x * x)))
        mean = np.float32(mean + np.float32(x))
    mean = bf16(mean / 256)
    features = (draws(16, 4096).reshape(512, 8) + np.float32(100)).astype(bf16)
    means = np.array([bf16(running(features[:, j])[-1] / 512) for j in range(8)])
    centred = (features - means).astype(bf16)
    covariance = np.zeros((8, 8))
    for i in range(8):
        for j in range(8):
            covariance[i, j] = float(bf16(running(centred[:, i] * centred[:, j])[-1] / 511))
    eigenvalues = np.linalg.eigvalsh(covariance)[::-1]
    positions = np.arange(1024).astype(bf16)
    reached = next(i / 64 for i in range(513) if bf16(np.tanh(np.float32(i / 64))) == 1)
    return {
        'log-softmax-collapse': {'firstZero': first_zero},
        'negative-variance': {'variance': float(bf16(bf16(squares / 256) - bf16(mean * mean)))},
        'covariance-loses-rank': {'rank': int((eigenvalues > 1e-3 * eigenvalues[0]).sum())},
        'rope-positions-alias': {
            'distinct': len(set(positions.astype(float))),
            'firstAlias': int(np.flatnonzero(positions[1:] == positions[:-1])[0]) + 1,
        },
        'tanh-reaches-bound': {'reached': reached},
    }


def attention():
    n, width = 128, 16
    logits = np.full((n, n), -12.0)
    for i in range(n):
        logits[i, [i, (i + 37) % n]] = 2
    drawn = np.asarray(jax.random.normal(jax.random.key(7), (1, n, width)))[0]
    v = (drawn * np.float32(0.3) + np.float32(-2.3)).astype(bf16).astype(np.float32)
    small = np.float32(bf16(np.exp(np.float32(-14))))
    out = np.zeros((n, width))
    for i in range(n):
        p = np.where(logits[i] == 2, np.float32(1), small)
        numerator, total = np.zeros(width, np.float32), np.float32(0)
        for j in range(n):
            numerator = (numerator + p[j] * v[j]).astype(np.float32)
            total = np.float32(total + p[j])
        rounded = numerator.astype(bf16).astype(np.float32)
        out[i] = (rounded / np.float32(bf16(total))).astype(bf16)
    weights = np.exp(logits - 2)
    exact = weights @ v.astype(np.float64) / weights.sum(1, keepdims=True)

    # Blocks of 16 of 64 rows and columns, i - 20 >= j: rows of blocks without a pair, and the masked rows of the others.
    i, j = np.arange(64)[:, None], np.arange(64)[None]
    allowed = i - 20 >= j
    visited = allowed.reshape(4, 16, 4, 16).any((1, 3)).any(1)
    empty = ~allowed.any(1)
    c = np.float32(np.float32(0.125) * np.float32(np.log2(np.e)))
    s = np.float32(0)
    for _ in range(64):
        s = np.float32(s + np.float32(133120.0**2))
    left = Fraction(float(s)) * Fraction(float(c)) - Fraction(float(np.float32(s * c)))
    return {
        'attention-ties': {'away': int((out < exact).sum()), 'toward': int((out > exact).sum())},
        'attention-masked-row': {
            'nanRows': int((~visited).sum()) * 16,
            'leakingRows': int((empty & np.repeat(visited, 16)).sum()),
        },
        'attention-fused-exponent': {'notFinite': 256, 'exponent': float(left)},
    }


def rounded_product(x, w, dtype):
    """A product in float32 sums, k ascending, rounded once."""
    total = np.zeros((x.shape[0], w.shape[1]), np.float32)
    for p in range(x.shape[1]):
        total += np.outer(x[:, p].astype(np.float32), w[p].astype(np.float32))
    return total.astype(dtype)


def shaped(number, *shape):
    return draws(number, int(np.prod(shape))).reshape(shape)


def rope_scores():
    """Queries and keys of ones, 8 apart, at 65 positions up to 4,095; angles in bfloat16."""
    frequencies = (10000 ** (-np.arange(64) / 64)).astype(np.float32).astype(bf16)

    def table(positions):
        angles = positions.astype(bf16)[:, None] * frequencies
        wide = angles.astype(np.float32)
        return np.cos(wide).astype(bf16).astype(np.float64), np.sin(wide).astype(bf16).astype(np.float64)

    at = np.floor(np.arange(65) * 4095 / 64 + 0.5)
    (c, s), (later_c, later_s) = table(at), table(at + 8)
    scores = (c * later_c + s * later_s).mean(1)
    return {'firstOff': int(at[np.flatnonzero(np.abs(scores - scores[0]) >= 0.1)[0]])}


def best(logits, k):
    """The k largest of each row, of equals the lowest index first."""
    return np.argsort(-logits.astype(np.float64), axis=1, kind='stable')[:, :k]


def routing():
    logits = shaped(21, 512, 64)
    narrow = logits.astype(bf16)
    sets, others = np.sort(best(logits, 8)), np.sort(best(narrow, 8))
    ranked = -np.sort(-narrow.astype(np.float32), axis=1)
    skewed = shaped(23, 512, 8) + (np.arange(8, dtype=np.float32) * np.float32(-2 / 7)).astype(np.float32)
    queue, places, dropped, lost = [0] * 8, int(np.ceil(512 * 2 * 1.25 / 8)), 0, []
    for token, choices in enumerate(best(skewed, 2)):
        kept = 0
        for expert in choices:
            kept += queue[expert] < places
            queue[expert] += 1
        dropped += 2 - kept
        if kept == 0:
            lost.append(token)
    return {
        'router-changes-experts': {
            'changed': int((sets != others).any(1).sum()),
            'ties': int((ranked[:, 7] == ranked[:, 8]).sum()),
        },
        'capacity-drops-tokens': {
            'dropped': dropped,
            'lost': len(lost),
            'lostInLastHalf': sum(token >= 256 for token in lost),
        },
    }


def one_pass_norm():
    x = shaped(24, 32, 256) + np.float32(4000)
    zero = 0
    for row in x:
        total, squares = np.float32(0), np.float32(0)
        for value in row:
            total, squares = np.float32(total + value), np.float32(squares + np.float32(value * value))
        mean = np.float32(total / np.float32(256))
        variance = np.float32(np.float32(squares / np.float32(256)) - np.float32(mean * mean))
        zero += max(variance, np.float32(0)) == 0
    return {'zeroVariance': int(zero)}


def late_scale():
    e4m3, history = ml_dtypes.float8_e4m3fn, []
    scale, lost, before, after = np.float32(1), 0, 0, 0
    for step in range(1, 61):
        root = jax.random.fold_in(jax.random.key(25), step)
        x = np.array(jax.random.normal(root, (1024,)))
        if step == 24:
            x[:8] *= np.float32(30000)
        codes = np.clip(x * scale, -448, 448).astype(e4m3).astype(np.float32)
        if step == 24:
            lost = int((np.abs(codes[:8] / scale) < np.abs(x[:8]) / 2).sum())
        zeros = int((codes[8:] == 0).sum())
        before += zeros if 8 <= step < 24 else 0
        after += zeros if 24 < step <= 40 else 0
        history = (history + [np.abs(x).max()])[-16:]
        scale = np.float32(np.float32(448) / max(history))
    return {'lost': lost, 'zerosBefore': before, 'zerosAfter': after}


def cut(value, bits):
    """Toward zero to so many significant bits."""
    if value == 0:
        return 0.0
    step = 2.0 ** (np.frexp(value)[1] - bits)
    return float(np.trunc(value / step) * step)


def short_sums():
    def exponents(values):
        return np.maximum(np.frexp(values)[1] - 1, -6)

    def codes(x):
        amax = np.maximum(np.abs(x).max(), np.float32(1e-4))
        scale = np.float32(amax / np.float32(448))
        scaled = (x * np.float32(np.float32(1) / scale)).astype(np.float32)
        return np.clip(scaled, -448, 448).astype(ml_dtypes.float8_e4m3fn).astype(np.float64), scale

    x = np.abs(shaped(26, 4, 4096)).astype(bf16).astype(np.float32)
    w = np.abs(shaped(27, 4096, 4)).astype(bf16).astype(np.float32)
    right, scale_w = codes(w)
    low, worst = 0, 0.0
    for row in x:
        left, scale_x = codes(row)
        for j in range(4):
            products, short, full = left * right[:, j], 0.0, np.float32(0)
            for product in products:
                full = np.float32(full + np.float32(product))
            places = exponents(left) + exponents(right[:, j])
            for start in range(0, 4096, 32):
                terms = [*products[start : start + 32], short]
                own = np.frexp(short)[1] - 1 if short else -126
                step = 2.0 ** (max(own, places[start : start + 32].max()) - 13)
                short = cut(sum(np.trunc(term / step) * step for term in terms), 14)
            both = np.float32(scale_x * scale_w)
            short, full = float(np.float32(np.float32(short) * both)), float(np.float32(full * both))
            low += short < full
            worst = max(worst, abs(short - full) / full)
    return {'low': low, 'worst': worst}


def truncated_parts():
    a, b = np.abs(shaped(28, 16, 512)), np.abs(shaped(29, 512, 16))

    def parts(x):
        high = (x.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
        return high, (x - high).astype(bf16).astype(np.float32)

    (a_high, a_low), (b_high, b_low) = parts(a), parts(b)
    small = rounded_product(a_low, b_high, np.float32) + rounded_product(a_high, b_low, np.float32)
    total = small + rounded_product(a_high, b_high, np.float32)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    return {'low': int((total < exact).sum())}


def serving():
    states = shaped(30, 128, 256).astype(bf16)
    weights = (shaped(31, 256, 256) * np.float32(3 / 16)).astype(bf16)
    trained, served = rounded_product(states, weights, bf16), None
    for start in range(0, 256, 64):
        part = rounded_product(states[:, start : start + 64], weights[start : start + 64], bf16)
        served = part if served is None else (served + part).astype(bf16)
    return {
        'differing': int((trained != served).sum()),
        'otherTokens': int((best(trained, 1) != best(served, 1)).sum()),
    }


def unit_product(a, w):
    """bfloat16 operands on an H100: groups of 16 products and the accumulator, cut 25 bits below the largest, then to 24 bits."""
    x, y = a.astype(np.float64), w.astype(np.float64)
    total = np.zeros((x.shape[0], y.shape[1]))

    def places(values, least):
        return np.where(values == 0, -4096, np.maximum(np.frexp(values)[1] - 1, least))

    for start in range(0, x.shape[1], 16):
        part = slice(start, start + 16)
        products = x[:, part, None] * y[None, part, :]
        sums = places(x[:, part], -126)[:, :, None] + places(y[part], -126)[None, :, :]
        own = np.maximum(places(total, -126), -126)
        step = np.ldexp(1.0, np.maximum(sums.max(1), own) - 25)
        exact = (np.trunc(products / step[:, None, :]) * step[:, None, :]).sum(1) + np.trunc(total / step) * step
        ulp = np.ldexp(1.0, np.maximum(np.frexp(exact)[1] - 1, -126) - 23)
        total = np.trunc(exact / ulp) * ulp
    return total.astype(np.float32).astype(bf16)


def tiled_attention(q, k, v, allowed):
    """One head of FlashAttention-2 in blocks of 16 keys: the float32 output and the logsumexp of every row."""
    f32 = np.float32
    m, l = np.full(len(q), -np.inf, f32), np.zeros(len(q), f32)
    acc = np.zeros((len(q), v.shape[1]), f32)
    with np.errstate(invalid='ignore', divide='ignore'):
        for start in range(0, len(k), 16):
            keys = slice(start, start + 16)
            s = rounded_product(q, k[keys].T, f32) * f32(0.25)
            s = np.where(allowed[:, keys], s, f32(-np.inf))
            new = np.maximum(m, s.max(1))
            shift = np.where(np.isinf(new), f32(0), new)
            p = np.exp((s - shift[:, None]).astype(np.float64)).astype(f32)
            factor = np.exp((m - shift).astype(np.float64)).astype(f32)
            row = np.zeros(len(q), f32)
            for j in range(p.shape[1]):
                row = row + p[:, j]
            l, m = factor * l + row, new
            acc = factor[:, None] * acc + rounded_product(p.astype(bf16), v[keys], f32)
        by = np.where(l == 0, f32(0), f32(1) / l)
        return acc * by[:, None], np.where(l == 0, f32(-np.inf), m + np.log(l.astype(np.float64)).astype(f32))


def decoder_block(x, weights, halves, stretches):
    """The results of eight operations; `halves` are the products and norms whose sums are cut in two."""
    f32 = np.float32

    def product(name, a):
        w = weights[name]
        if name not in halves:
            return unit_product(a, w)
        middle = len(w) // 2
        return (unit_product(a[:, :middle], w[:middle]) + unit_product(a[:, middle:], w[middle:])).astype(bf16)

    def norm(a):
        squares = (a.astype(f32) * a.astype(f32)).reshape(len(a), 2 if 'norm' in halves else 1, -1)
        parts = np.zeros(squares.shape[:2], f32)
        for j in range(squares.shape[2]):
            parts = parts + squares[:, :, j]
        total = np.zeros(len(a), f32)
        for j in range(parts.shape[1]):
            total = total + parts[:, j]
        mean = total / f32(64) + f32(1e-6)
        return (a.astype(f32) * (1 / np.sqrt(mean.astype(np.float64))).astype(f32)[:, None]).astype(bf16)

    first = norm(x)
    qkv = product('qkv', first)
    attended = np.zeros((len(x), 64), bf16)
    seen = np.tril(np.ones((len(x), len(x)), bool))
    for head in range(4):
        q, k, v = (qkv[:, 64 * i + 16 * head : 64 * i + 16 * head + 16] for i in range(3))
        made = [tiled_attention(q, k[a:b], v[a:b], seen[:, a:b]) for a, b in stretches]
        out = made[0][0]
        if len(made) > 1:
            largest = np.max([lse for _, lse in made], axis=0)
            shares = [np.exp((lse - largest).astype(np.float64)).astype(f32) for _, lse in made]
            out = sum(((o * share[:, None]) for (o, _), share in zip(made[1:], shares[1:])), made[0][0] * shares[0][:, None])
            out = out / sum(shares[1:], shares[0])[:, None]
        attended[:, 16 * head : 16 * head + 16] = out.astype(bf16)
    projected = product('out', attended)
    residual = (x + projected).astype(bf16)
    second = norm(residual)
    up = product('up', second)
    wide = up.astype(np.float64)
    down = product('down', (wide / (1 + np.exp(-wide))).astype(bf16))
    logits = product('logits', (residual + down).astype(bf16))
    return [first, qkv, attended, projected, second, up, down, logits]


def served_batches():
    """The prompt alone, whose few rows have sums cut in two, and among eight, whose many rows fill the cores."""
    root = jax.random.key(40)
    shapes = {'qkv': (64, 192), 'out': (64, 64), 'up': (64, 128), 'down': (128, 64), 'logits': (64, 128)}
    weights = {
        name: (np.asarray(jax.random.normal(jax.random.fold_in(root, i), shape)) * np.float32(shape[0] ** -0.5)).astype(bf16)
        for i, (name, shape) in enumerate(shapes.items())
    }
    x = np.asarray(jax.random.normal(jax.random.fold_in(jax.random.key(41), 0), (32, 64))).astype(bf16)
    alone = decoder_block(x, weights, {'norm', 'out', 'down'}, [(0, 16), (16, 32)])
    among = decoder_block(x, weights, set(), [(0, 32)])
    differing = [int((a != b).any(1).sum()) for a, b in zip(alone, among)]
    first = next(i + 1 for i, count in enumerate(differing) if count)
    return {'rows': differing[-1], 'differing': differing, 'first': first}


def kernels():
    return {
        'rope-score-drifts': rope_scores(),
        **routing(),
        'layer-norm-fast-variance': one_pass_norm(),
        'fp8-scale-late': late_scale(),
        'fp8-sums-short': short_sums(),
        'bf16x3-low': truncated_parts(),
        'serving-disagrees': serving(),
        'batch-changes-row': served_batches(),
    }


def codebooks():
    """Codes of 256 vectors around 16 by the expanded form; a moving average of counts; indices of digits."""
    x = (draws(31, 256 * 16).reshape(256, 16) + np.float32(16)).astype(bf16)
    c = x[:32]

    def dot(a, b):
        """Products are exact in float32; the steps of their sum round, and the sum to bfloat16."""
        total = np.zeros(np.broadcast_shapes(a.shape, b.shape)[:-1], np.float32)
        for j in range(a.shape[-1]):
            total = total + a[..., j].astype(np.float32) * b[..., j].astype(np.float32)
        return total.astype(bf16)

    twice = dot(x[:, None], c[None]) * bf16(2)
    found = (dot(x, x)[:, None] - twice + dot(c, c)[None]).astype(np.float32).argmin(1)
    apart = x[:, None].astype(float) - c[None].astype(float)
    right = (apart**2).sum(-1).argmin(1)

    size, move, sizes = bf16(1), bf16(1 - 0.99), [1.0]
    for _ in range(500):
        size = bf16(size + bf16(move * bf16(bf16(100) - size)))
        sizes.append(float(size))

    levels, basis = np.array([8, 5, 5, 5]), np.array([1, 8, 40, 200])
    digits = np.arange(1000)[:, None] // basis % levels
    half = (levels // 2).astype(bf16)
    back = ((digits - levels // 2) / (levels // 2)).astype(bf16) * half + half
    products = (back * basis.astype(bf16)).astype(np.float32)
    indices = [float(bf16(((p[0] + p[1]) + p[2]) + p[3])) for p in products]
    return {
        'vq-wrong-codes': {'wrong': int((found != right).sum())},
        'codebook-size-stalls': {'size': sizes[-1], 'lastChange': last_change(sizes) - 1},
        'fsq-indices-collide': {
            'codes': 1000,
            'distinct': len(set(indices)),
            'beyond': sum(index >= 1000 for index in indices),
        },
    }


def dead():
    def loss(w):
        e = jnp.exp(jnp.stack([w, jnp.float32(0)]))
        return (e / e.sum())[0] * jnp.square(w / 100 - 1)

    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.zero_nans(), optax.adamw(2.75e-4))
    w, path, losses = jnp.float32(88.6), [], []
    state = optimizer.init(w)
    both = jax.value_and_grad(loss)
    for _ in range(700):
        value, gradient = both(w)
        updates, state = optimizer.update(gradient, state, w)
        w = optax.apply_updates(w, updates)
        path.append(float(w))
        losses.append(float(value))
    bad = [step + 1 for step, value in enumerate(losses) if not np.isfinite(value)]

    x = jnp.float16(300)
    scaled = jax.grad(lambda w, scale: -jax.nn.log_softmax(w * x)[1] * scale)
    scale = jmp.DynamicLossScale(jnp.float32(2**16), min_loss_scale=jnp.float32(1))
    weights, skipped = jnp.array([300, 150, 0, -300], jnp.float16), 0
    for _ in range(40):
        finite = jmp.all_finite(scaled(weights, scale.loss_scale.astype(jnp.float16)))
        skipped += not finite
        scale = scale.adjust(finite)
    return {
        'clip-then-zero-nans': {
            'firstNonFinite': bad[0],
            'lastMove': last_change(path),
            'badSteps': len(bad),
            'parameter': path[-1],
        },
        'loss-scale-collapse': {'scale': float(scale.loss_scale), 'skipped': skipped},
    }


def log_softmax(x):
    d = x - x.max(-1, keepdims=True)
    return d - np.log(np.exp(d).sum(-1, keepdims=True))


def reinforcement():
    value = 0.0
    for _ in range(4000):
        value = 1 + float(bf16(0.999)) * value

    def advantages(number):
        drawn = np.asarray(jax.random.uniform(jax.random.key(31), (129 * 4,)), np.float64)
        v = (100 + np.floor((drawn - 0.5) * 1024 + 0.5) / 1024).reshape(129, 4).astype(number)
        g, gl = number(0.99), number(0.99 * 0.95)
        out, last = np.zeros((128, 4), number), np.zeros(4, number)
        for t in range(127, -1, -1):
            delta = (number(1) + g * v[t + 1]).astype(number) - v[t]
            last = delta + gl * last if t < 127 else delta
            out[t] = last
        return out.astype(np.float64)

    narrow, wide = advantages(bf16), advantages(np.float64)
    wrong = ((narrow - narrow.mean()) > 0) != ((wide - wide.mean()) > 0)

    logits, move = (
        np.asarray(jax.random.normal(jax.random.fold_in(jax.random.key(0), n), (1024 * 3,)), np.float64).reshape(1024, 3)
        for n in (32, 33)
    )
    new, old = (log_softmax(x)[:, 0].astype(bf16) for x in (logits + 0.001 * move, logits))
    ratios = np.exp((new - old).astype(np.float64)).astype(bf16).astype(np.float64)

    x = np.asarray(jax.random.normal(jax.random.key(34), (32, 1000))).astype(bf16)
    shifted = x - x.max(1, keepdims=True)
    e = np.exp(shifted.astype(np.float64)).astype(bf16)
    z = np.zeros(32, bf16)
    for j in range(1000):
        z = z + e[:, j]
    now = shifted[:, 0] - np.log(z.astype(np.float64)).astype(bf16)
    stored = log_softmax(x.astype(np.float64))[:, 0].astype(bf16)
    many = np.exp((now - stored).astype(np.float64)).astype(bf16).astype(np.float64)

    tokens = np.float32(8) * np.asarray(jax.random.normal(jax.random.key(35), (32 * 256, 8)))
    rollout, learner = (log_softmax(y.astype(np.float64))[:, 0] for y in (tokens.astype(bf16), tokens))
    sequences = np.exp((learner - rollout).reshape(32, 256).sum(1))

    features = []
    for i in range(2000):
        price, total = (100 + i) / 100, 0.0
        for _ in range(20):
            total += price
        apart = price - total / 20
        total = 0.0
        for _ in range(20):
            total += apart * apart
        std = np.sqrt(total / 20)
        features.append(apart / (2 * std) if std > 0 else 0.0)
    return {
        'discount-rounds-to-one': {'discount': float(bf16(0.999)), 'horizon': None, 'value': value},
        'gae-of-large-values': {'wrongSigns': int(wrong.sum()), 'greatest': float(narrow.max())},
        'ratio-stuck-at-one': {'exactlyOne': int((ratios == 1).sum()), 'distinct': len(set(ratios.tolist()))},
        'many-actions-clipped': {'clipped': int((np.abs(many - 1) > 0.2).sum())},
        'rollout-and-learner': {
            'moved': int((rollout != learner).sum()),
            'clipped': int((np.abs(sequences - 1) > 0.2).sum()),
        },
        'mean-of-means': {'gradient': (1 + 1 + 1 + 9) / 4},
        'feature-of-rounding': {
            'wrong': int(sum(f != 0 for f in features)),
            'largest': float(max(abs(f) for f in features)),
        },
    }


def automata():
    """An automaton on a torus, by the program of the keys of test/golden/nca."""
    case = {'shape': (8, 8), 'kernels': ['identity', 'sobelX', 'sobelY'], 'padding': 'wrap', 'aliveChannel': None}

    def drawn(number, shape, deviation):
        return (draws(number, int(np.prod(shape))) * np.float32(deviation)).astype(bf16).astype(np.float64).reshape(shape)

    w1, w2, start = drawn(36, (24, 32), 0.25), drawn(37, (32, 8), 0.03125 / 64), drawn(38, (8, 8, 8), 1)
    given = (w1, np.zeros(32), w2, np.zeros(8), start, np.ones((64, 8, 8)))
    # Here, since it lets jax draw float64 from then on.
    from nca import steps

    narrow, wide = (steps(case, *given, d, d).astype(np.float64) for d in ('bf16', 'f64'))
    before = np.concatenate([start[None], narrow[:-1]])
    off = np.linalg.norm(narrow[-1] - wide[-1]) / np.linalg.norm(wide[-1] - start)
    return {
        'automaton-stands-still': {
            'unchanged': int((narrow == before).sum()),
            'off': round(1000 * float(off)) / 10,
        }
    }


if __name__ == '__main__':
    OUT.parent.mkdir(exist_ok=True)
    parts = [sums, state_space, optimizers, ring, functions, attention, kernels, codebooks, dead, reinforcement, automata]
    readings = {id: reading for part in parts for id, reading in part().items()}
    OUT.write_text(json.dumps(readings, indent=1) + '\n')
    print(f'failures.py: {len(readings)} failures')
