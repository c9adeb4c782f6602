import type { Lowering } from './lowering.js'
import type { LoweringTable, RefusedName } from './operations.js'

/** An operation that no program of ours has, and why. */
export function refused(problem: string): Lowering {
  return () => {
    throw new RangeError(problem)
  }
}

const dynamic = refused('has a shape that is not known before it runs, lower with static shapes')
const quantized = refused('has a quantized type, which no program of ours has')
/** What is refused, and why. */
export const refusals: LoweringTable<RefusedName> = {
  'stablehlo.set_dimension_size': dynamic,
  'stablehlo.uniform_dequantize': quantized,
  'stablehlo.uniform_quantize': quantized,
}
