"""Regenerates the answer keys of test/golden/kernels that belong to attention: attention, attention_backward and masks.

    python scripts/golden/kernels_attention.py            writes them in place
    python scripts/golden/kernels_attention.py --check    compares bytes with the stored ones instead, exit 1 if any differ

Operands, sizes and the errors that were measured come from the stored keys; every column of results is computed anew, an
operation at a time, in NumPy alone. float32 functions are those of float64 rounded once. Float64 references are compared
within 1e-13 and kept: their last digits belong to the machine that computed them.
"""

import numpy as np
from support.checks import expect
from support.columnfile import read_columns, run, write_columns

MASKED = np.float32(-0.7 * 3.4028234663852886e38)
F = np.float32
np.seterr(all='ignore')


def q(x):
    """A float64 to bfloat16 in one rounding, ties to even; kept as float32."""
    x = np.asarray(x, np.float64)
    bits = x.view(np.uint64)
    drop = np.uint64(45)
    up = np.uint64((1 << 44) - 1) + (bits >> drop & np.uint64(1))
    normal = ((bits + up) >> drop << drop).view(np.float64)
    small = np.rint(x * 2.0**133) * 2.0**-133
    return np.where(np.isfinite(x), np.where(np.abs(x) < 2.0**-126, small, normal), x).astype(F)


def f(x):
    return np.asarray(x, np.float64).astype(F)


def wide(x):
    return np.asarray(x, np.float64)


def of(function):
    return lambda x: f(function(wide(x)))


exp, exp2, log, tanh = of(np.exp), of(np.exp2), of(np.log), of(np.tanh)


def dot(a, b, exact=True):
    """a [m, k] times b [k, n]: a float32 running sum from +0 of products, exact or each rounded."""
    total = np.zeros((a.shape[0], b.shape[1]), F)
    for i in range(a.shape[1]):
        product = wide(a[:, i : i + 1]) * wide(b[i : i + 1])
        total = f(total + (product if exact else wide(f(product))))
    return total


def rowsum(x, rounding=f):
    total = np.zeros(len(x), F)
    for i in range(x.shape[1]):
        total = rounding(wide(total) + x[:, i])
    return total


def fma_minus(s, c, mc):
    """s c - mc rounded once: the exact product, what the float64 sum lost pushed into its last bit."""
    product, mc = wide(s) * wide(c), wide(mc)
    total = product - mc
    part = total - product
    lost = (product - (total - part)) + (-mc - part)
    bits = total.view(np.int64).copy()
    # Rounded to odd: towards the lost part, and there an odd last bit.
    outward = (lost > 0) == (total > 0)
    odd = np.where(bits & 1 == 1, bits, np.where(outward, bits + 1, bits - 1))
    return f(np.where((lost != 0) & np.isfinite(total), odd, bits).view(np.float64))


def from_codes(codes, shape):
    return (codes.astype(np.uint32) << 16).view(F).reshape(shape)


def codes(x):
    bits = np.where(np.isnan(x), F(np.nan), x).astype(F).view(np.uint32)
    return (bits >> 16).astype(np.uint16).ravel()


def bits32(x):
    return np.where(np.isnan(x), np.uint32(0x7FC00000), np.asarray(x, F).view(np.uint32)).ravel()


# Masks


