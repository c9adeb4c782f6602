"""Regenerates test/golden/collectives/all_reduce.json: all-reduce by passing messages between replicas.

    python scripts/golden/collectives.py [FOLDER]        FOLDER is test/golden unless named

Every replica is an array of its own; in each step all messages are taken from the arrays as they were before it, then
delivered. Additions are float64 sums rounded to the accumulator's dtype (float32 by NumPy, narrower formats by table
search), bytes are counted message by message. At the end all replicas must hold the same bits.
ring: in step s of the first half replica r sends the chunk r - 1 - s to r + 1, which adds its own; in the second half
r - s, which is copied. tree: partial sums go from r + 2^k to r, then the total back. all-to-all: every replica sends
every other its chunk and adds what it gets in the order of the senders, itself among them.
"""

import functools
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support.lowprecision import FORMATS, encode

BYTES = {'float32': 4, 'float64': 8, 'bfloat16': 2, 'float16': 2, 'float8_e4m3fn': 1}


def rounded(values, dtype):
    values = np.asarray(values, np.float64)
    if dtype == 'float64':
        return values
    if dtype == 'float32':
        return values.astype(np.float32).astype(np.float64)
    return decoded(encode(values, FORMATS[dtype]), dtype)


def decoded(codes, dtype):
    if dtype == 'float32':
        return np.asarray(codes, np.uint32).view(np.float32).astype(np.float64)
    return table(dtype)[np.asarray(codes, np.int64)]


@functools.cache
def table(dtype):
    """The value of every code."""
    return FORMATS[dtype].values()


def bits(values, dtype):
    """Hexadecimal codes, NaN as dashes."""
    width = 2 * BYTES[dtype]
    codes = np.asarray(values, np.float64).astype(np.float32).view(np.uint32) if dtype == 'float32' else encode(
        values, FORMATS[dtype]
    )
    return ''.join('-' * width if np.isnan(v) else f'{int(c):0{width}x}' for v, c in zip(values, codes))


class Network:
    """N arrays, and the bytes that went from one to another."""

    def __init__(self, arrays, dtype, accumulate):
        self.sums = [rounded(a, accumulate).copy() for a in arrays]
        self.results = [np.full(a.size, np.nan) for a in arrays]
        self.dtype, self.accumulate, self.count = dtype, accumulate, len(arrays)
        self.links, self.steps = {}, 0
        self.n = arrays[0].size
        edges = [0]
        for part in np.array_split(np.arange(self.n), self.count):
            edges.append(edges[-1] + part.size)
        self.chunks = [slice(a, b) for a, b in zip(edges, edges[1:])]

    def carry(self, source, target, elements, width):
        self.links[source, target] = self.links.get((source, target), 0) + elements * width

    def add(self, messages):
        """Messages (from, to, part) of one step: the receiver adds them to its own."""
        self.steps += 1
        taken = [(a, b, part, self.sums[a][part].copy()) for a, b, part in messages]
        for a, b, part, values in taken:
            self.sums[b][part] = rounded(self.sums[b][part] + values, self.accumulate)
            self.carry(a, b, values.size, BYTES[self.accumulate])

    def copy(self, messages):
        self.steps += 1
        taken = [(a, b, part, self.results[a][part].copy()) for a, b, part in messages]
        for a, b, part, values in taken:
            self.results[b][part] = values
            self.carry(a, b, values.size, BYTES[self.dtype])

    def finish(self, replica, part, op):
        total = self.sums[replica][part]
        self.results[replica][part] = rounded(total / self.count if op == 'mean' else total, self.dtype)

    def ring(self, op):
        n = self.count
        for s in range(n - 1):
            self.add([(r, (r + 1) % n, self.chunks[(r - 1 - s) % n]) for r in range(n)])
        for r in range(n):
            self.finish(r, self.chunks[r], op)
        for s in range(n - 1):
            self.copy([(r, (r + 1) % n, self.chunks[(r - s) % n]) for r in range(n)])

    def tree(self, op):
        rounds, reach = [], 1
        while reach < self.count:
            rounds.append([(r, r + reach) for r in range(0, self.count - reach, 2 * reach)])
            reach *= 2
        for pairs in rounds:
            self.add([(far, near, slice(0, self.n)) for near, far in pairs])
        self.finish(0, slice(0, self.n), op)
        for pairs in reversed(rounds):
            self.copy([(near, far, slice(0, self.n)) for near, far in pairs])

    def all_to_all(self, op):
        others = [(a, b) for a in range(self.count) for b in range(self.count) if a != b]
        width = min(BYTES[self.dtype], BYTES[self.accumulate])
        for a, b in others:
            self.carry(a, b, self.sums[a][self.chunks[b]].size, width)
        inboxes = [[sums[self.chunks[b]].copy() for sums in self.sums] for b in range(self.count)]
        for b, inbox in enumerate(inboxes):
            total = inbox[0]
            for values in inbox[1:]:
                total = rounded(total + values, self.accumulate)
            self.sums[b][self.chunks[b]] = total
            self.finish(b, self.chunks[b], op)
        if others:
            self.steps += 1
            self.copy([(a, b, self.chunks[a]) for a, b in others])


