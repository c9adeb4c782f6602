"""Writes test/golden/files/npy.json: npy and npz files by NumPy, in hexadecimal, beside the bits they hold.

Every file was loaded again by NumPy before it was written down, except where `numpy_loads` is false.
"""

import io
import json
import os

import ml_dtypes
import numpy as np

target = os.path.join(os.path.dirname(__file__), "../../test/golden/files/npy.json")

values = [0.0, -0.0, 1.0, -1.5, 2.0**-9, np.inf, -np.inf, np.nan, 3.0, 448.0, 0.1, -2.0]
dtypes = {
    "bool": np.bool_,
    "float16": np.float16,
    "float32": np.float32,
    "float64": np.float64,
    "int32": np.int32,
    "uint32": np.uint32,
    **{name: getattr(ml_dtypes, name) for name in (
        "bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz",
        "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn",
    )},
}


def array_of(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    count = int(np.prod(shape))
    if dtype in ("int32", "uint32"):
        picked = np.array([0, 1, 2**31 - 1, 5, 2**31 if dtype == "uint32" else -(2**31), 7] * 8, dtypes[dtype])
    else:
        with np.errstate(all="ignore"):
            picked = np.array(values * 4, np.float64).astype(dtypes[dtype])
    return np.resize(picked, count).reshape(shape)


def bits_of(array: np.ndarray) -> str:
    width = array.dtype.itemsize
    codes = np.ascontiguousarray(array).view(f"u{width}" if array.dtype != np.bool_ else np.uint8)
    return "".join(f"{int(code):0{2 * width}x}" for code in codes.reshape(-1))


def saved(array: np.ndarray, version: tuple[int, int] | None = None) -> bytes:
    buffer = io.BytesIO()
    if version is None:
        np.save(buffer, array)
    else:
        np.lib.format.write_array(buffer, array, version=version)
    return buffer.getvalue()


def loads(file: bytes) -> bool:
    try:
        np.load(io.BytesIO(file))
        return True
    except ValueError:
        return False


def case(title: str, dtype: str, array: np.ndarray, file: bytes) -> dict:
    return {
        "case": title,
        "dtype": dtype,
        "shape": list(array.shape),
        "bits": bits_of(array),
        "hex": file.hex(),
        "numpy_loads": loads(file),
    }


npy = [case(f"{dtype} [2, 3]", dtype, array_of(dtype, (2, 3)), saved(array_of(dtype, (2, 3)))) for dtype in dtypes]
for dtype in ("float32", "bfloat16"):
    for shape in ((), (0,), (0, 3), (1,), (3, 0, 2), (2, 3, 4)):
        array = array_of(dtype, shape)
        npy.append(case(f"{dtype} {list(shape)}", dtype, array, saved(array)))
# The header of 36 axes ends at a multiple of 64 before it is padded.
array = array_of("float32", (1,) * 36)
npy.append(case("float32 of 36 axes", "float32", array, saved(array)))
for dtype in ("float32", "float16", "bfloat16", "bool"):
    for shape in ((2, 3), (2, 3, 4), (4, 1)):
        array = np.asfortranarray(array_of(dtype, shape))
        npy.append(case(f"{dtype} {list(shape)}, Fortran order", dtype, array, saved(array)))
for dtype in ("float16", "float32", "float64", "int32", "uint32", "bfloat16"):
    array = array_of(dtype, (2, 3))
    swapped = array.astype(array.dtype.newbyteorder(">"))
    if dtype == "bfloat16":
        swapped = array.view("<u2").astype(">u2").view(array.dtype.newbyteorder(">"))
    npy.append(case(f"{dtype} [2, 3], big-endian", dtype, array, saved(swapped)))
    npy.append(case(f"{dtype} [2, 3], big-endian, Fortran order", dtype, array, saved(np.asfortranarray(swapped))))
for version in ((2, 0), (3, 0)):
    array = array_of("float32", (2, 3))
    npy.append(case(f"float32 [2, 3], version {version[0]}.0", "float32", array, saved(array, version)))

members = {"a": array_of("float32", (2, 3)), "layers.0.kernel": array_of("bfloat16", (3,)), "b": array_of("int32", ())}
npz = []
for title, save in (("savez", np.savez), ("savez_compressed", np.savez_compressed)):
    buffer = io.BytesIO()
    save(buffer, **members)
    npz.append({
        "case": title,
        "hex": buffer.getvalue().hex(),
        "arrays": {
            name: {"dtype": "bfloat16" if array.dtype == ml_dtypes.bfloat16 else str(array.dtype),
                   "shape": list(array.shape), "bits": bits_of(array)}
            for name, array in members.items()
        },
    })

foreign = [
    {"descr": array.dtype.str, "hex": saved(array).hex()}
    for array in (
        np.arange(3, dtype="<i8"), np.arange(3, dtype="<u8"), np.arange(3, dtype="|u1"), np.arange(3, dtype="|i1"),
        np.arange(3, dtype="<i2"), np.zeros(2, "<c8"), np.array(["ab"], "<U2"), np.array([b"ab"], "|S2"),
        np.zeros(2, "<M8[s]"), np.zeros(2, "|V3"),
    )
]
with open(target, "w") as out:
    json.dump({"numpy": np.__version__, "npy": npy, "npz": npz, "foreign": foreign}, out, indent=1)
    out.write("\n")
print(f"npy.json: {len(npy)} npy, {len(npz)} npz, {len(foreign)} foreign")