def allowed_pairs(spec, tq, tk):
    """The dense mask of a specification."""
    i, j = np.arange(tq)[:, None], np.arange(tk)[None]
    kind = spec['kind']
    if kind == 'full':
        return np.ones((tq, tk), bool)
    if kind == 'causal':
        return i + spec['offset'] >= j
    if kind == 'window':
        at = i + spec.get('offset', 0)
        left, right = spec['left'], spec['right']
        after = np.ones((tq, tk), bool) if left is None else at - left <= j
        return after if right is None else after & (at + right >= j)
    if kind == 'chunked':
        return (i // spec['size'] == j // spec['size']) & (i >= j)
    if kind == 'prefix':
        return (j < spec['length']) | (i >= j)
    if kind == 'segments':
        ids = np.repeat(np.arange(len(spec['lengths'])), spec['lengths'])
        return ids[:tq, None] == ids[None, :tk]
    if kind == 'strided':
        return (i >= j) & ((i - j) % spec['stride'] == 0)
    if kind == 'fixed':
        stride = spec['stride']
        return (i >= j) & ((i // stride == j // stride) | (j % stride >= stride - spec['summary']))
    if kind == 'dilated':
        return (np.abs(i - j) <= spec['reach'] * spec['step']) & ((i - j) % spec['step'] == 0)
    if kind == 'globals':
        return (i < spec['count']) | (j < spec['count'])
    if kind == 'blocks':
        listed = np.zeros((-(-tq // spec['size']), -(-tk // spec['size'])), bool)
        for row, column in spec['pairs']:
            listed[row, column] = True
        return listed[i // spec['size'], j // spec['size']]
    parts = [allowed_pairs(part, tq, tk) for part in spec['of']]
    return np.logical_and.reduce(parts) if kind == 'and' else np.logical_or.reduce(parts)


def masks(out):
    _, facts = read_columns('kernels/masks')
    columns = {}
    for case in facts['cases']:
        tq, tk, bq, bk = (case[name] for name in ('tq', 'tk', 'blockQ', 'blockK'))
        dense = allowed_pairs(case['spec'], tq, tk)
        tiles = dense.reshape(tq // bq, bq, tk // bk, bk).swapaxes(1, 2)
        blocks = np.where(tiles.all((2, 3)), 2, np.where(tiles.any((2, 3)), 1, 0)).astype(np.uint8)
        columns[f'{case["case"]}_blocks'] = blocks.ravel()
        visited = blocks > 0
        counts = {
            'skipped': (blocks == 0).sum(),
            'partial': (blocks == 1).sum(),
            'full': (blocks == 2).sum(),
            'distinctPartial': len({tiles[at].tobytes() for at in zip(*np.nonzero(blocks == 1))}),
            'steps': max(1, visited.sum(1).max()),
            'stepsDkv': max(1, visited.sum(0).max()),
            'allowed': dense.sum(),
            'emptyRows': (~dense.any(1)).sum(),
            'emptyBlockRows': (~visited.any(1)).sum(),
        }
        for name, count in counts.items():
            expect(case[name] == int(count), f'{case["case"]}: {name} is {count}')
    write_columns(out, 'kernels/masks', columns, facts)


# Attention


class Problem:
    """One head of one case: its rows in blocks, and which blocks are visited."""

    def __init__(self, case, columns, head):
        name, self.case = case['case'], case
        heads, kv, tq, tk, d = (case[n] for n in ('heads', 'kvHeads', 'tq', 'tk', 'd'))
        one = head // (heads // kv)
        self.q = from_codes(columns[f'{name}_q'], (heads, tq, d))[head]
        self.k = from_codes(columns[f'{name}_k'], (kv, tk, d))[one]
        self.v = from_codes(columns[f'{name}_v'], (kv, tk, d))[one]
        self.scale, self.cap = F(case['scale']), F(case['cap']) if 'cap' in case else None
        given = case['mask']
        i, j = np.arange(tq)[:, None] + given.get('offset', 0), np.arange(tk)[None]
        static = i >= j if given.get('causal') else np.ones((tq, tk), bool)
        if 'window' in given:
            left, right = given['window']
            static = static & (j >= i - left if left is not None else True)
            static = static & (j <= i + right if right is not None else True)
        self.static = static
        self.allowed = static
        if given.get('segments'):
            ids = [columns[f'{name}_segments_{side}'] for side in ('q', 'kv')]
            self.allowed = static & (ids[0][:, None] == ids[1][None])

    def blocks(self):
        """(rows, [columns of the visited blocks])."""
        bq, bk = self.case['blockQ'], self.case['blockK']
        for r in range(0, len(self.q), bq):
            rows = slice(r, min(len(self.q), r + bq))
            cuts = [slice(c, min(len(self.k), c + bk)) for c in range(0, len(self.k), bk)]
            yield rows, [cut for cut in cuts if self.static[rows, cut].any()]


def capped(s, cap):
    return s if cap is None else f(wide(tanh(f(wide(s) / cap))) * cap)


def row_max(s, ties, rounding):
    """The largest of every row; with `ties` moved where several equal it."""
    m = s.max(1)
    if not ties:
        return m
    repeated = ((s == m[:, None]).sum(1) > 1) & np.isfinite(m)
    return np.where(repeated, np.where(m > 0, rounding(7 * wide(m)), np.minimum(m, 0) * 0), m).astype(F)


def flash2(p, probs32=False, ties=False, base=None, rounded_operands=True):
    """out before its last rounding, and lse."""
    out, lse = np.zeros(p.q.shape[:1] + p.v.shape[1:], F), np.zeros(len(p.q), F)
    c = f(wide(p.scale) * wide(f(np.log2(np.e))))
    for rows, cuts in p.blocks():
        n = rows.stop - rows.start
        m, l, acc = np.full(n, -np.inf, F), np.zeros(n, F), np.zeros((n, p.v.shape[1]), F)
        for cut in cuts:
            s = dot(p.q[rows], p.k[cut].T, rounded_operands)
            if base is None:
                s = capped(f(wide(s) * p.scale), p.cap)
            s = np.where(p.allowed[rows, cut], s, F(-np.inf))
            new = np.maximum(m, row_max(s, ties, f))
            u = np.where(np.isneginf(new), F(0), new)
            if base is None:
                prob, a = exp(f(wide(s) - u[:, None])), exp(f(wide(m) - u))
            else:
                mc = f(wide(u) * c)[:, None]
                x = fma_minus(s, c, mc) if base == 'fused' else f(wide(f(wide(s) * c)) - mc)
                prob = np.where(np.isneginf(s), F(0), exp2(x))
                a = exp2(f(wide(f(wide(m) - u)) * c))
            l = f(wide(f(wide(a) * l)) + rowsum(prob))
            exact = rounded_operands and not probs32
            w = dot(q(prob) if exact else prob, p.v[cut], exact)
            acc, m = f(wide(f(wide(a)[:, None] * acc)) + w), new
        r = np.where(l == 0, F(0), f(1 / wide(l)))
        out[rows] = f(wide(acc) * r[:, None])
        top = m if base is None else f(wide(m) * p.scale)
        lse[rows] = np.where(l == 0, F(-np.inf), f(wide(top) + log(l)))
    return out, lse


def splash(p):
    out, lse = np.zeros((len(p.q), p.v.shape[1]), F), np.zeros(len(p.q), F)
    queries = q(wide(p.q) * q(p.scale))
    for rows, cuts in p.blocks():
        n = rows.stop - rows.start
        m, l, acc = np.full(n, MASKED), np.zeros(n, F), np.zeros((n, p.v.shape[1]), F)
        for cut in cuts:
            s = np.where(p.allowed[rows, cut], capped(dot(queries[rows], p.k[cut].T), p.cap), MASKED)
            new = np.maximum(m, s.max(1))
            prob, a = exp(f(wide(s) - new[:, None])), exp(f(wide(m) - new))
            l = f(wide(rowsum(prob)) + f(wide(a) * l))
            acc, m = f(wide(f(wide(a)[:, None] * acc)) + dot(prob, p.v[cut], False)), new
        out[rows] = f(wide(acc) * f(1 / wide(l))[:, None])
        lse[rows] = f(wide(log(l)) + m)
    return out, lse


def pallas(p):
    """out before its last rounding, m and l."""
    out = np.zeros((len(p.q), p.v.shape[1]), F)
    tops, sums = np.zeros(len(p.q), F), np.zeros(len(p.q), F)
    single = p.case['blockK'] >= len(p.k)
    for rows, cuts in p.blocks():
        n = rows.stop - rows.start
        m, l, acc = np.full(n, -np.inf, F), np.zeros(n, F), np.zeros((n, p.v.shape[1]), F)
        for cut in cuts:
            s = f(wide(dot(p.q[rows], p.k[cut].T)) * p.scale)
            s = f(wide(s) + np.where(p.allowed[rows, cut], 0, wide(MASKED)))
            new = np.maximum(m, s.max(1))
            prob, a = exp(f(wide(s) - new[:, None])), exp(f(wide(m) - new))
            if single:
                l = rowsum(prob)
                acc = dot(q(f(wide(prob) / l[:, None])), p.v[cut])
            else:
                corrected = f(wide(a) * l)
                l = f(wide(rowsum(prob)) + corrected)
                r = np.where(l == 0, F(1), f(1 / wide(l)))
                kept = f(wide(acc) * f(wide(corrected) * r)[:, None])
                acc = f(wide(kept) + f(wide(dot(q(prob), p.v[cut])) * r[:, None]))
            m = new
        out[rows], tops[rows], sums[rows] = acc, m, l
    return out, tops, sums


def bfloat16_logits(p, rows, cut):
    s = q(wide(q(dot(p.q[rows], p.k[cut].T))) * q(p.scale))
    if p.cap is not None:
        s = q(wide(q(np.tanh(wide(q(wide(s) / q(p.cap)))))) * q(p.cap))
    return np.where(p.allowed[rows, cut], s, F(-np.inf))


def bfloat16(p, sums=False, ties=False):
    out, lse = np.zeros((len(p.q), p.v.shape[1]), F), np.zeros(len(p.q), F)
    for rows, cuts in p.blocks():
        n = rows.stop - rows.start
        m, l, acc = np.full(n, -np.inf, F), np.zeros(n, F), np.zeros((n, p.v.shape[1]), F)
        for cut in cuts:
            s = bfloat16_logits(p, rows, cut)
            new = np.maximum(m, row_max(s, ties, q))
            u = np.where(np.isneginf(new), F(0), new)
            prob = q(np.exp(wide(q(wide(s) - u[:, None]))))
            a = q(np.exp(wide(q(wide(m) - u))))
            added = q(rowsum(prob, q if sums else f))
            l = q(wide(q(wide(a) * l)) + added)
            w = q(dot(prob, p.v[cut]))
            acc, m = q(wide(q(wide(a)[:, None] * acc)) + w), new
        out[rows] = np.where(l[:, None] == 0, F(0), q(wide(acc) / l[:, None]))
        lse[rows] = q(wide(m) + q(np.log(wide(l))))
    return out, lse


def softmax(p, bits):
    every = slice(0, len(p.k))
    rows = slice(0, len(p.q))
    if bits == 16:
        s = bfloat16_logits(p, rows, every)
    else:
        s = capped(f(wide(dot(p.q, p.k.T)) * p.scale), p.cap)
        s = np.where(p.allowed, s, F(-np.inf))
    m = s.max(1)
    u = np.where(np.isneginf(m), F(0), m)[:, None]
    e = q(np.exp(wide(q(wide(s) - u)))) if bits == 16 else exp(f(wide(s) - u))
    l = rowsum(e, q if bits == 16 else f)[:, None]
    divided = wide(e) / np.where(l == 0, 1, wide(l))
    return dot(q(divided) if bits == 16 else q(f(divided)), p.v)


def exact(p):
    """In float64: probabilities, output, lse."""
    s = wide(p.q) @ wide(p.k).T * float(p.scale)
    if p.cap is not None:
        s = np.tanh(s / float(p.cap)) * float(p.cap)
    s = np.where(p.allowed, s, -np.inf)
    m = s.max(1)
    e = np.exp(s - np.where(np.isneginf(m), 0, m)[:, None])
    l = e.sum(1)
    prob = e / np.where(l == 0, 1, l)[:, None]
    return prob, prob @ wide(p.v), np.where(l == 0, -np.inf, np.where(np.isneginf(m), 0, m) + np.log(l))


def results(p):
    """Every column of one head: a name and its bits."""

    def form(name, out32, **others):
        given = {f'{name}': codes(q(out32)), f'{name}_out32': bits32(out32)}
        return given | {f'{name}_{suffix}': bits32(x) for suffix, x in others.items()}

    def with_lse(name, pair):
        return form(name, pair[0], lse=pair[1])

    out, top, total = pallas(p)
    _, reference, lse = exact(p)
    return {
        **with_lse('flash2', flash2(p)),
        **with_lse('flash2_probs32', flash2(p, probs32=True)),
        **with_lse('flash2_ties', flash2(p, ties=True)),
        **with_lse('flash2_probs32_ties', flash2(p, probs32=True, ties=True)),
        **with_lse('flash2_base2', flash2(p, base='fused')),
        **with_lse('flash2_base2_unfused', flash2(p, base='unfused')),
        **with_lse('splash', splash(p)),
        **form('pallas', out, max=top, sum=total),
        **with_lse('bfloat16', bfloat16(p)),
        **with_lse('bfloat16_sums', bfloat16(p, sums=True)),
        **with_lse('bfloat16_ties', bfloat16(p, ties=True)),
        **form('softmax32', softmax(p, 32)),
        **form('softmax16', softmax(p, 16)),
        'float32': bits32(flash2(p, rounded_operands=False)[0]),
        'exact_f32': bits32(f(reference)),
        'exact_lse_f32': bits32(f(lse)),
    }


OPERANDS = ('q', 'k', 'v', 'do', 'segments_q', 'segments_kv')


def attention(out):
    given, facts = read_columns('kernels/attention')
    columns = {}
    for case in facts['cases']:
        name = case['case']
        heads = [results(Problem(case, given, head)) for head in range(case['heads'])]
        for column in (c for c in given if c.startswith(f'{name}_')):
            what = column[len(name) + 1 :]
            columns[column] = given[column] if what in OPERANDS else np.concatenate([h[what] for h in heads])
    write_columns(out, 'kernels/attention', columns, facts)


def backward_head(p, g, delta_of):
    """dq, dk and dv of one query head as float32 totals of blocks, and delta; dk and dv as lists of what is added."""
    out32, lse = flash2(p)
    deltas = rowsum(f(wide(q(out32) if delta_of == 'out' else out32) * g))

    def block(rows, cut):
        s = f(wide(dot(p.q[rows], p.k[cut].T)) * p.scale)
        prob = np.where(p.allowed[rows, cut], exp(f(wide(s) - lse[rows, None])), F(0))
        return prob, dot(g[rows], p.v[cut].T)

    if delta_of == 'probs':
        for rows, cuts in p.blocks():
            terms = [f(wide(prob) * dp) for prob, dp in (block(rows, cut) for cut in cuts)]
            deltas[rows] = rowsum(np.concatenate(terms, 1)) if terms else 0
    dq, added = np.zeros_like(p.q), []
    for rows, cuts in p.blocks():
        for cut in cuts:
            prob, dp = block(rows, cut)
            ds = q(f(wide(f(wide(f(wide(dp) - deltas[rows, None])) * prob)) * p.scale))
            added.append((cut, dot(ds.T, p.q[rows]), dot(q(prob).T, g[rows])))
            dq[rows] = f(wide(dq[rows]) + dot(ds, p.k[cut]))
    return dq, added, deltas


def kernel_columns(case, given):
    name, heads, group = case['case'], case['heads'], case['heads'] // case['kvHeads']
    g = from_codes(given[f'{name}_do'], (heads, case['tq'], case['d']))
    problems = [Problem(case, given, head) for head in range(heads)]
    outs = [flash2(p) for p in problems]
    made = {'out': codes(q([o for o, _ in outs])), 'lse': bits32(np.array([lse for _, lse in outs]))}
    for which in ('out', 'out32', 'probs'):
        dq, deltas = [], []
        dk = np.zeros((case['kvHeads'], case['tk'], case['d']), F)
        dv = np.zeros_like(dk)
        for head, p in enumerate(problems):
            one, added, delta = backward_head(p, g[head], which)
            for cut, k, v in added:
                dk[head // group, cut] = f(wide(dk[head // group, cut]) + k)
                dv[head // group, cut] = f(wide(dv[head // group, cut]) + v)
            dq.append(one)
            deltas.append(delta)
        made |= {f'dq_{which}': codes(q(dq)), f'dk_{which}': codes(q(dk)), 'dv': codes(q(dv))}
        made[f'delta_{which}'] = bits32(np.array(deltas))
    return made


def references(case, given):
    """Gradients in float64, by the chain rule of softmax."""
    name, heads, kv = case['case'], case['heads'], case['kvHeads']
    g = wide(from_codes(given[f'{name}_do'], (heads, case['tq'], case['d'])))
    made = {key: [] for key in ('dq', 'out', 'lse')}
    dk = np.zeros((kv, case['tk'], case['d']))
    dv = np.zeros_like(dk)
    for head in range(heads):
        p = Problem(case, given, head)
        prob, out, lse = exact(p)
        dp = g[head] @ wide(p.v).T
        ds = prob * (dp - (prob * dp).sum(1, keepdims=True))
        if p.cap is not None:
            ds *= 1 - np.tanh(wide(p.q) @ wide(p.k).T * float(p.scale) / float(p.cap)) ** 2
        made['dq'].append(ds @ wide(p.k) * float(p.scale))
        dk[head // (heads // kv)] += ds.T @ wide(p.q) * float(p.scale)
        dv[head // (heads // kv)] += prob.T @ g[head]
        made['out'].append(out)
        made['lse'].append(lse)
    return {f'{key}_f64': np.ravel(x) for key, x in (made | {'dk': dk, 'dv': dv}).items()}


def backward(out):
    given, facts = read_columns('kernels/attention_backward')
    columns = {}
    for case in facts['cases']:
        name = case['case']
        made = {} if 'cap' in case else kernel_columns(case, given)
        for what, computed in references(case, given).items():
            kept = given[f'{name}_{what}']
            stored = kept.view(np.float64)
            slack = 1e-13 * max(1, np.abs(computed[np.isfinite(computed)]).max())
            near = (computed == stored) | (np.abs(computed - stored) <= slack)
            expect(near, f'{name}_{what} is within 1e-13 of the stored one')
            made[what] = kept
        for column in (c for c in given if c.startswith(f'{name}_')):
            what = column[len(name) + 1 :]
            columns[column] = given[column] if what in OPERANDS else made[what]
    write_columns(out, 'kernels/attention_backward', columns, facts)


run([masks, attention, backward])
