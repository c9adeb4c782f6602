"""Compares the accumulators and results of test/golden/tensorcores with the files they were taken from.

    git clone https://github.com/north-numerical-computing/MATLAB-tensor-core
    python3 scripts/golden/tensorcores/check.py MATLAB-tensor-core/model_validation

Needs no package. A file of the repository has a float32 a line, in binary digits; results of float16 are written so too.
Operands are given: the repository's files of operands are not read here. Exit 1 where anything differs, or nothing was found.
"""

import json
import struct
import sys
from array import array
from pathlib import Path

KEYS = Path(__file__).resolve().parents[3] / 'test' / 'golden' / 'tensorcores'
TYPES = {'u8': 'B', 'u16': 'H', 'u32': 'I'}


def columns(path):
    facts = json.loads(path.read_text())
    raw = path.with_name(facts['file']).read_bytes()
    found = {}
    for one in facts['columns']:
        values = array(TYPES[one['type']])
        values.frombytes(raw[one['offset'] : one['offset'] + values.itemsize * one['length']])
        found[one['name']] = values
    return facts, found


def words_of_halves(codes):
    return [struct.unpack('<I', struct.pack('<f', *struct.unpack('<e', struct.pack('<H', code))))[0] for code in codes]


def main(folder):
    checked = different = 0
    for path in sorted(KEYS.glob('*.json')):
        facts, found = columns(path)
        gpu = path.stem
        for case in facts['cases']:
            name = case['name']
            files = {f'{name}_c': f'c_{gpu}_fp32.txt'}
            files |= {f'{name}_d_{output}': f'd_{gpu}_{output}.txt' for output in case['outputs']}
            for column, file in files.items():
                published = folder / gpu / name / file
                if not published.exists():
                    continue
                rows = [int(line, 2) for line in published.read_text().split()[: case['rows']]]
                own = words_of_halves(found[column]) if column.endswith('fp16') else list(found[column])
                checked += 1
                if rows != own:
                    different += 1
                    print(f'{gpu} {column} differs from {published}')
    print(f'{checked} columns compared, {different} differ')
    return 1 if different or not checked else 0


if __name__ == '__main__':
    sys.exit(main(Path(sys.argv[1])))
