import { shown } from '../../base/options/index.js'
import { type DType, dtypes } from '../../tensors/tensor/index.js'
import { type FileInteger, integerBytes, isFileInteger } from './integers.js'
import { widthOf } from './tensorBytes.js'

/** NumPy's names of the dtypes that it has itself. */
const named: Readonly<Partial<Record<DType, string>>> = {
  bool: '|b1',
  float16: '<f2',
  float32: '<f4',
  float64: '<f8',
  int32: '<i4',
  uint32: '<u4',
}

/** NumPy's names of integers that no tensor has. */
const integers: Readonly<Record<string, FileInteger>> = {
  i1: 'int8',
  u1: 'uint8',
  i2: 'int16',
  u2: 'uint16',
  i8: 'int64',
  u8: 'uint64',
}

/** Bytes of one element. */
export function itemBytes(dtype: DType | FileInteger): 1 | 2 | 4 | 8 {
  return isFileInteger(dtype) ? integerBytes(dtype) : widthOf(dtype)
}

/** How npy names a dtype: those of ml_dtypes are bytes without a meaning, '<V2' and '<V1'. */
export function descrOf(dtype: DType): string {
  return named[dtype] ?? `<V${widthOf(dtype)}`
}

/**
 * The dtype that a descr means, or that `asDtype` says bytes without a meaning are: '<V2' alone is bfloat16, the only
 * dtype of two bytes that ml_dtypes has; '<f1' is what ml_dtypes writes for float8_e5m2.
 */
export function dtypeOfDescr(
  op: string,
  descr: string,
  asDtype: DType | undefined,
): { dtype: DType | FileInteger; bigEndian: boolean } {
  if (asDtype !== undefined && !dtypes.includes(asDtype)) {
    throw new TypeError(`${op}: unknown dtype [${shown(asDtype)}]`)
  }
  const [, order, kind, width] = /^([<>|=]?)([a-zA-Z])(\d{1,9})$/.exec(descr) ?? []
  if (kind === 'O' || descr === '|O') {
    throw new TypeError(`${op}: pickled Python objects are not read [${descr.slice(0, 50)}]`)
  }
  // Bytes without a meaning have no order: NumPy leaves those of '>V2' where they are.
  const bigEndian = order === '>' && kind !== 'V'
  const name = `${kind}${width}`
  const known = dtypes.find((dtype) => named[dtype]?.slice(1) === name)
  const meant = known ?? (name === 'V2' ? 'bfloat16' : descr === '<f1' ? 'float8_e5m2' : integers[name])
  if (asDtype !== undefined) {
    const free = kind === 'V' || kind === 'u' || kind === 'i'
    if (asDtype !== meant && !(free && known === undefined && Number(width) === widthOf(asDtype))) {
      throw new TypeError(`${op}: ${descr.slice(0, 50)} is not read as this dtype [${asDtype}]`)
    }
    return { dtype: asDtype, bigEndian }
  }
  if (meant !== undefined) return { dtype: meant, bigEndian }
  if (name === 'V1') {
    throw new TypeError(`${op}: a byte may be of several dtypes, give one as dtype [${descr}]`)
  }
  throw new TypeError(`${op}: no dtype for this descr [${descr.slice(0, 50)}]`)
}
