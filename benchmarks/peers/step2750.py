"""The step-2750 experiment in NumPy with ml_dtypes: an independent second program, forward, backward and AdamW.

    python step2750.py CODES.bin [--length 128] [--variant naive] [--steps 5000] [--lr 2.75e-4]

CODES.bin holds x, then y, as uint16 little-endian bfloat16 codes, rows of --length. Prints one JSON object: the first
non-finite step, the seconds that the steps took, and the float32 bits of every loss.

Written from the equations of docs/step-2750.md with the backward pass by hand; nothing is shared with src. Values of the
model live in float32 arrays that `q` rounds to bfloat16. Arrays are used wherever an order of additions allows it: a
running float32 sum over rows is np.add.reduce along axis 0, one over a vector np.add.accumulate.
"""

import argparse
import json
import time
from pathlib import Path

import ml_dtypes
import numpy as np

F32 = np.float32
BF16 = ml_dtypes.bfloat16
KEYS = ('a_log', 'b', 'c', 'dt_bias', 'dt_gap')
NEGATIVE_INFINITY = F32(-np.inf)

# What a variant changes against `naive`.
VARIANTS = {
    'naive': {},
    'naive_xlatree': {'broadcast': 'windows'},
    'stable': {'cumsum': 'stable'},
    'stable_keep32': {'cumsum': 'stable', 'keep': True},
    'kahan': {'cumsum': 'kahan'},
    'neumaier': {'cumsum': 'neumaier'},
    'rows16': {'cumsum': 'rows16'},
    'assoc': {'cumsum': 'assoc'},
    'pair': {'cumsum': 'pair'},
    'clamp': {'form': 'clamp'},
    'pairdiff_mask_before': {'form': 'mask_before'},
    'pairdiff_mask_after': {'form': 'mask_after'},
    'segsum': {'form': 'segsum'},
    'f32': {'f32': True},
    'naive_clip_then_zero_nans': {'zero_nans': True},
}


def to_bfloat16(v):
    """Nearest bfloat16, ties to even, as float32."""
    return np.asarray(v, F32).astype(BF16).astype(F32)


def to_bfloat16_once(v):
    """Nearest bfloat16 of a float64, not by way of float32; as float64, in which products of bfloat16 are exact."""
    v = np.asarray(v, np.float64)
    quantum = np.ldexp(1.0, np.maximum(np.frexp(v)[1] - 1, -126) - 7)
    r = np.rint(v / quantum) * quantum
    return np.where(np.abs(r) >= 2.0**128, np.copysign(np.inf, r), r)


def keep(v):
    return np.asarray(v, F32)


def running(v):
    """The float32 sum of a vector in ascending order, from its first element."""
    return np.add.accumulate(v, dtype=F32)[-1]


def running_rows(v):
    """Float32 sums down the columns: whole rows are added, from the first to the last.

    Where the rows are not contiguous NumPy would add by pairs instead. Float64 rows are exact products: acc + p is
    rounded to float32 once.
    """
    if v.dtype == np.float64:
        total = np.zeros(v.shape[1], F32)
        for row in np.ascontiguousarray(v):
            total = (total + row).astype(F32)
        return total
    return np.add.reduce(np.ascontiguousarray(v), axis=0, dtype=F32)


# Cumulative sums. Every addition is rounded by q; each returns a new array.


def scan_sequential(v, q):
    if q is keep:
        return np.add.accumulate(v, dtype=F32)
    return np.add.accumulate(v.astype(BF16)).astype(F32)


def scan_stable(v, q):
    return q(np.add.accumulate(v, dtype=F32))


def scan_kahan(v, q):
    out = np.empty_like(v)
    s = c = F32(0)
    for i, x in enumerate(v):
        y = q(x - c)
        t = q(s + y)
        c = q(q(t - s) - y)
        s = t
        out[i] = s
    return out


