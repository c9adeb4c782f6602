"""Writes test/golden/pipeline: Arrow files by pyarrow, as a file and as a stream, beside their rows as JSON."""

import json
import os

import pyarrow as pa

target = os.path.join(os.path.dirname(__file__), "../../test/golden/pipeline")
os.makedirs(target, exist_ok=True)

schema = pa.schema([
    ("delay", pa.int16()),
    ("distance", pa.float32()),
    ("time", pa.float64()),
    ("id", pa.int64()),
    ("carrier", pa.dictionary(pa.int8(), pa.utf8())),
    ("on_time", pa.bool_()),
    ("stops", pa.list_(pa.int32())),
    ("place", pa.struct([("x", pa.float32()), ("name", pa.utf8())])),
])
rows = [
    {
        "delay": None if i % 7 == 3 else (-1) ** i * i,
        "distance": i / 8,
        "time": 0.1 * i,
        "id": 2**53 + i,
        "carrier": ["AA", "ü", None][i % 3],
        "on_time": i % 2 == 0,
        "stops": [None, 1] if i == 24 else list(range(i % 4)),
        "place": {"x": i / 2, "name": f"place {i}"},
    }
    for i in range(25)
]
# Batches of 10, 10 and 5 rows.
batches = [pa.RecordBatch.from_pylist(rows[i : i + 10], schema) for i in range(0, len(rows), 10)]
dictionary = pa.array(["AA", "ü"])


def with_one_dictionary(batch: pa.RecordBatch) -> pa.RecordBatch:
    """A file may have one dictionary a column."""
    names = batch.column("carrier").to_pylist()
    codes = pa.array([None if name is None else ["AA", "ü"].index(name) for name in names], pa.int8())
    columns = [
        pa.DictionaryArray.from_arrays(codes, dictionary) if field.name == "carrier" else batch.column(field.name)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


for name, open_writer in (("rows.arrow", pa.ipc.new_file), ("rows.arrows", pa.ipc.new_stream)):
    with pa.OSFile(os.path.join(target, name), "wb") as out, open_writer(out, schema) as writer:
        for batch in batches:
            writer.write_batch(with_one_dictionary(batch))
with pa.ipc.open_file(os.path.join(target, "rows.arrow")) as file:
    assert file.read_all().to_pylist() == pa.Table.from_pylist(rows, schema).to_pylist()
with open(os.path.join(target, "rows.json"), "w") as out:
    # 64-bit integers as text: JSON's readers round them.
    written = [{**row, "id": str(row["id"])} for row in rows]
    json.dump({"pyarrow": pa.__version__, "rows": written}, out, indent=1, ensure_ascii=False)
    out.write("\n")
print("pipeline: rows.arrow, rows.arrows, rows.json")
