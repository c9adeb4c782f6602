"""Regenerates test/golden/planning/sharding.json, and mesh_order_more.json, with jax on fake devices.

    python scripts/golden/planning_sharding.py [FOLDER]        FOLDER is test/golden unless named

sharding.json: the questions (mesh, spec, shape) are read from the stored key; every answer is computed anew, and an index
formula written here is asserted on each device. mesh_order_more.json: create_device_mesh on devices that have nothing but
coordinates and a kind, in the order of jax.devices() (hosts by z, y, x, then z, y, x, core within each). Answers are
stored as the sha256 of the lines "x y z core" in mesh order.
"""

import hashlib
import itertools
import json
import math
import os
import sys
from pathlib import Path

os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=384'
import jax
import numpy as np
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / 'test' / 'golden'

WHY = {
    'mesh': 'the device array has not one dimension per axis name',
    'duplicate': 'an axis name is used more than once in the spec',
    'unknown': 'the spec names an axis the mesh does not have',
    'indivisible': 'a dimension is not divisible by the product of the mesh axes that split it',
    'longer': 'the spec has more entries than the array has dimensions',
    'repeated': 'the mesh repeats an axis name (jax accepts the mesh and fails here; refuse the mesh)',
}


def refused(error, stage, why):
    return {'error': type(error).__name__, 'value_error': isinstance(error, ValueError), 'stage': stage, 'why': WHY[why]}


def answer(case):
    ids = np.array(case['devices'] if 'devices' in case else np.arange(math.prod(case['mesh'])).reshape(case['mesh']))
    every = np.array(jax.devices(), dtype=object)
    try:
        mesh = Mesh(every[ids], tuple(case['axes']))
    except Exception as error:
        return refused(error, 'mesh', 'mesh')
    spec = PartitionSpec(*(tuple(entry) if isinstance(entry, list) else entry for entry in case['spec']))
    try:
        sharding = NamedSharding(mesh, spec)
    except Exception as error:
        return refused(error, 'sharding', 'unknown' if isinstance(error, ValueError) else 'duplicate')
    shape = tuple(case['shape'])
    try:
        shard_shape = sharding.shard_shape(shape)
        indices = sharding.devices_indices_map(shape)
    except Exception as error:
        repeated = len(set(case['axes'])) < len(case['axes'])
        longer = len(case['spec']) > len(shape)
        return refused(error, 'shape', 'repeated' if repeated else 'longer' if longer else 'indivisible')
    rows = {}
    for device, index in indices.items():
        rows[device.id] = [bound for d, part in enumerate(index) for bound in part.indices(shape[d])[:2]]
        place = [int(i) for i in np.argwhere(ids == device.id)[0]]
        assert rows[device.id] == by_formula(case, place), (case, device)
    distinct = len({tuple(row) for row in rows.values()})
    device_put = None
    try:
        jax.device_put(np.zeros(shape, np.float32), sharding)
    except Exception as error:
        device_put = type(error).__name__
    return {
        'shard_shape': list(shard_shape),
        'distinct_shards': distinct,
        'replicas': len(rows) // distinct,
        'fully_replicated': sharding.is_fully_replicated,
        **({'device_put': device_put} if device_put else {}),
        'slices': [rows[i] for i in sorted(rows)],
        'device_ids': sorted(rows),
    }


