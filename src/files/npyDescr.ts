import { type DType, dtypes } from '../tensor/index.js'
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

/** Bytes of one element. */
export function itemBytes(dtype: DType): number {
  return widthOf(dtype)
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
): { dtype: DType; bigEndian: boolean } {
  if (asDtype !== undefined && !dtypes.includes(asDtype))
    throw new TypeError(`${op}: unknown dtype [${String(asDtype)}]`)
  const [, order, kind, width] = /^([<>|=]?)([a-zA-Z])(\d{1,9})$/.exec(descr) ?? []
  if (kind === 'O' || descr === '|O')
    throw new TypeError(`${op}: pickled Python objects are not read [${descr.slice(0, 50)}]`)
  const bigEndian = order === '>'
  const known = (Object.keys(named) as DType[]).find((dtype) => named[dtype]!.slice(1) === `${kind}${width}`)
  const meant =
    known ??
    (kind === 'V' && width === '2' ? 'bfloat16' : `${kind}${width}` === 'f1' ? 'float8_e5m2' : undefined)
  if (asDtype !== undefined) {
    const free = kind === 'V' || kind === 'u' || kind === 'i'
    if (asDtype !== meant && !(free && known === undefined && Number(width) === widthOf(asDtype)))
      throw new TypeError(`${op}: ${descr.slice(0, 50)} is not read as this dtype [${asDtype}]`)
    return { dtype: asDtype, bigEndian }
  }
  if (meant !== undefined) return { dtype: meant, bigEndian }
  if (kind === 'V' && width === '1')
    throw new TypeError(`${op}: which dtype of one byte is meant, must be given as dtype [${descr}]`)
  throw new TypeError(`${op}: no dtype for this descr [${descr.slice(0, 50)}]`)
}
