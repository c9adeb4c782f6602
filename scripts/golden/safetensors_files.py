"""Regenerates test/golden/files: safetensors files written by Python's safetensors, and its verdict on hostile ones.

    python scripts/golden/safetensors_files.py            writes them in place
    python scripts/golden/safetensors_files.py --check    compares bytes with the stored ones instead, exit 1 if any differ

Bit patterns are listed here or come from NumPy and ml_dtypes. `*.safetensors` are the package's own bytes; beside
each, `*.json` says what is in it: dtype, shape and the bits of every element as hexadecimal numbers. hostile.json has
whole files in hexadecimal, with what the package says of them: null where it takes them.
"""

import json
import re
import struct

import ml_dtypes
import numpy as np
from safetensors import deserialize, serialize
from support.columnfile import run

FLOATS = [0, -0.0, 1, -1, 0.1, 1e-3, 3, 448, 2**-9, float('inf'), float('-inf'), float('nan')]


def floats(dtype, *codes):
    """FLOATS cast to the dtype, then bare codes: subnormals, NaN payloads, both signs."""
    values = np.array(FLOATS, np.float64).astype(dtype)
    width = f'u{values.dtype.itemsize}'
    return np.concatenate([values.view(width), np.array(codes, width)]).view(dtype)


def e8m0(*codes):
    return np.array(codes, np.uint8).view(ml_dtypes.float8_e8m0fnu)


# Every dtype of the format that has one element per place, under the names of NumPy and ml_dtypes.
DTYPES = {
    'float64': floats(np.float64, 1, 0x7FF0000000000001, 0xFFF8000000000123, 0x800FFFFFFFFFFFFF),
    'float32': floats(np.float32, 1, 0x7F800001, 0xFFC12345, 0x807FFFFF),
    'bfloat16': floats(ml_dtypes.bfloat16, 1, 0x7F81, 0xFFC5, 0x807F),
    'float16': floats(np.float16, 1, 0x7C01, 0xFE23, 0x83FF),
    'float8_e4m3fn': floats(ml_dtypes.float8_e4m3fn, 1, 0x7F, 0xFF, 0x87),
    'float8_e5m2': floats(ml_dtypes.float8_e5m2, 1, 0x7D, 0xFE, 0x83),
    'float8_e8m0fnu': e8m0(0, 1, 127, 128, 254, 255),
    'int32': np.array([0, 1, -1, 2**31 - 1, -(2**31)], np.int32),
    'uint32': np.array([0, 1, 2**31, 2**32 - 1], np.uint32),
    'bool': np.array([True, False, False, True]),
}
# What the package has and tpu-toolkit has not, as the package spells it.
FOREIGN = {
    'int64': np.array([1, -1], np.int64),
    'uint64': np.array([2**64 - 1], np.uint64),
    'int16': np.array([-2], np.int16),
    'uint16': np.array([2**16 - 1], np.uint16),
    'int8': np.array([-3], np.int8),
    'uint8': np.array([200, 201], np.uint8),
}


def bits(array):
    """The elements' bits, each a number of its full width in hexadecimal."""
    width = f'u{array.dtype.itemsize}'
    return np.ascontiguousarray(array).reshape(-1).view(width).astype(f'>{width}').tobytes().hex()


def entry(array, dtype=None):
    return {'dtype': dtype or array.dtype.name, 'shape': list(array.shape), 'data': array.tobytes()}


def describe(arrays):
    return {k: {'dtype': a.dtype.name, 'shape': list(a.shape), 'hex': bits(a)} for k, a in arrays.items()}


def write(folder, name, arrays, metadata=None, described=None):
    (folder / f'{name}.safetensors').write_bytes(serialize({k: entry(a) for k, a in arrays.items()}, metadata))
    facts = {'metadata': metadata or {}, 'tensors': described or describe(arrays)}
    (folder / f'{name}.json').write_text(json.dumps(facts, indent=1) + '\n')


