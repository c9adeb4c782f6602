"""Writes test/golden/CHECKSUMS: the sha256 of every answer key, in the format of sha256sum.

    python3 scripts/golden/checksums.py            # needs no package
    python3 scripts/golden/checksums.py --check    # exit 1 when a key is missing, changed or not listed
"""

import hashlib
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / 'test' / 'golden'
LIST = FOLDER / 'CHECKSUMS'


def checksums():
    """One line a file, sorted by path; prose (.md) is not listed."""
    files = (p for p in FOLDER.rglob('*') if p.is_file() and p != LIST and p.suffix != '.md')
    names = sorted(p.relative_to(FOLDER).as_posix() for p in files)
    return [f'{hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()}  {name}' for name in names]


if __name__ == '__main__':
    lines = checksums()
    if '--check' in sys.argv[1:]:
        listed = LIST.read_text().splitlines()
        for line in sorted(set(lines) ^ set(listed), key=lambda line: line.split()[1]):
            print(f'{"on disk" if line in lines else "listed "} {line}')
        print(f'checksums.py: {len(set(lines) & set(listed))} of {len(lines)} files as listed')
        sys.exit(set(lines) != set(listed))
    LIST.write_text('\n'.join(lines) + '\n')
    print(f'checksums.py: {len(lines)} files')