def scan_neumaier(v, q):
    out = np.empty_like(v)
    s = c = F32(0)
    for i, x in enumerate(v):
        t = q(s + x)
        lost = q(q(s - t) + x) if abs(s) >= abs(x) else q(q(x - t) + s)
        c = q(c + lost)
        s = t
        out[i] = q(s + c)
    return out


def scan_rows16(v, q):
    if len(v) <= 16:
        return scan_sequential(v, q)
    rows = -(-len(v) // 16)
    padded = np.zeros(rows * 16, F32)
    padded[: len(v)] = v
    inner = padded.reshape(rows, 16).copy()
    for i in range(1, 16):
        inner[:, i] = q(inner[:, i - 1] + inner[:, i])
    before = np.zeros(rows, F32)
    before[1:] = scan_rows16(inner[:, 15].copy(), q)[:-1]
    return q(inner + before[:, None]).reshape(-1)[: len(v)]


def scan_assoc(v, q):
    if len(v) == 1:
        return v.copy()
    half = len(v) // 2
    odd = scan_assoc(q(v[0 : 2 * half : 2] + v[1 : 2 * half : 2]), q)
    out = np.empty_like(v)
    out[0] = v[0]
    out[1::2] = odd
    out[2::2] = q(odd[: len(out[2::2])] + v[2::2])
    return out


def scan_pair(v, q):
    if len(v) == 1:
        return v.copy()
    half = len(v) // 2
    left = scan_pair(v[:half], q)
    return np.concatenate([left, q(scan_pair(v[half:], q) + left[-1])])


SCANS = {
    'sequential': scan_sequential,
    'stable': scan_stable,
    'kahan': scan_kahan,
    'neumaier': scan_neumaier,
    'rows16': scan_rows16,
    'assoc': scan_assoc,
    'pair': scan_pair,
}


def windows(v, q):
    """XLA's tree on the CPU: windows of 32, zeros on both sides, every addition rounded, until one is left."""
    while len(v) > 32:
        padding = -len(v) % 32
        padded = np.zeros(len(v) + padding, F32)
        padded[padding // 2 : padding // 2 + len(v)] = v
        table = padded.reshape(-1, 32).T.copy()
        total = table[0]
        for row in table[1:]:
            total = q(total + row)
        v = total
    total = F32(0)
    for x in v:
        total = q(total + x)
    return total


class Model:
    """Loss and gradients of one sequence for parameters in float32."""

    def __init__(self, length, form='factorized', cumsum='sequential', keep=False, f32=False, broadcast='float32', exact=False):
        self.n = length
        self.form = form
        # Products of bfloat16 fit float32 unless they are subnormal there: `exact` keeps those whole too.
        self.q = globals()['keep'] if f32 else to_bfloat16_once if exact else to_bfloat16
        # What is kept wider than the model: the sums and the exponents.
        self.ql = globals()['keep'] if keep else self.q
        self.kept = keep
        self.scan = SCANS[cumsum]
        self.lower = np.tril(np.ones((length, length), bool))
        self.strict = np.tril(np.ones((length, length), bool), -1)
        q = self.q
        self.red = (lambda v: windows(v, q)) if broadcast == 'windows' else (lambda v: q(running(v)))

    def exp(self, v):
        return self.q(np.exp(np.asarray(v, np.float64)).astype(F32))

    def cumsum(self, v):
        if not self.kept:
            return self.scan(v, self.q)
        return np.add.accumulate(v, dtype=F32)

    def reversed_cumsum(self, v):
        return self.scan(v[::-1], self.q)[::-1]

    def run(self, params, g, x, y):
        q = self.q
        P = {k: q(v) for k, v in zip(KEYS, params)}
        s = {'c': P['c'], 'b': P['b']}
        z = q(q(g * P['dt_gap']) + P['dt_bias'])
        e = self.exp(-np.abs(z))
        dt = q(np.maximum(z, F32(0)) + q(np.log1p(e.astype(np.float64)).astype(F32)))
        ea = self.exp(P['a_log'])
        A = -ea
        forward, backward = {
            'factorized': (self.factorized, self.factorized_back),
            'clamp': (self.factorized, self.factorized_back),
        }.get(self.form, (self.pairwise, self.pairwise_back))
        S, cs = forward(A, dt, s)
        yh = q(running_rows((S * x).T))
        rr = q(yh - y)
        loss = F32(running(rr * rr) * F32(1 / self.n))
        gy = q(keep(rr * F32(2 / self.n)))
        gS = np.where(self.lower, q(gy[:, None] * x), F32(0))
        gA, gdt, gb, gc = backward(A, dt, s, gS)
        d = q(z - dt)
        gz = q(gdt * self.exp(d))
        grads = np.array([q(-gA * ea), gb, gc, self.red(gz), self.red(q(gz * g))], F32)
        return loss, grads, dt, cs, A

    def factorized(self, A, dt, s):
        q, ql = self.q, self.ql
        cs = self.cumsum(dt)
        D = ql(A * cs)
        m = np.max(-D)
        u = ql(D + m)
        w = ql(-D - m)
        if self.form == 'clamp':
            s['open'] = ~(u >= F32(80))
            u = np.minimum(u, F32(80))
        s['eu'] = self.exp(u)
        s['ew'] = self.exp(w)
        s['Ch'] = q(s['c'] * s['eu'])
        s['db'] = q(dt * s['b'])
        s['Bh'] = q(s['db'] * s['ew'])
        s['cs'] = cs
        return np.where(self.lower, q(s['Ch'][:, None] * s['Bh']), F32(0)), cs

    def factorized_back(self, A, dt, s, gS):
        q, ql, red = self.q, self.ql, self.red
        gCh = q(running_rows((gS * s['Bh']).T))
        gBh = q(running_rows(s['Ch'][:, None] * gS))
        gc = red(q(gCh * s['eu']))
        gu = ql(q(gCh * s['c']) * s['eu'])
        if self.form == 'clamp':
            gu = np.where(s['open'], gu, F32(0))
        gdb = q(gBh * s['ew'])
        gD = ql(gu - ql(q(gBh * s['db']) * s['ew']))
        gb = red(q(gdb * dt))
        gcs = q(gD * A)
        gA = red(ql(gD * s['cs']))
        gdt = q(q(gdb * s['b']) + self.reversed_cumsum(gcs))
        return gA, gdt, gb, gc

    def pairwise(self, A, dt, s):
        q = self.q
        cs = self.cumsum(dt)
        s['db'] = q(dt * s['b'])
        s['cb'] = q(s['c'] * s['db'])
        if self.form == 'segsum':
            a = q(A * dt)
            steps = np.where(self.strict, a[:, None], F32(0))
            if q is keep:
                D = np.add.accumulate(steps, axis=0, dtype=F32)
            else:
                D = np.add.accumulate(steps.astype(BF16), axis=0).astype(F32)
        else:
            s['dd'] = q(cs[:, None] - cs)
            D = q(A * s['dd'])
        if self.form == 'mask_after':
            s['E'] = self.exp(D)
            S = q(q(s['E'] * s['cb']) * self.lower.astype(F32))
        else:
            s['E'] = self.exp(np.where(self.lower, D, NEGATIVE_INFINITY))
            S = np.where(self.lower, q(s['E'] * s['cb']), F32(0))
        s['cs'] = cs
        return S, cs

    def pairwise_back(self, A, dt, s, gS):
        q, red = self.q, self.red
        gcb = q(running_rows(q(gS * s['E'])))
        gD = q(q(gS * s['cb']) * s['E'])
        gc = red(q(gcb * s['db']))
        gdb = q(gcb * s['c'])
        gb = red(q(gdb * dt))
        gdt = q(gdb * s['b'])
        if self.form == 'segsum':
            up = gD[::-1]
            up = np.add.accumulate(up if q is keep else up.astype(BF16), axis=0).astype(F32)[::-1]
            ga = q(running_rows(np.where(self.strict, up, F32(0)).T))
            return red(q(ga * dt)), q(gdt + q(ga * A)), gb, gc
        gdd = q(gD * A)
        gA = q(running(running_rows(q(gD * s['dd']).T)))
        gcs = q(q(running_rows(gdd.T)) - q(running_rows(gdd)))
        return gA, q(gdt + self.reversed_cumsum(gcs)), gb, gc


class Adamw:
    """clip_by_global_norm(1), zero_nans or not, adamw: float32, one rounding an operation."""

    def __init__(self, lr, zero_nans=False):
        self.zero_nans = zero_nans
        self.m = np.zeros(5, F32)
        self.v = np.zeros(5, F32)
        self.b1, self.b2 = F32(0.9), F32(0.95)
        self.c1, self.c2 = F32(1 - 0.9), F32(1 - 0.95)
        self.eps, self.wd, self.rate = F32(1e-8), F32(1e-4), F32(-lr)

    def step(self, t, p, g):
        n = np.sqrt(running(g * g))
        if not n < 1:
            g = g / n
        if self.zero_nans:
            g = np.where(np.isnan(g), F32(0), g)
        self.m = self.c1 * g + self.b1 * self.m
        self.v = self.c2 * (g * g) + self.b2 * self.v
        bc1 = F32(1) - F32(float(self.b1) ** t)
        bc2 = F32(1) - F32(float(self.b2) ** t)
        u = (self.m / bc1) / (np.sqrt(self.v / bc2) + self.eps)
        return n, p + self.rate * (u + self.wd * p)


def train(codes, length, init, *, steps=5000, lr=2.75e-4, zero_nans=False, gap=True, stop=True, **options):
    """Yields the facts of every step as a dictionary; ends behind the first step that is not finite where `stop`."""
    x, y = codes.view(BF16).astype(F32).reshape(2, -1, length)
    g = np.zeros(length, F32)
    g[0] = 1 if gap else 0
    model = Model(length, **options)
    p = np.asarray(init, F32)
    optimizer = Adamw(lr, zero_nans)
    with np.errstate(all='ignore'):
        for t in range(1, steps + 1):
            row = (t - 1) % len(x)
            loss, grads, dt, cs, A = model.run(p, g, x[row], y[row])
            norm, after = optimizer.step(t, p, grads)
            finite = bool(np.isfinite(loss) and np.isfinite(grads).all())
            yield dict(step=t, params=p, grads=grads, norm=norm, loss=loss, dt=dt, cs=cs, A=A, after=after, finite=finite)
            if stop and not finite:
                return
            p = after


def initial(a=7.0, dt=0.03, gap=16.0):
    """The parameters before the first step: A = -a, every step dt, the first one gap (none: no gap parameter)."""
    bias = np.log(np.expm1(dt))
    return [np.log(a), 1, 1, bias, np.log(np.expm1(gap)) - bias if gap else 0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('codes', type=Path)
    parser.add_argument('--length', type=int, default=128)
    parser.add_argument('--variant', choices=VARIANTS, default='naive')
    parser.add_argument('--steps', type=int, default=5000)
    parser.add_argument('--lr', type=float, default=2.75e-4)
    given = parser.parse_args()
    codes = np.frombuffer(given.codes.read_bytes(), '<u2').astype(np.uint16)
    options = VARIANTS[given.variant]
    began = time.perf_counter()
    run = list(
        train(codes, given.length, initial(), steps=given.steps, lr=given.lr, stop=not options.get('zero_nans'), **options)
    )
    seconds = time.perf_counter() - began
    bad = next((r['step'] for r in run if not r['finite']), None)
    bits = [f'{int(r["loss"].view(np.uint32)):08x}' for r in run]
    print(json.dumps({'firstNonFiniteStep': bad, 'steps': len(run), 'seconds': seconds, 'lossBits': bits}))


if __name__ == '__main__':
    main()
