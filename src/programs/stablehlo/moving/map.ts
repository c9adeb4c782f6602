import { region } from '../values/attributes.js'
import type { Lowering } from '../values/lowering.js'
import { broadcastLanes } from '../values/perElement.js'
import { resultType } from './moves.js'

/** `stablehlo.map`: a region of scalars on every element. */
export const map: Lowering = (op, context) => {
  const body = context.lifted(region(op))
  const { shape } = resultType(op)
  return (inputs, frame) => body(frame)(inputs).map((value) => broadcastLanes(value, shape))
}
