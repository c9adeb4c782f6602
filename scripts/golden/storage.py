"""Regenerates test/golden/storage: what gguf-py and bitsandbytes make of the bytes of their storage formats, and of numbers.

    python scripts/golden/storage.py            writes them in place
    python scripts/golden/storage.py --check    compares bytes with the stored ones instead, exit 1 if any differ

For every type of the list 20 tensors: ten of random bytes, then ten of numbers like weights. The bytes, and with them the
numbers, are made again by the tests from the xorshift32 stream of the seed in the key; the key has a CRC-32 of the float32
bits that the bytes decode to (each NaN 7fc00000) and, where there is a quantiser, of the bytes that the numbers encode to.
The first tensor of either half is stored whole.

ggml's types are those of gguf 0.19.0 (gguf.quants). NF4 and FP4 follow bitsandbytes 0.50.2: its maps, and the few
lines of its default kernels written again in NumPy, since the package needs torch.
"""

import ast
import zlib
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from gguf import quants
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType
from support.checks import expect
from support.columnfile import run, write_columns

np.seterr(all='ignore')
TYPES = 'q4_0 q4_1 q5_0 q5_1 q8_0 q2_k q3_k q4_k q5_k q6_k iq4_nl iq4_xs mxfp4 nf4 fp4'.split()
QUANTISED = 'q4_0 q4_1 q5_0 q5_1 q8_0 mxfp4 nf4 fp4'.split()
BLOCKS = 12
TENSORS = 10


# What get_4bit_type of bitsandbytes 0.50.2 has, before it divides by the largest.
TABLES = {
    'nf4': [
        -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
        -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
        0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0,
    ],
    'fp4': [0, 0.0625, 8.0, 12.0, 4.0, 6.0, 2.0, 3.0, -0, -0.0625, -8.0, -12.0, -4.0, -6.0, -2.0, -3.0],
}  # fmt: skip


def check_tables():
    """Holds the tables against the package's text, where it is installed: it needs torch, which is not asked for."""
    package = find_spec('bitsandbytes')
    if package is None:
        return
    source = Path(package.submodule_search_locations[0], 'functional.py').read_text()
    function = next(n for n in ast.walk(ast.parse(source)) if getattr(n, 'name', '') == 'get_4bit_type')
    lists = [n.value for n in ast.walk(function) if isinstance(n, ast.Assign) and isinstance(n.value, ast.List)]
    for name, table in TABLES.items():
        expect(table in [ast.literal_eval(value) for value in lists], f"{name} is bitsandbytes'")


check_tables()
MAPS = {name: np.float32(table) / np.abs(np.float32(table)).max() for name, table in TABLES.items()}


def sizes(name):
    return (64, 36) if name in MAPS else GGML_QUANT_SIZES[kind(name)]


def kind(name):
    return GGMLQuantizationType[name.upper()]


def dequantize(name, data):
    if name not in MAPS:
        return quants.dequantize(data, kind(name))
    blocks = data.reshape(-1, 36)
    amax = np.ascontiguousarray(blocks[:, :4]).view(np.float32)
    codes = np.stack([blocks[:, 4:] >> 4, blocks[:, 4:] & 15], -1).reshape(-1, 64)
    return (MAPS[name][codes] * amax).reshape(-1)


def quantize(name, values):
    if name not in MAPS:
        return quants.quantize(values, kind(name))
    table = MAPS[name]
    order = [c for c in np.argsort(table, kind='stable') if c != 8 or name != 'fp4']
    bounds = (table[order[:-1]] + table[order[1:]]) / np.float32(2)
    blocks = values.reshape(-1, 64)
    amax = np.abs(blocks).max(-1, keepdims=True)
    scaled = np.clip(blocks * (np.float32(1) / np.maximum(amax, np.float32(1e-38))), -1, 1)
    codes = np.array(order, np.uint8)[np.searchsorted(bounds, scaled, side='left')]
    packed = codes[:, ::2] << 4 | codes[:, 1::2]
    return np.concatenate([amax.view(np.uint8), packed], -1).reshape(-1)


class Stream:
    """xorshift32: s ^= s << 13; s ^= s >> 17; s ^= s << 5; the state is the word."""

    def __init__(self, seed):
        self.state = seed

    def word(self):
        s = self.state
        s ^= (s << 13) & 0xFFFFFFFF
        s ^= s >> 17
        s ^= (s << 5) & 0xFFFFFFFF
        self.state = s
        return s

    def bytes(self, n):
        return np.array([self.word() >> 24 for _ in range(n)], np.uint8)

    def weights(self, n):
        """Sums of four words, times a power of two that stays for 64 numbers: exact in float32."""
        out = []
        for i in range(n):
            if i % 64 == 0:
                power = 2.0 ** (-31 - self.word() % 12)
            total = sum(self.word() >> 12 for _ in range(4)) - 2**21
            out.append(total * power * 2.0**8)
        return np.float32(out)


def bits(values):
    words = np.ascontiguousarray(values, np.float32).view(np.uint32).copy().reshape(-1)
    words[np.isnan(values).reshape(-1)] = 0x7FC00000
    return words


def crc(array):
    return zlib.crc32(np.ascontiguousarray(array).tobytes())


def storage(out):
    key = {'blocks': BLOCKS, 'types': {}}
    columns = {}
    for place, name in enumerate(TYPES):
        block, size = sizes(name)
        stream = Stream(1000 + place)
        key['types'][name] = {'seed': 1000 + place, 'blockSize': block, 'blockBytes': size, 'bytes': [], 'numbers': []}
        for t in range(TENSORS):
            data = stream.bytes(BLOCKS * size)
            values = bits(dequantize(name, data))
            key['types'][name]['bytes'].append(crc(values))
            if t == 0:
                columns[f'{name}_decoded'] = values
        if name not in QUANTISED:
            continue
        for t in range(TENSORS):
            numbers = stream.weights(BLOCKS * block)
            if t == 1:
                numbers[: block] = 0
                numbers[block : 2 * block] = np.float32(-1.5)
            data = quantize(name, numbers)
            key['types'][name]['numbers'].append([crc(data), crc(bits(dequantize(name, data)))])
            if t == 0:
                columns[f'{name}_encoded'] = data.reshape(-1)
    write_columns(out, 'storage/storage', columns, key)


run([storage])
