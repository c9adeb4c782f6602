import type { DType } from '../../tensors/tensor/index.js'
import type { FileInteger } from './integers.js'

/** A dtype as the safetensors format names it. */
export type StoredDType =
  | 'BOOL'
  | 'F4'
  | 'F6_E2M3'
  | 'F6_E3M2'
  | 'U8'
  | 'I8'
  | 'F8_E5M2'
  | 'F8_E4M3'
  | 'F8_E8M0'
  | 'F8_E4M3FNUZ'
  | 'F8_E5M2FNUZ'
  | 'I16'
  | 'U16'
  | 'F16'
  | 'BF16'
  | 'I32'
  | 'U32'
  | 'F32'
  | 'C64'
  | 'F64'
  | 'I64'
  | 'U64'

/**
 * Bits of an element by the format's names of dtypes, in the order of alignment that safetensors 0.8 has, which keeps that
 * of 0.6: a file holds tensors of later ones first.
 */
const storedBits: Readonly<Record<StoredDType, number>> = {
  BOOL: 8,
  F4: 4,
  F6_E2M3: 6,
  F6_E3M2: 6,
  U8: 8,
  I8: 8,
  F8_E5M2: 8,
  F8_E4M3: 8,
  F8_E8M0: 8,
  F8_E4M3FNUZ: 8,
  F8_E5M2FNUZ: 8,
  I16: 16,
  U16: 16,
  F16: 16,
  BF16: 16,
  I32: 32,
  U32: 32,
  F32: 32,
  C64: 64,
  F64: 64,
  I64: 64,
  U64: 64,
}

/** Names of safetensors 0.7 that mean one of our dtypes: read, and not written, since 0.6 refuses files that have them. */
const onlyRead: Readonly<Partial<Record<StoredDType, DType>>> = {
  F8_E4M3FNUZ: 'float8_e4m3fnuz',
  F8_E5M2FNUZ: 'float8_e5m2fnuz',
}

/** Names of integers that are read as int32 or uint32, unless they are to stay what they are. */
const integers: Readonly<Partial<Record<StoredDType, FileInteger>>> = {
  I8: 'int8',
  U8: 'uint8',
  I16: 'int16',
  U16: 'uint16',
  I64: 'int64',
  U64: 'uint64',
}

/** The names that mean one of our dtypes. F4 and the F6 pack elements into shared bytes and are not among them. */
const named: Readonly<Partial<Record<StoredDType, DType>>> = {
  BOOL: 'bool',
  F8_E5M2: 'float8_e5m2',
  F8_E4M3: 'float8_e4m3fn',
  F8_E8M0: 'float8_e8m0fnu',
  F16: 'float16',
  BF16: 'bfloat16',
  I32: 'int32',
  U32: 'uint32',
  F32: 'float32',
  F64: 'float64',
}

const storedNames = Object.keys(storedBits) as StoredDType[]
const storedUnder: ReadonlyMap<DType, StoredDType> = new Map(
  (Object.entries({ ...integers, ...named }) as [StoredDType, DType][]).map(([stored, dtype]) => [
    dtype,
    stored,
  ]),
)

/** Whether the format has a dtype of this name. */
export function isStoredDType(name: unknown): name is StoredDType {
  return typeof name === 'string' && Object.hasOwn(storedBits, name)
}

/** The bits of one element. */
export function bitsOfStored(stored: StoredDType): number {
  return storedBits[stored]
}

/** Our dtype of that name, undefined where there is none. */
export function dtypeOfStored(stored: StoredDType): DType | undefined {
  return named[stored] ?? onlyRead[stored]
}

/** The integers of that name which are not read as they are, undefined where it means something else. */
export function integerOfStored(stored: StoredDType): FileInteger | undefined {
  return integers[stored]
}

/** The name a dtype is stored under: 'U8', one code a byte, where the format has none for it, 'I8' of int2 and int4. */
export function storedAs(dtype: DType): StoredDType {
  return storedUnder.get(dtype) ?? (dtype === 'int2' || dtype === 'int4' ? 'I8' : 'U8')
}

/** The place in the order of alignment. */
export function rankOfStored(stored: StoredDType): number {
  return storedNames.indexOf(stored)
}
