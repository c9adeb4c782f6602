"""What the readers of Python make of the files that `npm run test:fuzz -- --write FOLDER` wrote: numpy for npy and npz,
safetensors, pyarrow for Arrow, json and csv. A file that ours reads and Python refuses, or reads as something else, is
printed and counts as a failure; what ours refuses and Python takes is counted only.

    python scripts/fuzz/compare.py FOLDER [READER ...]

Needs numpy, ml_dtypes, safetensors and pyarrow (scripts/golden/requirements.txt has them).
"""

import collections
import csv
import hashlib
import io
import json
import pathlib
import struct
import sys
import warnings

import ml_dtypes  # noqa: F401  (registers the narrow dtypes)
import numpy as np
import pyarrow as pa
import safetensors

warnings.simplefilter("ignore")

def canonical(value):
    """The text of canonical() in scripts/fuzz/readers.ts."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (int, float)):
        number = float(value)
        return struct.pack(">d", float("nan") if number != number else number).hex()
    if isinstance(value, bytes):
        return "b" + value.hex()
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(canonical, value)) + "]"
    items = sorted(value.items(), key=lambda item: item[0].encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(f"{json.dumps(k, ensure_ascii=False)}:{canonical(v)}" for k, v in items) + "}"


def as_ours(array):
    """Integers that no tensor has, by the rule of decodeNpy."""
    if array.dtype.kind not in "iu" or array.dtype.itemsize == 4:
        return array
    narrow = np.int32 if array.dtype.kind == "i" else np.uint32
    limits = np.iinfo(narrow)
    if all(limits.min <= int(value) <= limits.max for value in array.flat):
        return array.astype(narrow)
    if all(int(float(int(value))) == int(value) for value in array.flat):
        return array.astype(np.float64)
    raise ValueError("an integer that no dtype holds")


def digests(arrays):
    rows = []
    for name in sorted(arrays, key=lambda text: text.encode("utf-16-be", "surrogatepass")):
        array = np.asarray(arrays[name])
        if array.dtype.hasobject:
            raise ValueError("objects")
        plain = as_ours(array)
        plain = plain.astype(plain.dtype.newbyteorder("<"))
        digest = hashlib.sha256(np.ascontiguousarray(plain).tobytes()).hexdigest()[:16]
        rows.append([name, list(map(float, array.shape)), digest])
    return canonical(rows)


def read_npy(path):
    return digests({"array": np.load(path, allow_pickle=False)})


def read_npz(path):
    with np.load(path, allow_pickle=False) as file:
        return digests({name: file[name] for name in file.files})


INTEGERS = {"I8": "i1", "U8": "u1", "I16": "<i2", "U16": "<u2", "I64": "<i8", "U64": "<u8"}


def read_safetensors(path):
    content = path.read_bytes()
    tensors = dict(safetensors.deserialize(content))
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    codes = json.loads((header.get("__metadata__") or {}).get("tpu-toolkit.dtypes", "{}"))
    rows = []
    for name in sorted(tensors, key=lambda text: text.encode("utf-16-be", "surrogatepass")):
        kind, data = tensors[name]["dtype"], tensors[name]["data"]
        if kind in {"C64", "F4", "F6_E2M3", "F6_E3M2"}:
            continue
        noted = kind == "U8" and name in codes
        if kind in INTEGERS and not noted:
            data = as_ours(np.frombuffer(data, INTEGERS[kind])).tobytes()
        digest = hashlib.sha256(data).hexdigest()[:16]
        rows.append([name, list(map(float, tensors[name]["shape"])), digest])
    return canonical(rows)


def read_arrow(path):
    data = path.read_bytes()
    source = pa.BufferReader(data)
    reader = pa.ipc.open_file(source) if data[:6] == b"ARROW1" else pa.ipc.open_stream(source)
    table = reader.read_all()
    table.validate(full=True)
    return canonical(table.slice(0, 1000).to_pylist())


def read_csv(path):
    text = path.read_bytes().decode("utf-8")
    rows = [row for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True) if row]
    names, *records = rows or [[]]
    for row in records:
        if len(row) != len(names):
            raise ValueError("ragged")
    return canonical([dict(zip(names, row)) for row in records])


def read_jsonl(path):
    lines = path.read_bytes().split(b"\n")
    if lines[0].startswith(b"\xef\xbb\xbf"):
        lines[0] = lines[0][3:]

    def refuse(name):
        raise ValueError(name)

    def whole(text):
        return -0.0 if text == "-0" else int(text)  # an int of Python has no sign of zero

    values = [
        json.loads(line.decode("utf-8"), parse_constant=refuse, parse_int=whole)
        for line in lines
        if line.strip(b" \t\r")
    ]
    return canonical(values)


READERS = {
    "npy": read_npy,
    "npz": read_npz,
    "safetensors": read_safetensors,
    "arrow": read_arrow,
    "csv": read_csv,
    "jsonl": read_jsonl,
}


def main():
    folder = pathlib.Path(sys.argv[1])
    wrong = 0
    for name in sys.argv[2:] or [name for name in READERS if (folder / name).exists()]:
        counts = collections.Counter()
        for verdict in json.loads((folder / name / "verdicts.json").read_text()):
            path = folder / name / verdict["file"]
            try:
                theirs = READERS[name](path)
            except Exception as error:  # noqa: BLE001  (whatever Python says)
                theirs, why = None, f"{type(error).__name__}: {error}"
            ours = verdict.get("value")
            if verdict["kind"] == "crashed":
                counts["ours crashed"] += 1
                print(path, verdict["message"])
            elif ours is None:
                counts["ours alone refused" if theirs is not None else "both refused"] += 1
            elif theirs is None:
                counts["PYTHON ALONE REFUSED"] += 1
                print(path, why[:160])
            elif ours == theirs:
                counts["both read the same"] += 1
            else:
                counts["READ DIFFERENTLY"] += 1
                print(path, "\n  ours  ", ours[:200], "\n  theirs", theirs[:200])
        wrong += counts["ours crashed"] + counts["PYTHON ALONE REFUSED"] + counts["READ DIFFERENTLY"]
        print(f"{name:12}", ", ".join(f"{count} {what}" for what, count in counts.most_common()))
    sys.exit(1 if wrong else 0)


main()
