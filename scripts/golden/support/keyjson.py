"""How the keys in JSON are laid out."""

import json


def line(value):
    return json.dumps(value, separators=(',', ':'))


def text(value, indent=0):
    """JSON with a field to a line; a record or list on one line where it is short or holds no records."""
    pad = ' ' * (indent + 1)
    if isinstance(value, dict) and len(line(value)) > 240:
        inner = ',\n'.join(f'{pad}{line(k)}:{text(v, indent + 1)}' for k, v in value.items())
        return f'{{\n{inner}\n{" " * indent}}}'
    if isinstance(value, list) and any(isinstance(v, dict) for v in value) and len(line(value)) > 240:
        return '[\n' + ',\n'.join(pad + text(v, indent + 1) for v in value) + f'\n{" " * indent}]'
    return line(value)
