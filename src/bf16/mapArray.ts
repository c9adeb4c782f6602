import { type UnaryName, unaryTable } from '../numbers/functions/index.js'
import { arena, type Engine, mapBlocks } from '../numbers/simd/index.js'
import { checkCodes, outFor, settled } from './outArray.js'

// From here on copying the table into the arena costs less than it saves.
const long = 16384

/**
 * A unary function of every code, through its table of all 65,536 results.
 *
 * Shape     any length; `out` as long, and it may be the operand.
 * Dtype     Uint16Array codes.
 * Rounding  once, from the real value, nearest even.
 * Special   as unaryTable: a NaN, or an invalid operand, gives the canonical NaN 0x7FC0.
 * Error     half an ulp of bfloat16.
 * Throws    TypeError for a name that is not a unary function.
 * Cost      one pass; the first call for a name builds its table. Allocates the result only, not even that with `out`.
 * Source    none
 *
 * @example mapArray('exp', Uint16Array.of(0x0000, 0x3f80)) // [0x3f80, 0x402e]
 */
export function mapArray(
  name: UnaryName,
  codes: Uint16Array,
  out?: Uint16Array,
  engine: Engine = 'simd',
): Uint16Array {
  checkCodes('mapArray', codes)
  const table = unaryTable(name, 'bfloat16') as Uint16Array
  const result = outFor('mapArray', codes.length, out)
  const source = settled(codes, result)
  const simd = source.length < long ? undefined : arena(engine)
  if (simd) mapBlocks(simd, table, source, result)
  else for (let i = 0; i < source.length; i++) result[i] = table[source[i]!]!
  return result
}
