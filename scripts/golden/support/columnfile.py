"""Answer keys as files: NAME.json (facts and columns) beside NAME.bin (the columns, little-endian)."""

import hashlib
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

STORED = Path(__file__).resolve().parents[3] / 'test' / 'golden'
TYPES = {'u8': '<u1', 'u16': '<u2', 'u32': '<u4', 'u64': '<u8'}
ALIGNMENT = 8


def run(families):
    """Lets every family write its files: into test/golden, or with --check into a scratch folder to compare bytes."""
    if '--check' not in sys.argv[1:]:
        for family in families:
            family(STORED)
        return
    with tempfile.TemporaryDirectory() as scratch:
        for family in families:
            family(Path(scratch))
        made = [p for p in sorted(Path(scratch).rglob('*')) if p.is_file()]
        names = [p.relative_to(scratch) for p in made]
        stored = [(STORED / name).read_bytes() if (STORED / name).exists() else None for name in names]
        differing = [str(n) for n, path, bytes_ in zip(names, made, stored) if path.read_bytes() != bytes_]
    print(f'{Path(sys.argv[0]).name}: {len(made) - len(differing)} of {len(made)} files are the stored ones')
    for name in differing:
        print(f'DIFFERS {name}')
    sys.exit(1 if differing else 0)


def read_columns(name):
    """The stored key NAME: a dict of its columns, and the facts of its JSON that are not about the file."""
    facts = json.loads((STORED / f'{name}.json').read_text())
    raw = (STORED / name).with_name(facts['file']).read_bytes()
    columns = {
        c['name']: np.frombuffer(raw, TYPES[c['type']], c['length'], c['offset']) for c in facts['columns']
    }
    return columns, {k: v for k, v in facts.items() if k not in ('file', 'bytes', 'sha256', 'columns')}


def write_columns(out, name, columns, facts):
    """Writes NAME.bin and NAME.json; a column's type is its array's, each starts at a multiple of 8."""
    raw, table = bytearray(), []
    for column, values in columns.items():
        raw += bytes(-len(raw) % ALIGNMENT)
        values = np.asarray(values)
        kind = f'u{8 * values.itemsize}'
        table.append({'name': column, 'type': kind, 'offset': len(raw), 'length': len(values)})
        raw += values.astype(TYPES[kind]).tobytes()
    path = out / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_name(path.name + '.bin').write_bytes(raw)
    head = {'file': path.name + '.bin', 'bytes': len(raw), 'sha256': hashlib.sha256(raw).hexdigest(), 'columns': table}
    write_text(out, name + '.json', json.dumps(head | facts, indent=1) + '\n')


def write_text(out, name, text):
    path = out / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
