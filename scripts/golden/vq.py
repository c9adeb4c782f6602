"""Computes the answer keys of test/golden/vq anew from their operands, in NumPy, and writes them where all agree.

    python scripts/golden/vq.py            writes them in place
    python scripts/golden/vq.py --check    compares bytes with the stored ones instead, exit 1 if any differ

Operands, seeds' draws and sizes come from the stored keys. Codes, and every column in float32 or bfloat16, have to come out as
stored; float64 columns within the slack of the key, and are kept. scripts/golden/vq/peers.py asks scikit-learn, faiss and
vector-quantize-pytorch the same.
"""

import json

import ml_dtypes
import numpy as np
from support.checks import expect
from support.columnfile import STORED, run, write_text
from support.storedkey import StoredKey, double

bf16, F, D = ml_dtypes.bfloat16, np.float32, np.float64


class Key(StoredKey):
    def __init__(self, name):
        super().__init__('vq', name)


def squared(x, c):
    """Squared distances in float64, a running sum."""
    total = np.zeros((len(x), len(c)))
    for j in range(x.shape[1]):
        total += (x[:, j, None].astype(D) - c[None, :, j].astype(D)) ** 2
    return total


def unit(x):
    norm = np.sqrt((x**2).sum(1, keepdims=True))
    return x / np.where(norm == 0, 1, norm)


def assign(out):
    key = Key('assign')
    for case in key.facts['cases']:
        n = case['name']
        x, c = key[f'{n}_x'], key[f'{n}_c']
        sq, dots, cos = squared(x, c), x @ c.T, unit(x) @ unit(c).T
        lengths = np.linalg.norm(x, axis=1)[:, None], np.linalg.norm(c, axis=1)[None]
        key.near(f'{n}_sq', sq, size=(lengths[0] + lengths[1]) ** 2)
        key.near(f'{n}_dots', dots, size=lengths[0] * lengths[1])
        key.near(f'{n}_cos', cos, size=1)
        key.same(f'{n}_euclidean', sq.argmin(1))
        # Sums of another order move last bits, which are ties in small whole numbers: the stored sums decide.
        key.same(f'{n}_dot', key[f'{n}_dots'].argmax(1))
        key.same(f'{n}_cosine', key[f'{n}_cos'].argmax(1))
    key.write(out)


def lloyd(x, centroids, iterations, weights=None):
    """Codes, centroids and inertia of every step; an empty cluster keeps its centroid."""
    w = np.ones(len(x)) if weights is None else weights
    for _ in range(iterations):
        sq = squared(x, centroids)
        codes = sq.argmin(1)
        inertia = (w * sq[np.arange(len(x)), codes]).sum()
        centroids = centroids.copy()
        for k in set(codes):
            mine = codes == k
            centroids[k] = (w[mine, None] * x[mine]).sum(0) / w[mine].sum()
        yield codes, centroids, inertia


def kmeans(out):
    key = Key('kmeans')
    for case in key.facts['cases']:
        n = case['name']
        x = key[f'{n}_x']
        w = key[f'{n}_weights'] if case['weighted'] else np.ones(len(x))
        steps = list(lloyd(x, key[f'{n}_init'], case['iterations'], w))
        key.same(f'{n}_codes', [codes for codes, _, _ in steps])
        key.near(f'{n}_centroids', [centroids for _, centroids, _ in steps])
        key.near(f'{n}_inertia', [inertia for _, _, inertia in steps])
        sq = squared(x, steps[-1][1])
        key.same(f'{n}_final_codes', sq.argmin(1))
        final = double(case['finalInertia'])
        expect(abs((w * sq.min(1)).sum() - final) <= 1e-12 * final, f'inertia of {n}')
    key.write(out)


def kmeanspp(out):
    key = Key('kmeanspp')
    for case in key.facts['cases']:
        n, k = case['name'], case['k']
        x, u = key[f'{n}_x'], key[f'{n}_u'].reshape(k - 1, -1)
        chosen = [int(double(case['first']) * len(x))]
        left = squared(x, x[chosen])[:, 0]
        potential = [left.sum()]
        for draws in u:
            sums = np.cumsum(left)
            rows = [int(np.argmax(sums > draw * sums[-1])) for draw in draws]
            tried = [np.minimum(left, squared(x, x[[row]])[:, 0]) for row in rows]
            best = int(np.argmin([one.sum() for one in tried]))
            left = tried[best]
            chosen.append(rows[best])
            potential.append(left.sum())
        key.same(f'{n}_chosen', chosen)
        key.near(f'{n}_potential', potential)
    key.write(out)


