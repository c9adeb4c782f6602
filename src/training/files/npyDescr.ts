import { nameAdvice, shown } from '../../base/options/index.js'
import { type DType, dtypes } from '../../tensors/tensor/index.js'
import { type FileInteger, isFileInteger } from './integers.js'
import { widthOf } from './tensorBytes.js'

/** NumPy's names of the dtypes that it has itself. */
const named: Readonly<Partial<Record<DType, string>>> = {
  bool: '|b1',
  float16: '<f2',
  float32: '<f4',
  float64: '<f8',
  int32: '<i4',
  uint32: '<u4',
  int8: '|i1',
  uint8: '|u1',
  int16: '<i2',
  uint16: '<u2',
  int64: '<i8',
  uint64: '<u8',
}

/** How npy names a dtype: those of ml_dtypes are bytes without a meaning, '<V2' and '<V1'. */
export function descrOf(dtype: DType): string {
  return named[dtype] ?? `<V${widthOf(dtype)}`
}

/**
 * The dtype that a descr means, or that `asDtype` says bytes without a meaning are: '<V2' alone is bfloat16, the only
 * dtype of two bytes that ml_dtypes has; '<f1' is what ml_dtypes writes for float8_e5m2. `integer`: one that is read as int32 or
 * uint32 unless it is to stay what it is.
 */
export function dtypeOfDescr(
  op: string,
  descr: string,
  asDtype: DType | undefined,
): { dtype: DType; integer: FileInteger | undefined; bigEndian: boolean } {
  if (asDtype !== undefined && !dtypes.includes(asDtype)) {
    throw new TypeError(`${op}: unknown dtype, ${nameAdvice(asDtype, dtypes)} [${shown(asDtype)}]`)
  }
  const [, order, kind, width] = /^([<>|=]?)([a-zA-Z])(\d{1,9})$/.exec(descr) ?? []
  if (kind === 'O' || descr === '|O') {
    throw new TypeError(`${op}: pickled Python objects are not read [${descr.slice(0, 50)}]`)
  }
  // Bytes without a meaning have no order: NumPy leaves those of '>V2' where they are.
  const bigEndian = order === '>' && kind !== 'V'
  const name = `${kind}${width}`
  const known = dtypes.find((dtype) => named[dtype]?.slice(1) === name)
  const meant = known ?? (name === 'V2' ? 'bfloat16' : descr === '<f1' ? 'float8_e5m2' : undefined)
  const integer = isFileInteger(meant) ? meant : undefined
  if (asDtype !== undefined) {
    const free = kind === 'V' || kind === 'u' || kind === 'i'
    if (
      asDtype !== meant &&
      !(free && (known === undefined || integer) && Number(width) === widthOf(asDtype))
    ) {
      throw new TypeError(`${op}: ${descr.slice(0, 50)} is not read as this dtype [${asDtype}]`)
    }
    return { dtype: asDtype, integer: undefined, bigEndian }
  }
  if (meant !== undefined) return { dtype: meant, integer, bigEndian }
  if (name === 'V1') {
    throw new TypeError(`${op}: a byte may be of several dtypes, give one as dtype [${descr}]`)
  }
  throw new TypeError(`${op}: no dtype for this descr [${descr.slice(0, 50)}]`)
}
