"""A key that is computed anew from its own operands, and written where every column agrees."""

import json

import ml_dtypes
import numpy as np

from .checks import expect
from .columnfile import STORED, TYPES, write_text

HOLDS = {'f64': np.float64, 'f32': np.float32, 'bf16': ml_dtypes.bfloat16}


class StoredKey:
    """A stored key: its columns as NumPy has them, and what was computed of them so far."""

    def __init__(self, folder, name):
        self.folder, self.name, self.done = folder, name, set()
        self.text = (STORED / f'{folder}/{name}.json').read_text()
        self.facts = json.loads(self.text)
        self.raw = (STORED / f'{folder}/{name}.bin').read_bytes()
        self.about = {c['name']: c for c in self.facts['columns']}

    def __getitem__(self, column):
        c = self.about[column]
        x = np.frombuffer(self.raw, TYPES[c['type']], c['length'], c['offset'])
        return (x.view(HOLDS[c['holds']]) if c['holds'] in HOLDS else x).reshape(c['shape'])

    def same(self, column, x):
        """All of the column, bit for bit."""
        self.done.add(column)
        stored = self[column]
        x = np.ascontiguousarray(np.asarray(x).astype(stored.dtype))
        words = f'u{stored.itemsize}'
        expect(stored.reshape(-1).view(words) == x.reshape(-1).view(words), f'{self.name} {column} is as stored')

    def near(self, column, x, slack=1e-12, size=None):
        """All of the column within slack of size: of its greatest magnitude where no size is given."""
        self.done.add(column)
        stored = self[column]
        size = np.max(np.abs(stored)) if size is None else size
        expect(np.abs(np.reshape(x, stored.shape) - stored) <= slack * size, f'{self.name} {column} is within {slack}')

    def write(self, out):
        given = [c for c in self.about if c not in self.done]
        path = out / self.folder / f'{self.name}.bin'
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.raw)
        write_text(out, f'{self.folder}/{self.name}.json', self.text)
        print(f'{self.folder}/{self.name}: {len(self.done)} columns computed, given: {len(given)}')


def double(hex_digits):
    return float(np.array(int(hex_digits, 16), np.uint64).view(np.float64))
