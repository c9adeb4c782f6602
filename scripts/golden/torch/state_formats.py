"""Regenerates test/golden/storage/blockwise: what bitsandbytes and torchao make of numbers that they store in blocks.

    python scripts/golden/torch/state_formats.py            writes it in place
    python scripts/golden/torch/state_formats.py --check    compares bytes with the stored one instead, exit 1 if it differs

Needs the packages of requirements.txt beside this file, on an x86-64 CPU. Quantisers that run here: bitsandbytes 0.50.2's
default kernel (plain torch, the rule of its GPU kernels) and its native CPU kernel, torchao 0.18.0's of optim/quant_utils.py
and optim/subclass_fp8.py. A test makes the 2^20 numbers of each again from `words`, and compares the CRC-32 of codes, scales
and values; `edges` holds the numbers of the maps, the bounds between them, and their neighbours, whole.
"""

import inspect
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bitsandbytes.backends.default.ops as default_ops
import bitsandbytes.functional as bnb
import numpy as np
import torch
from support.columnfile import run, write_columns
from torchao.optim import quant_utils, subclass_4bit
from torchao.optim.subclass_fp8 import quantize_fp8

COUNT = 2**20
FORMATS = ['bitsandbytes-8bit', 'bitsandbytes-cpu-8bit', 'torchao-8bit', 'torchao-4bit', 'torchao-fp8']


def words(n, salt):
    """A hash of 0 .. n-1, uint32."""
    h = np.arange(n, dtype=np.uint32) * np.uint32(0x9E3779B1) + np.uint32(salt)
    h = (h ^ (h >> 16)) * np.uint32(0x7FEB352D)
    h = (h ^ (h >> 15)) * np.uint32(0x846CA68B)
    return h ^ (h >> 16)