def minibatch(out):
    key = Key('minibatch')
    x, centroids = key['x'], key['init'].copy()
    counts = np.zeros(len(centroids))
    codes, all_centroids = [], []
    for rows in key['rows']:
        batch = x[rows]
        own = squared(batch, centroids).argmin(1)
        for k in set(own):
            mine = batch[own == k]
            centroids[k] = (centroids[k] * counts[k] + mine.sum(0)) / (counts[k] + len(mine))
            counts[k] += len(mine)
        codes.append(own)
        all_centroids.append(centroids.copy())
    key.same('codes', codes)
    key.near('centroids', all_centroids)
    key.same('counts', counts)
    key.write(out)


def running(terms, accumulate):
    """The sum along the last axis, every product and every step rounded."""
    total = np.zeros(terms.shape[:-1], accumulate)
    for j in range(terms.shape[-1]):
        total = (total + terms[..., j].astype(accumulate)).astype(accumulate)
    return total


def low_distances(name, x, c):
    """Distances as one of the named arithmetics has them; x and c in the dtype of its results."""
    form = next(f for f in ('direct', 'expanded', 'no-x2', 'centred') if name.startswith(f))
    result, accumulate = {'f32': (F, F), 'bf16-f32': (bf16, F), 'bf16': (bf16, bf16)}[name[len(form) + 1 :]]
    o = lambda v: np.asarray(v).astype(result)  # noqa: E731
    dot = lambda a, b: o(running((a.astype(D) * b.astype(D)).astype(F if accumulate == F else bf16), accumulate))  # noqa: E731
    if form == 'direct':
        t = o(x[:, None].astype(D) - c[None].astype(D))
        return dot(t, t)
    if form == 'centred':
        mean = o(c.astype(D).mean(0))
        x, c = o(x.astype(D) - mean.astype(D)), o(c.astype(D) - mean.astype(D))
    xc, c2 = dot(x[:, None], c[None]), dot(c, c)
    twice = o(2 * xc.astype(D))
    if form == 'no-x2':
        return o(c2[None].astype(D) - twice.astype(D))
    return o(o(dot(x, x)[:, None].astype(D) - twice.astype(D)).astype(D) + c2[None].astype(D))


def misassign(out):
    key = Key('misassign')
    for case in key.facts['cases']:
        n = case['name']
        x, c = key[f'{n}_x'], key[f'{n}_c']
        exact = squared(x, c).argmin(1)
        key.same(f'{n}_exact', exact)
        for name in key.facts['arithmetics']:
            like = F if name.endswith('-f32') and 'bf16' not in name else bf16
            codes = low_distances(name, x.astype(like), c.astype(like)).astype(F).argmin(1)
            key.same(f'{n}_{name}', codes)
            expect((codes != exact).sum() == case['wrong'][name], f'wrong codes of {n} {name}')
    key.write(out)


def ema_step(x, state, dtype, decay, eps):
    size, average, codebook = state
    r = lambda v: np.asarray(v, D).astype(dtype).astype(D)  # noqa: E731
    codes = squared(x, codebook).argmin(1)
    count, total = np.zeros(len(size)), np.zeros_like(average)
    for row, k in zip(x, codes):
        count[k], total[k] = r(count[k] + 1), r(total[k] + row)
    move = r(1 - decay)
    size = r(size + r(move * r(count - size)))
    average = r(average + r(move * r(total - average)))
    n = 0.0
    for one in size:
        n = r(n + one)
    s = r(r(r(size + r(eps)) / r(n + r(len(size) * eps))) * n)
    return codes, (size, average, r(average / s[:, None]))


def ema(out):
    key = Key('ema')
    batches = key['batches'].astype(D)
    for case in key.facts['runs']:
        n, dtype = case['name'], {'float64': D, 'float32': F, 'bfloat16': bf16}[case['dtype']]
        r = lambda v: np.asarray(v, D).astype(dtype).astype(D)  # noqa: E731, B023
        codebook = key['codebook0'].astype(D)
        size = np.full(len(codebook), float(r(case['size0'])))
        state = (size, r(codebook * size[0]), codebook)
        columns = {part: [] for part in ('codes', 'size', 'average', 'codebook')}
        for step, x in enumerate(batches):
            codes, state = ema_step(x, state, dtype, case['decay'], case['eps'])
            dead = []
            if case['deadThreshold'] is not None:
                size, average, codebook = (part.copy() for part in state)
                dead = [int(k) for k in np.flatnonzero(size < case['deadThreshold'])]
                t = r(case['deadThreshold'])
                for row, k in zip(key['replacements'][step], dead):
                    codebook[k], size[k], average[k] = x[row], t, r(x[row] * t)
                state = (size, average, codebook)
            expect(dead == case['dead'][step], f'dead codes of {n}, step {step}')
            for part, value in zip(columns, (codes, *state)):
                columns[part].append(value)
        for part, values in columns.items():
            if dtype == D and part != 'codes':
                key.near(f'{n}_{part}', values, 1e-15)
            else:
                key.same(f'{n}_{part}', values)
    key.write(out)


