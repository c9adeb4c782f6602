import { checkName } from '../../base/options/index.js'

/** The dtypes that arrays on a chip have, by ml_dtypes' names. */
export type StoredDType =
  | 'float32'
  | 'int32'
  | 'uint32'
  | 'bfloat16'
  | 'float16'
  | 'int16'
  | 'int8'
  | 'uint8'
  | 'bool'
  | 'float8_e4m3fn'
  | 'float8_e5m2'
  | 'int4'
  | 'uint4'
  | 'float4_e2m1fn'

const bits: Readonly<Record<StoredDType, number>> = {
  ...{ float32: 32, int32: 32, uint32: 32, bfloat16: 16, float16: 16, int16: 16 },
  ...{ int8: 8, uint8: 8, bool: 8, float8_e4m3fn: 8, float8_e5m2: 8 },
  ...{ int4: 4, uint4: 4, float4_e2m1fn: 4 },
}

/**
 * Bits of one element in the memory of a chip; a boolean takes a byte.
 *
 * Throws    RangeError for an unknown dtype; the nearest one is named.
 *
 * @example bitsOf('bfloat16') // 16
 * @example bitsOf('bf16') // throws bitsOf: unknown dtype, did you mean bfloat16 [bf16]
 */
export function bitsOf(dtype: StoredDType): number {
  checkName('bitsOf', 'dtype', dtype, Object.keys(bits))
  return bits[dtype]
}