def numbers(n, salt, signed):
    """float32 with magnitudes over 30 binades, every other one near the top; each 128 of them at a height of their own."""
    h, e = words(n, salt), words(n, salt + 1)
    height = np.repeat(words((n + 127) // 128, salt + 2) % 20, 128)[:n]
    exponent = np.where(e & 1, 97 + (e >> 1) % 31, 124 + (e >> 1) % 4) + height - 10
    bits = (h & np.uint32(0x807FFFFF if signed else 0x7FFFFF)) | (exponent.astype(np.uint32) << 23)
    return bits.view(np.float32)


def default_kernel():
    """bitsandbytes' quantiser in plain torch, which is registered without a name."""
    source = inspect.getsource(default_ops)
    start = source.index('@register_kernel("bitsandbytes::quantize_blockwise"')
    text = source[start : source.index('\n\n\n', start)].split('\n', 1)[1]
    space = {'torch': torch}
    exec(text.replace('def _(', 'def kernel('), space)
    return space['kernel']


KERNEL = default_kernel()


def map_of(name, signed):
    if name == 'torchao-fp8':
        return None
    if name == 'torchao-4bit':
        return torch.tensor(subclass_4bit.get_qmap_signed() if signed else subclass_4bit.get_qmap_unsigned())
    made = bnb.create_dynamic_map(signed=signed)
    assert torch.equal(made, torch.tensor(quant_utils.create_dynamic_map(signed=signed)))
    return made


def quantised(name, signed, x, block):
    """Codes a byte a number (before packing), scales, values."""
    t, qmap = torch.from_numpy(x), map_of(name, signed)
    if name.startswith('bitsandbytes'):
        if name == 'bitsandbytes-8bit':
            codes, scales = KERNEL(t, qmap, block)
        else:
            codes, state = bnb.quantize_blockwise(t, code=qmap, blocksize=block)
            scales = state.absmax
        values = default_ops._dequantize_blockwise_compute(codes.reshape(-1), scales, qmap, block, torch.float32)
        return codes.numpy(), scales.numpy(), values.numpy()
    if name == 'torchao-fp8':
        codes, scales = quantize_fp8(t, block)
        values = (codes.float().view(-1, block) * scales.view(-1, 1)).view(-1)
        return codes.view(torch.uint8).numpy(), scales.numpy(), values.numpy()
    scaled, scales = quant_utils.scale_tensor(t, block)
    find = quant_utils.quantize_4bit_with_qmap if name == 'torchao-4bit' else quant_utils.quantize_8bit_with_qmap
    codes = find(scaled, qmap)
    values = quant_utils.dequant_with_qmap(codes, qmap, scales)
    if name == 'torchao-4bit':
        return ((codes[::2] << 4) | codes[1::2]).numpy(), scales.numpy(), values.numpy()
    return codes.numpy(), scales.numpy(), values.numpy()


def edges(qmap, block):
    """The numbers of a map, the bounds between them and the neighbours of both, in blocks that end with a 1."""
    m = np.linspace(0, 1, 33, dtype=np.float32) if qmap is None else qmap.numpy()
    bounds = ((m[1:].astype(np.float64) + m[:-1]) / 2).astype(np.float32)
    both = np.concatenate([m, bounds, np.float32([-1, -0.9965, 0, -0.0, 1e-7, -1e-7, 1e-30, 1e-42])])
    near = [both, np.nextafter(both, np.float32(2)), np.nextafter(both, np.float32(-2))]
    x = np.clip(np.concatenate(near), -1 if (m < 0).any() else 0, 1).astype(np.float32)
    x = np.concatenate([x, np.zeros(-len(x) % (block - 1), np.float32)])
    return np.concatenate([x.reshape(-1, block - 1), np.ones((len(x) // (block - 1), 1), np.float32)], axis=1).reshape(-1)


def crc(array):
    return zlib.crc32(np.ascontiguousarray(array).tobytes())


def bits(values):
    """Bit patterns; zeros have no sign."""
    return (values + np.float32(0)).view(np.uint32)


def blockwise(out):
    columns, facts = {}, {'count': COUNT, 'formats': {}}
    for signed in (True, False):
        for name, key in (('bitsandbytes-8bit', 'map8'), ('torchao-4bit', 'map4')):
            columns[f'{key} {signed}'] = map_of(name, signed).numpy().view(np.uint32)
    for n, name in enumerate(FORMATS):
        for signed in (True, False):
            block = 128 if name == 'torchao-4bit' else 256
            salt = 1000 * (2 * n + signed) + 7
            x = numbers(COUNT, salt, signed)
            codes, scales, values = quantised(name, signed, x, block)
            row = {'salt': salt, 'block': block, 'codes': crc(codes), 'scales': crc(scales), 'values': crc(bits(values))}
            # What is not a whole number of blocks is for bitsandbytes alone.
            if name.startswith('bitsandbytes'):
                codes, scales, values = quantised(name, signed, x[: 3 * block + 77].copy(), block)
                row['short'] = {'codes': crc(codes), 'scales': crc(scales), 'values': crc(bits(values))}
            facts['formats'][f'{name} {signed}'] = row
            e = edges(map_of(name, signed), block)
            codes, scales, _ = quantised(name, signed, e, block)
            columns[f'{name} {signed} edges'] = e.view(np.uint32)
            columns[f'{name} {signed} edge codes'] = codes
    special = [
        [0.0], [np.nan, 1, 2, 0.5], [np.inf, 1, -2, 0.5], [1e-45, 0, 2e-45, -1e-45], [1e-38, 1e-39, 0, -0.0], [3e38, -3e38, 1e37, 1],
    ]  # fmt: skip
    for name in FORMATS:
        block = 128 if name == 'torchao-4bit' else 256
        x = np.zeros((len(special), block), np.float32)
        for row, given in zip(x, special):
            row[: len(given)] = given
        codes, scales, _ = quantised(name, True, x.reshape(-1), block)
        columns[f'{name} special'] = x.reshape(-1).view(np.uint32)
        columns[f'{name} special codes'] = codes
        columns[f'{name} special scales'] = scales.view(np.uint32)
    write_columns(out, 'storage/blockwise', columns, facts)


if __name__ == '__main__':
    run([blockwise])
