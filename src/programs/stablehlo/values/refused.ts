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
const host = refused('exchanges data with the host, which a function does not')

/** What is refused, and why. */
export const refusals: LoweringTable<RefusedName> = {
  'chlo.dynamic_reshape': dynamic,
  'stablehlo.compute_reshape_shape': dynamic,
  'stablehlo.dynamic_broadcast_in_dim': dynamic,
  'stablehlo.dynamic_conv': dynamic,
  'stablehlo.dynamic_gather': dynamic,
  'stablehlo.dynamic_iota': dynamic,
  'stablehlo.dynamic_pad': dynamic,
  'stablehlo.dynamic_reshape': dynamic,
  'stablehlo.infeed': host,
  'stablehlo.outfeed': host,
  'stablehlo.real_dynamic_slice': dynamic,
  'stablehlo.recv': host,
  'stablehlo.send': host,
  'stablehlo.set_dimension_size': dynamic,
  'stablehlo.uniform_dequantize': quantized,
  'stablehlo.uniform_quantize': quantized,
}