def reduced(arrays, dtype, order, op, accumulate):
    network = Network(arrays, dtype, accumulate)
    getattr(network, order.replace('-', '_'))(op)
    results = [bits(values, dtype) for values in network.results]
    assert len(set(results)) == 1, (order, results)
    links = [[a, b, size] for (a, b), size in sorted(network.links.items())]
    return results[0], network.steps, links


def drawn(generator, count, n, dtype):
    """Gradients of mixed sizes: normal numbers times powers of two."""
    values = generator.standard_normal((count, n)) * 2.0 ** generator.integers(-3, 4, (count, n))
    return [rounded(row, dtype) for row in values]


SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 3.0e38, -3.0e38, 1e-40, 9.2e-41, 2.0**-133]


def cases():
    generator = np.random.default_rng(82)
    for dtype, counts, sizes, accumulators in [
        ('bfloat16', (1, 2, 3, 4, 5, 8, 13), (0, 1, 5, 16, 19), ('bfloat16', 'float32')),
        ('float16', (3, 8), (16,), ('float16', 'float32')),
        ('float8_e4m3fn', (3, 8), (16,), ('float8_e4m3fn', 'bfloat16', 'float32')),
        ('float32', (3, 8), (16,), ('bfloat16', 'float32', 'float64')),
    ]:
        for count in counts:
            for n in sizes:
                yield drawn(generator, count, n, dtype), dtype, accumulators
    for shift in range(len(SPECIAL)):
        partner = [*SPECIAL[shift:], *SPECIAL[:shift]]
        yield [rounded(row, 'bfloat16') for row in (SPECIAL, partner, SPECIAL[::-1])], 'bfloat16', ('bfloat16', 'float32')


def written(arrays, dtype, accumulators):
    results = []
    for accumulate in accumulators:
        for order in ('ring', 'tree', 'all-to-all'):
            for op in ('sum', 'mean'):
                result, steps, links = reduced(arrays, dtype, order, op, accumulate)
                one = {'order': order, 'op': op, 'accumulate': accumulate, 'result': result}
                if op == 'sum' and arrays[0].size == 19 or (op == 'sum' and dtype != 'bfloat16'):
                    one |= {'steps': steps, 'links': links}
                results.append(one)
    return {'dtype': dtype, 'replicas': [bits(a, dtype) for a in arrays], 'results': results}


with np.errstate(all='ignore'):
    KEY = [written(*case) for case in cases()]
folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / 'test' / 'golden'
(folder / 'collectives').mkdir(parents=True, exist_ok=True)
lines = ',\n'.join(json.dumps(case, separators=(',', ':')) for case in KEY)
(folder / 'collectives' / 'all_reduce.json').write_text(f'[\n{lines}\n]\n')