def network():
    """A network's parameters under the names that Python's frameworks use, every kind of shape."""
    rng = np.random.default_rng(5)
    arrays = {}
    for layer in range(11):
        kernel = rng.standard_normal((2, 3)).astype(ml_dtypes.bfloat16)
        arrays[f'layers.{layer}.kernel'] = kernel
        arrays[f'layers.{layer}.bias'] = rng.standard_normal(3).astype(np.float32)
    arrays['step'] = np.array(2750, np.int32)
    arrays['empty'] = np.zeros((2, 0, 3), np.float32)
    arrays['mask'] = np.array([[True], [False]])
    arrays['\u0441\u043b\u043e\u0439 "1"\\\n'] = np.array([0.5])
    # By UTF-8 bytes the first comes first, by UTF-16 units the second.
    arrays['\uff5e'] = np.array([1.0])
    arrays['\U0001f600'] = np.array([2.0])
    return arrays


def file(header, data=b''):
    header = header if isinstance(header, bytes) else header.encode()
    return struct.pack('<Q', len(header)) + header + data


def record(shape, start, end, dtype='F32', extra=''):
    return f'{{{extra}"dtype":"{dtype}","shape":{shape},"data_offsets":[{start},{end}]}}'


def hostile():
    one = record([1], 0, 4)
    four, eight = bytes(4), bytes(8)
    return {
        'no bytes': b'',
        'seven bytes': bytes(7),
        'no header': bytes(8),
        'header longer than the file': struct.pack('<Q', 100) + b'{}',
        'header of 2^63 bytes': struct.pack('<Q', 2**63) + b'{}',
        'header of 2^64 - 1 bytes': struct.pack('<Q', 2**64 - 1) + b'{}',
        'header just over the limit': struct.pack('<Q', 100_000_001) + b'{}',
        'not JSON': file('{"a":'),
        'not an object': file('[]'),
        'null': file('null'),
        'not UTF-8': file(b'{"\xff":' + one.encode() + b'}', four),
        'byte order mark': file('\ufeff{}'),
        'bytes after the JSON': file('{}\0\0\0\0\0\0'),
        'deep nesting': file('[' * 1000),
        'deep nesting in a tensor': file('{"a":' + '[' * 200 + ']' * 200 + '}'),
        'half of a surrogate pair in a name': file(f'{{"\\ud800":{one}}}', four),
        'half of a surrogate pair in metadata': file('{"__metadata__":{"a":"\\udc00"}}'),
        'metadata of numbers': file('{"__metadata__":{"a":1}}'),
        'metadata is a list': file('{"__metadata__":[]}'),
        'name twice': file(f'{{"a":{one},"a":{one}}}', four),
        'name twice, escaped once': file(f'{{"a":{one},"\\u0061":{one}}}', four),
        'field twice': file('{"a":' + record([1], 0, 4, extra='"dtype":"F32",') + '}', four),
        'metadata key twice': file('{"__metadata__":{"a":"1","a":"2"}}'),
        'tensor is a number': file('{"a":1}'),
        'tensor is a list': file('{"a":["F32",[1],[0,4]]}', four),
        'no dtype': file('{"a":{"shape":[1],"data_offsets":[0,4]}}', four),
        'no shape': file('{"a":{"dtype":"F32","data_offsets":[0,4]}}', four),
        'no offsets': file('{"a":{"dtype":"F32","shape":[1]}}', four),
        'unknown dtype': file('{"a":' + record([1], 0, 4, 'Q32') + '}', four),
        'inherited name as dtype': file('{"a":' + record([1], 0, 4, 'toString') + '}', four),
        'dtype in small letters': file('{"a":' + record([1], 0, 4, 'f32') + '}', four),
        'fraction in shape': file('{"a":' + record([1.5], 0, 6) + '}', bytes(6)),
        'float in shape': file('{"a":' + record('[1.0]', 0, 4) + '}', four),
        'exponent in shape': file('{"a":' + record('[1e0]', 0, 4) + '}', four),
        'minus zero in shape': file('{"a":' + record('[-0]', 0, 0) + '}'),
        'negative length': file('{"a":' + record([-1], 0, 4) + '}', four),
        'length above 2^64': file('{"a":' + record([2**64], 0, 4) + '}', four),
        'product above 2^64': file('{"a":' + record([2**32, 2**32], 0, 0) + '}'),
        'product above 2^64 times 0': file('{"a":' + record([2**62, 2**62, 0], 0, 0) + '}'),
        'text in shape': file('{"a":' + record('["1"]', 0, 4) + '}', four),
        'three offsets': file('{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,4]}}', four),
        'one offset': file('{"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}}', four),
        'offsets backwards': file('{"a":' + record([1], 4, 0) + '}', four),
        'shape larger than the range': file('{"a":' + record([2], 0, 4) + '}', four),
        'shape smaller than the range': file('{"a":' + record([1], 0, 8) + '}', eight),
        'wider dtype than the range': file('{"a":' + record([1], 0, 4, 'F64') + '}', four),
        'range past the end': file('{"a":' + record([2], 0, 8) + '}', four),
        'empty range past the end': file(f'{{"a":{one},"b":' + record([0], 8, 8) + '}', four),
        'same range twice': file(f'{{"a":{one},"b":{one}}}', four),
        'overlap of two bytes': file(f'{{"a":{one},"b":' + record([1], 2, 6) + '}', bytes(6)),
        'hole at the start': file('{"a":' + record([1], 4, 8) + '}', eight),
        'hole in the middle': file(f'{{"a":{one},"b":' + record([1], 8, 12) + '}', bytes(12)),
        'empty range inside another': file(f'{{"a":{one},"b":' + record([0], 2, 2) + '}', four),
        'bytes after the last tensor': file(f'{{"a":{one}}}', eight),
        'bytes without a tensor': file('{}', four),
        'half a byte': file('{"a":' + record([3], 0, 2, 'F4') + '}', bytes(2)),
        'six bits': file('{"a":' + record([1], 0, 1, 'F6_E2M3') + '}', bytes(1)),
        'bool of 2': file('{"a":' + record([1], 0, 1, 'BOOL') + '}', b'\2'),
        'fine: no tensors': file('{}'),
        'fine: spaces around the JSON': file(' {} \n'),
        'fine: metadata null': file('{"__metadata__":null}'),
        'fine: name of no characters': file(f'{{"":{one}}}', four),
        'fine: name __proto__': file(f'{{"__proto__":{one}}}', four),
        'fine: name in Cyrillic': file(f'{{"\u043a":{one}}}', four),
        'fine: not padded to 8 bytes': file(f'{{"abc":{one}}}', four),
        'fine: field of a later version': file('{"a":' + record([1], 0, 4, extra='"x":{"y":[]},') + '}', four),
        'fine: not in the order of the data': file('{"b":' + record([1], 4, 8) + f',"a":{one}}}', eight),
        'fine: empty tensors between': file(
            '{"a":' + record([0], 0, 0) + ',"b":' + record([0], 0, 0) + f',"c":{one},"d":' + record([2, 0], 4, 4) + '}',
            four,
        ),
    }


def verdict(data):
    try:
        deserialize(data)
    except Exception as error:  # the package's own class of errors
        # Which of two equal ranges it names depends on a hash.
        return re.sub('tensor `.*`', 'tensor', str(error))[:100]
    return None


def files(out):
    folder = out / 'files'
    folder.mkdir(parents=True, exist_ok=True)
    write(folder, 'dtypes', DTYPES)
    write(folder, 'network', network(), {'format': 'np, "quoted"\u00e9\n'})
    write(folder, 'foreign', FOREIGN)
    # float8_e3m4 as tpu-toolkit stores it: the bits as U8, and a note of what they are.
    e3m4 = floats(ml_dtypes.float8_e3m4, 1, 0x71, 0xFE, 0x8F)
    note = {'tpu-toolkit.dtypes': '{"x":"float8_e3m4"}'}
    write(folder, 'noted', {'x': e3m4.view(np.uint8)}, note, describe({'x': e3m4}))
    cases = [{'case': k, 'hex': v.hex(), 'python': verdict(v)} for k, v in hostile().items()]
    (folder / 'hostile.json').write_text('[\n' + ',\n'.join(map(json.dumps, cases)) + '\n]\n')


if __name__ == '__main__':
    run([files])