def packed(codes, bits):
    """The codes of each vector end to end, the lowest bit first, padded to a byte."""
    stream = (codes[..., None] >> np.arange(bits)) & 1
    return np.packbits(stream.reshape(len(codes), -1).astype(np.uint8), axis=1, bitorder='little')


def pq(out):
    key = Key('pq')
    for case in key.facts['cases']:
        n, m, d = case['name'], case['m'], case['subDim']
        x, books = key[f'{n}_x'], key[f'{n}_codebooks']
        parts = x.reshape(len(x), m, d)
        codes = np.stack([squared(parts[:, i], books[i]).argmin(1) for i in range(m)], 1)
        key.same(f'{n}_codes', codes)
        key.same(f'{n}_packed', packed(codes, case['bits']))
        tables = np.stack([squared(parts[:3, i], books[i]) for i in range(m)], 1)
        key.near(f'{n}_adc', sum(tables[:, i][:, codes[:, i]] for i in range(m)))
        decoded = np.stack([books[i][codes[:, i]] for i in range(m)], 1).reshape(x.shape)
        expect(abs(((x.astype(D) - decoded) ** 2).mean() - double(case['mse'])) < 1e-12, f'error of {n}')
    train = key.facts['train']
    m, d, x = train['m'], train['subDim'], key['train_x'].astype(D)

    def fitted(rows, books):
        made = [list(lloyd(rows[:, i * d : (i + 1) * d], books[i], train['iterations']))[-1][1] for i in range(m)]
        codes = np.stack([squared(rows[:, i * d : (i + 1) * d], made[i]).argmin(1) for i in range(m)], 1)
        return np.stack(made), codes, np.concatenate([made[i][codes[:, i]] for i in range(m)], 1)

    rows = x[key['train_rows']]
    books, codes, decoded = fitted(x, [rows[:, i * d : (i + 1) * d] for i in range(m)])
    key.near('train_codebooks', books, 1e-9)
    key.same('train_codes', codes)
    u, _, vt = np.linalg.svd(x.T @ decoded)
    key.near('opq_rotation', u @ vt, 1e-9)
    books, codes, _ = fitted(x @ (u @ vt), books)
    key.near('opq_codebooks', books, 1e-9)
    key.same('opq_codes', codes)
    key.write(out)


def rvq(out):
    key = Key('rvq')
    runs = {'f64': D, 'f32': F, 'direct-bf16': bf16, 'expanded-bf16-f32': bf16, 'expanded-bf16': bf16}
    for n, dtype in runs.items():
        left, total = key['x'].astype(dtype), np.zeros(key['x'].shape, dtype)
        codes, residuals = [], []
        for book in key['codebooks']:
            book = book.astype(dtype)
            name = 'direct-f32' if n == 'f32' else n
            sq = squared(left, book) if n == 'f64' else low_distances(name, left, book).astype(F)
            code = sq.argmin(1)
            left = (left.astype(D) - book[code].astype(D)).astype(dtype)
            total = (total.astype(D) + book[code].astype(D)).astype(dtype)
            codes.append(code)
            residuals.append(left)
        key.same(f'{n}_codes', np.stack(codes, 1))
        key.same(f'{n}_residuals', np.stack(residuals))
        key.same(f'{n}_sum', total)
    key.write(out)


