"""Regenerates test/golden/collectives (all_reduce.json, nccl.json): all-reduce by passing messages between replicas.

    python scripts/golden/collectives.py [FOLDER]        FOLDER is test/golden unless named

Every replica is an array of its own; in each step all messages are taken from the arrays as they were before it, then
delivered. Additions are float64 sums rounded to the accumulator's dtype (float32 by NumPy, narrower formats by table
search), bytes are counted message by message. At the end all replicas must hold the same bits.
ring: in step s of the first half replica r sends the chunk r - 1 - s to r + 1, which adds its own; in the second half
r - s, which is copied. tree: partial sums go from r + 2^k to r, then the total back. all-to-all: every replica sends
every other its chunk and adds what it gets in the order of the senders, itself among them.

nccl.json: the loops that NCCL's ranks run (src/device/all_reduce.h), written as what each rank sends in each step, and
its trees by the bits of the ranks (src/graph/trees.cc, connect.cc), described here again and not copied.
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


class Nccl:
    """Ranks that run NCCL's loops: every rank has its own elements, and mailboxes for what the others send it."""

    def __init__(self, arrays, dtype, op):
        factor = 1.0
        if op == 'mean':
            factor = rounded([1 / len(arrays)], 'float32')[0] if dtype != 'float64' else 1 / len(arrays)
            factor = rounded([factor], dtype)[0]
        self.own = [rounded(a * factor, dtype) if op == 'mean' else a for a in arrays]
        self.dtype, self.count, self.n = dtype, len(arrays), arrays[0].size
        self.result = [np.full(self.n, np.nan) for _ in arrays]

    def parts(self, channels, cell):
        """Elements of each channel: so many whole cells, the last one what is left."""
        width = BYTES[self.dtype]
        cells = -(-self.n * width // cell)
        each = -(-cells // channels) * (cell // width)
        edges = [min(self.n, i * each) for i in range(channels + 1)]
        return [(i, edges[i], edges[i + 1]) for i in range(channels) if edges[i] < edges[i + 1]]

    def ring(self, channels, cell, chunk_bytes, rings):
        width, n = BYTES[self.dtype], self.count
        for channel, start, end in self.parts(channels, cell):
            ring = rings[channel % len(rings)]
            at = {rank: (ring.index(rank) - ring.index(0)) % n for rank in ring}
            following = {rank: ring[(ring.index(rank) + 1) % n] for rank in ring}
            chunk, loop = chunk_bytes // width, start
            while loop < end:
                left = end - loop
                if left < n * chunk:
                    chunk = -(-(-(-left // n)) * width // 16) * 16 // width
                part = lambda c: slice(min(end, loop + c % n * chunk), min(end, loop + c % n * chunk + chunk))
                mail = {following[r]: self.own[r][part(at[r] + n - 1)] for r in ring}
                for j in range(2, n):
                    mail = {
                        following[r]: rounded(mail[r] + self.own[r][part(at[r] + n - j)], self.dtype) for r in ring
                    }
                for r in ring:
                    total = mail[r] + self.own[r][part(at[r])] if n > 1 else self.own[r][part(at[r])]
                    for other in range(n):
                        self.result[other][part(at[r])] = rounded(total, self.dtype)
                loop += n * chunk

    def tree(self, channels, cell, per_node, pattern):
        nodes = self.count // per_node

        def parent(node):
            """By the lowest bit that is set; None of the root, node 0."""
            if node == 0:
                return None
            bit = node & -node
            up = (node ^ bit) | (bit << 1)
            return up if up < nodes else node ^ bit

        def name(node, second):
            if not second:
                return node
            return nodes - 1 - node if nodes % 2 == 0 else (node + 1) % nodes

        for channel, start, end in self.parts(channels, cell):
            second = channel >= channels // 2
            down = {rank: [] for rank in range(self.count)}
            up = {}
            for node in range(nodes):
                for i in range(1, per_node):
                    down[name(node, second) * per_node + i - 1].append(name(node, second) * per_node + i)
                    up[name(node, second) * per_node + i] = name(node, second) * per_node + i - 1
            first_child = {'tree': 0, 'balanced': 1, 'split': 1}[pattern]
            second_child = {'tree': 0, 'balanced': 0, 'split': 1}[pattern]
            for is_higher in (False, True):
                for node in range(nodes):
                    above = parent(node)
                    if above is None or (node > above) != is_higher:
                        continue
                    holder = name(above, second) * per_node + (second_child if is_higher else first_child)
                    head = name(node, second) * per_node
                    down[holder].append(head)
                    up[head] = holder
            sums = {}
            waiting = list(range(self.count))
            while waiting:
                rank = waiting.pop(0)
                if not all(child in sums for child in down[rank]):
                    waiting.append(rank)
                    continue
                total = self.own[rank][start:end]
                for child in down[rank]:
                    total = rounded(total + sums[child], self.dtype)
                sums[rank] = total
            root = next(rank for rank in range(self.count) if rank not in up)
            for other in range(self.count):
                self.result[other][start:end] = sums[root]

    def bits(self):
        found = {bits(values, self.dtype) for values in self.result}
        assert len(found) == 1
        return found.pop()


def nccl_cases():
    generator = np.random.default_rng(34)
    for dtype, counts, sizes in [
        ('bfloat16', (1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 16, 24), (1, 8, 37, 150)),
        ('float16', (4, 7), (60,)),
        ('float32', (4, 7), (60,)),
    ]:
        for count in counts:
            for n in sizes:
                arrays = drawn(generator, count, n, dtype)
                results = []
                for op in ('sum', 'mean') if n == sizes[-1] else ('sum',):
                    for channels, cell, chunk in ((1, 16, 16), (2, 16, 32), (3, 32, 2**21), (1, 16, 2**21)):
                        rings = [list(range(count))]
                        if channels == 3:
                            rings = [[int(r) for r in generator.permutation(count)] for _ in range(2)]
                        run = Nccl(arrays, dtype, op)
                        run.ring(channels, cell, chunk, rings)
                        how = {'order': 'nccl-ring', 'op': op, 'channels': channels, 'cellBytes': cell}
                        results.append({'options': {**how, 'chunkBytes': chunk, 'rings': rings}, 'result': run.bits()})
                    for per_node in (1, 2, 4, 8):
                        if count % per_node:
                            continue
                        for pattern in ('tree',) if per_node == 1 else ('tree', 'balanced', 'split'):
                            channels = 2 if pattern != 'split' else 4
                            run = Nccl(arrays, dtype, op)
                            run.tree(channels, 16, per_node, pattern)
                            how = {'order': 'nccl-tree', 'op': op, 'channels': channels, 'cellBytes': 16}
                            results.append({'options': {**how, 'perNode': per_node, 'pattern': pattern}, 'result': run.bits()})
                yield {'dtype': dtype, 'replicas': [bits(a, dtype) for a in arrays], 'results': results}


with np.errstate(all='ignore'):
    KEY = [written(*case) for case in cases()]
    NCCL_KEY = list(nccl_cases())
folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / 'test' / 'golden'
(folder / 'collectives').mkdir(parents=True, exist_ok=True)
lines = ',\n'.join(json.dumps(case, separators=(',', ':')) for case in KEY)
(folder / 'collectives' / 'all_reduce.json').write_text(f'[\n{lines}\n]\n')
lines = ',\n'.join(json.dumps(case, separators=(',', ':')) for case in NCCL_KEY)
(folder / 'collectives' / 'nccl.json').write_text(f'[\n{lines}\n]\n')
