"""Keys of test/golden/planning that libtpu answers without a TPU: topologies, and the bytes of arrays in HBM.

    .venv/bin/pip install libtpu==0.0.51          # 600 MB, so not among requirements.txt
    .venv/bin/python scripts/golden/planning_libtpu.py

Without libtpu the keys stay as they are, and run.sh lists them as written by nothing.

`topologies.json` and `layout.json`: their questions are given (the first program asked them), their answers are computed
anew here. `layout_more.json`: shapes drawn here (seed 17) on five generations, as one row each to keep it small:
[chip, dtype, shape, bytes, minor to major].
"""

import importlib.util
import json
import os
import random
import sys
from pathlib import Path

if importlib.util.find_spec('libtpu') is None:
    print('planning_libtpu.py: libtpu is not installed, the keys stay as they are')
    sys.exit(0)
os.environ['JAX_PLATFORMS'] = 'cpu'
os.environ['TPU_SKIP_MDS_QUERY'] = '1'
os.environ['TPU_WORKER_HOSTNAMES'] = 'localhost'
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import topologies

FOLDER = Path(__file__).resolve().parents[2] / 'test' / 'golden' / 'planning'
ONE = {'v4': 'v4:2x2x1', 'v5e': 'v5e:2x2', 'v5p': 'v5p:2x2x1', 'v6e': 'v6e:2x2', 'tpu7x': 'tpu7x:2x2x1'}


def described(name):
    """A topology; v4 with megacore, as Cloud has it."""
    config = {'chip_config_name': 'megacore'} if name.startswith('v4') else {}
    return topologies.get_topology_desc(platform='tpu', topology_name=name, **config)


def layout(topology, shape, dtype):
    """Bytes, minor-to-major order and tile of an array that a compiled program takes, in the order the compiler picks."""
    mesh = jax.sharding.Mesh(np.array(topology.devices[:1]), ('x',))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    argument = jax.ShapeDtypeStruct(shape, jnp.dtype(dtype), sharding=sharding)
    asked = jax.jit(lambda x: x, in_shardings=sharding)
    compiled = asked.lower(argument).compile()
    chosen = compiled.input_formats[0][0].layout
    order = [int(i) for i in reversed(chosen.major_to_minor)]
    tile = ''.join('(' + ','.join(str(n) for n in part) + ')' for part in chosen.tiling)
    return compiled.memory_analysis().argument_size_in_bytes, order, tile


def topology_row(row):
    """What libtpu builds of a topology, or its error."""
    name = row['topology']
    try:
        devices = described(name).devices
    except Exception as error:
        return {'topology': name, 'error': row['error'] if row['error'].split(':')[0] in str(error) else str(error)}
    chips = len({tuple(device.coords) for device in devices})
    hosts = len({device.process_index for device in devices})
    per = len(devices) // chips
    return {'topology': name, 'chips': chips, 'jax_devices': len(devices), 'devices_per_chip': per, 'hosts': hosts,
            'device_kind': devices[0].device_kind}


def drawn(count, seed=17):
    """Shapes of rank 1 to 4 around the edges of tiles."""
    random.seed(seed)
    edges = [1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 63, 64, 65, 96, 100, 127, 128, 129, 200, 255, 256, 257, 300, 512, 1000, 1025]
    dtypes = ['float32', 'bfloat16', 'int8', 'float8_e5m2', 'int32', 'float16', 'uint8']
    for i in range(count):
        rank = random.choice([1, 2, 2, 2, 3, 3, 4])
        shape = [random.choice(edges) for _ in range(rank)]
        while np.prod(shape) > 2 ** 24:
            shape[shape.index(max(shape))] = random.choice(edges[:12])
        yield list(ONE)[i % len(ONE)], random.choice(dtypes), shape


def write(name, text):
    (FOLDER / name).write_text(text)


if __name__ == '__main__':
    made = {name: described(topology) for name, topology in ONE.items()}
    stored = json.loads((FOLDER / 'topologies.json').read_text())
    wrong = [row['topology'] for row in stored['slices'] if topology_row(row) != row]
    assert not wrong, wrong
    print(f"topologies.json: {len(stored['slices'])} rows as libtpu builds them")
    keys = json.loads((FOLDER / 'layout.json').read_text())['cases']
    for key in keys:
        size, order, tile = layout(made[key['chip']], tuple(key['shape']), key['dtype'])
        assert (size, order) == (key['bytes'], key['minor_to_major']), (key, size, order, tile)
    print(f'layout.json: {len(keys)} rows as libtpu compiles them')
    rows = []
    for chip, dtype, shape in drawn(500):
        size, order, _ = layout(made[chip], tuple(shape), dtype)
        rows.append(json.dumps([chip, dtype, shape, size, order]))
    about = json.dumps({'made_with': f'jax {jax.__version__} and libtpu 0.0.51, compile only, seed 17', 'columns': ['chip', 'dtype', 'shape', 'bytes', 'minor_to_major']})
    write('layout_more.json', about[:-1] + ', "cases": [\n' + ',\n'.join(rows) + '\n]}\n')
    print(f'layout_more.json: {len(rows)} rows')