def fsq(out):
    key = Key('fsq')
    for case in key.facts['cases']:
        n, levels = case['name'], np.array(case['levels'])
        z = key[f'{n}_z'].astype(D)
        basis = np.concatenate([[1], np.cumprod(levels)[:-1]])
        half, offset, width = (levels - 1) * 1.001 / 2, np.where(levels % 2 == 0, 0.5, 0), levels // 2
        digits = np.rint(np.tanh(z + np.arctanh(offset / half)) * half - offset) + width
        key.same(f'{n}_digits', digits)
        key.same(f'{n}_index', digits @ basis)
        key.near(f'{n}_value', (digits - width) / width, 2**-52)
        digits = np.floor((levels - 1) * (np.tanh(z) + 1) / 2 + 0.5)
        key.same(f'{n}_sym_digits', digits)
        key.same(f'{n}_sym_index', digits @ basis)
        key.near(f'{n}_sym_value', 2 * digits / (levels - 1) - 1, 2**-52)
        r = lambda v: np.asarray(v, D).astype(bf16).astype(D)  # noqa: E731
        every = np.arange(case['size'])[:, None] // basis % levels
        back = r(r(r((every - width) / width) * width) + width)
        key.same(f'{n}_bf16_index', r(running(r(back * r(basis)), F)))
    for dim in (6, 10):
        z = key[f'lfq{dim}_z'].astype(D)
        key.same(f'lfq{dim}_index', (z > 0) @ (1 << np.arange(dim)[::-1]))
        signs = (np.arange(2**dim)[:, None] >> np.arange(dim)[::-1] & 1) * 2 - 1
        for b, suffix in ((100, ''), (1, 'At1')):
            scores = 2 * b * (z @ signs.T)
            p = np.exp(scores - scores.max(1, keepdims=True))
            p /= p.sum(1, keepdims=True)
            entropy = lambda q: -(q * np.log(np.maximum(q, 1e-5))).sum(-1)  # noqa: E731
            facts = key.facts[f'lfq{dim}']
            expect(abs(entropy(p).mean() - facts[f'sampleEntropy{suffix}']) < 1e-12, 'entropy of a vector')
            expect(abs(entropy(p.mean(0)) - facts[f'codebookEntropy{suffix}']) < 1e-12, 'entropy of the codebook')
    key.write(out)


def gradients(out):
    key = Key('gradients')
    x, book, g = (key[name].astype(D) for name in ('x', 'codebook', 'upstream'))
    codes = squared(x, book).argmin(1)
    e = book[codes]
    key.same('codes', codes)
    mean = ((x - e) ** 2).mean()
    expect(abs(key.facts['beta'] * mean - double(key.facts['commitment'])) < 1e-12, 'commitment')
    expect(abs(mean - double(key.facts['codebookLoss'])) < 1e-12, 'codebook loss')
    key.near('commitment_grad_x', key.facts['beta'] * 2 * (x - e) / x.size)
    into = np.zeros_like(book)
    np.add.at(into, codes, 2 * (e - x) / x.size)
    key.near('codebook_grad', into)
    key.near('straight_through_grad_x', g)
    u, v = unit(x), unit(e)
    w = unit(u + v)
    s = np.linalg.norm(e, axis=1, keepdims=True) / np.linalg.norm(x, axis=1, keepdims=True)
    dot = lambda a, b: (a * b).sum(1, keepdims=True)  # noqa: E731
    key.near('rotation_output', s * (x - 2 * dot(x, w) * w + 2 * dot(x, u) * v))
    key.near('rotation_grad_x', s * (g - 2 * dot(g, w) * w + 2 * dot(g, v) * u))
    key.write(out)


def metrics(out):
    text = (STORED / 'vq/metrics.json').read_text()
    facts = json.loads(text)
    for one in facts['usage']:
        counts = np.bincount(one['codes'], minlength=one['k'])
        p = counts[counts > 0] / counts.sum()
        entropy = -(p * np.log2(p)).sum()
        expect(counts == one['counts'], 'counts')
        expect(abs(entropy - one['entropyBits']) < 1e-12, 'entropy')
        expect(abs(2**entropy - one['perplexity']) < 1e-10, 'perplexity')
        expect((len(p), len(p) / one['k']) == (one['used'], one['usage']), 'usage')
    for one in facts['bits']:
        codes = -(-one['values'] // one['dim']) * one['codebooks'] * int(np.ceil(np.log2(one['codebookSize'])))
        tables = 1 if one['valuesPerTable'] is None else -(-one['values'] // one['valuesPerTable'])
        table = tables * one['codebooks'] * one['codebookSize'] * one['dim'] * one['entryBits']
        expect((codes, table) == (one['codeBits'], one['tableBits']), one['note'])
        expect((codes + table) / one['values'] == one['bitsPerValue'], one['note'])
    write_text(out, 'vq/metrics.json', text)


if __name__ == '__main__':
    run([assign, kmeans, kmeanspp, minibatch, misassign, ema, pq, rvq, fsq, gradients, metrics])