def by_formula(case, place):
    """What a device at that place of the mesh holds: part i of p of a dimension d is [i d / p, (i + 1) d / p)."""
    row = []
    for d, size in enumerate(case['shape']):
        entry = case['spec'][d] if d < len(case['spec']) else None
        names = entry if isinstance(entry, list) else [] if entry is None else [entry]
        index, parts = 0, 1
        for name in names:
            axis = case['axes'].index(name)
            index = index * case['mesh'][axis] + place[axis]
            parts *= case['mesh'][axis]
        row += [index * size // parts, (index + 1) * size // parts]
    return row


class Fake:
    """As much of a TPU device as create_device_mesh looks at."""

    platform = 'tpu'

    def __init__(self, kind, coords, core):
        self.device_kind, self.coords, self.core_on_chip = kind, coords, core


def by_rows(x, y, z):
    return itertools.product(range(z), range(y), range(x))


def devices_of(kind, topology, cores, host):
    x, y, z = topology
    hx, hy = min(host[0], x), min(host[1], y)
    return [
        Fake(kind, (bx * hx + dx, by * hy + dy, bz), core)
        for bz, by, bx in by_rows(x // hx, y // hy, z)
        for dy in range(hy)
        for dx in range(hx)
        for core in range(cores)
    ]


CHIPS = {
    'v2': ('TPU v2', 2, [(2, 2, 1), (4, 4, 1), (16, 16, 1)]),
    'v3': ('TPU v3', 2, [(2, 2, 1), (4, 4, 1), (4, 8, 1), (32, 32, 1)]),
    'v4': ('TPU v4', 1, [(2, 2, 1), (2, 2, 2), (2, 2, 4), (2, 4, 4), (4, 4, 4), (4, 4, 8), (4, 8, 8), (8, 8, 12)]),
    'v5e': ('TPU v5 lite', 1, [(1, 1, 1), (2, 2, 1), (2, 4, 1), (4, 4, 1), (4, 8, 1), (8, 8, 1), (8, 16, 1), (16, 16, 1)]),
    'v5p': ('TPU v5', 1, [(2, 2, 1), (2, 2, 2), (2, 2, 4), (2, 4, 4), (4, 4, 4), (4, 4, 8), (4, 8, 12), (8, 8, 8), (4, 4, 20)]),
    'v6e': ('TPU v6 lite', 1, [(1, 1, 1), (2, 2, 1), (2, 4, 1), (4, 4, 1), (4, 8, 1), (8, 8, 1), (8, 16, 1), (16, 16, 1)]),
    'tpu7x': ('TPU7x', 2, [(1, 1, 1), (2, 2, 1), (2, 2, 2), (2, 2, 4), (2, 4, 4), (4, 4, 4), (4, 4, 8)]),
}


def shapes_of(count):
    """Every way to write a count as one to three factors, at most two dozen."""
    divisors = [d for d in range(1, count + 1) if count % d == 0]
    shapes = [(count,)] + [(d, count // d) for d in divisors]
    shapes += [(a, b, count // a // b) for a in divisors[1:-1] for b in divisors[1:-1] if count % (a * b) == 0]
    return shapes if len(shapes) <= 24 else shapes[:: len(shapes) // 24 + 1]


def orders():
    for chip, (kind, cores, topologies) in CHIPS.items():
        for topology in topologies:
            devices = devices_of(kind, topology, cores, (2, 2))
            for shape in shapes_of(len(devices)):
                for split in (False, True):
                    case = {'chip': chip, 'topology': list(topology), 'mesh': list(shape), 'split': split}
                    try:
                        found = mesh_utils.create_device_mesh(shape, devices, allow_split_physical_axes=split)
                    except NotImplementedError:
                        yield {**case, 'error': 'NotImplementedError'}
                        continue
                    except (TypeError, ValueError):
                        # jax's own slip: its prime factors of 14, 20, 28 ... are not theirs.
                        continue
                    lines = [' '.join(map(str, (*d.coords, d.core_on_chip))) for d in found.reshape(-1)]
                    yield {**case, 'sha256': hashlib.sha256('\n'.join(lines).encode()).hexdigest()[:16]}


def written(head, cases):
    inside = ',\n'.join(json.dumps(case) for case in cases)
    return f'{json.dumps(head)[:-1]}, "cases": [\n{inside}\n]}}\n'


key = FOLDER / 'planning' / 'sharding.json'
stored = json.loads(key.read_text())
answered = [{**case, 'expect': answer(case)} for case in stored.pop('cases')]
key.write_text(written(stored, answered))
about = {'made_with': f'jax {jax.__version__}', 'sha256': 'first 16 digits, of lines "x y z core" in mesh row-major order'}
(FOLDER / 'planning' / 'mesh_order_more.json').write_text(written(about, orders()))
