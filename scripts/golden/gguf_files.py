"""Regenerates test/golden/files/small.gguf and its JSON: a GGUF file that gguf-py wrote, and what gguf-py reads in it.

    python scripts/golden/gguf_files.py            writes them in place
    python scripts/golden/gguf_files.py --check    compares bytes with the stored ones instead, exit 1 if any differ

Made with gguf 0.19.0: metadata of every type, and a tensor of each type that it quantises or that random bytes stand for.
"""

import json
import zlib

import numpy as np
from gguf import GGUFReader, GGUFWriter, quants
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFValueType
from support.columnfile import run, write_text

np.seterr(all='ignore')
BYTES = 'Q2_K Q3_K Q4_K Q5_K Q6_K IQ4_NL IQ4_XS TQ2_0'.split()


def files(out):
    rng = np.random.default_rng(5)
    path = out / 'files' / 'small.gguf'
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = GGUFWriter(path, 'llama')
    writer.add_name('small')
    writer.add_uint8('k.u8', 200)
    writer.add_int8('k.i8', -100)
    writer.add_uint16('k.u16', 60000)
    writer.add_int16('k.i16', -30000)
    writer.add_uint32('k.u32', 4000000000)
    writer.add_int32('k.i32', -2000000000)
    writer.add_float32('k.f32', 0.1)
    writer.add_bool('k.bool', True)
    writer.add_string('k.text', 'é\n')
    writer.add_uint64('k.u64', 2**63 + 1)
    writer.add_int64('k.i64', -5)
    writer.add_float64('k.f64', 0.1)
    writer.add_array('k.words', ['a', '', 'ü'])
    writer.add_key_value('k.numbers', [1, 2, 3], GGUFValueType.ARRAY, sub_type=GGUFValueType.INT16)
    weights = (rng.standard_normal((3, 64)) / 4).astype(np.float32)
    writer.add_tensor('f32', weights)
    writer.add_tensor('f16', weights.astype(np.float16))
    writer.add_tensor('f64', weights.astype(np.float64))
    writer.add_tensor('i32', np.arange(6, dtype=np.int32).reshape(1, 2, 3))
    writer.add_tensor('i8', np.arange(-3, 3, dtype=np.int8))
    for name in ('BF16', 'Q4_0', 'Q4_1', 'Q5_0', 'Q5_1', 'Q8_0', 'MXFP4'):
        kind = GGMLQuantizationType[name]
        writer.add_tensor(name.lower(), quants.quantize(weights, kind), raw_dtype=kind)
    for name in BYTES:
        kind = GGMLQuantizationType[name]
        data = rng.integers(0, 256, (2, GGML_QUANT_SIZES[kind][1]), dtype=np.uint8)
        writer.add_tensor(name.lower(), data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()

    reader = GGUFReader(path)
    tensors = {}
    for t in reader.tensors:
        values = t.data if t.tensor_type.name in ('I8', 'I32', 'F64') else quants.dequantize(t.data, t.tensor_type)
        values = np.ascontiguousarray(values)
        words = values.copy()
        if values.dtype == np.float32:
            words = values.view(np.uint32).copy()
            words[np.isnan(values)] = 0x7FC00000
        tensors[t.name] = {
            'type': t.tensor_type.name,
            'shape': [int(n) for n in reversed(t.shape)],
            'bytes': int(t.n_bytes),
            'crc': zlib.crc32(words.tobytes()),
        }
    write_text(out, 'files/small.gguf.json', json.dumps(tensors, indent=1) + '\n')


run([files])
