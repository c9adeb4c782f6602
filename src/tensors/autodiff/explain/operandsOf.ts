import { placesRead, type Reads, reads, type Tensor } from '../../tensor/index.js'
import type { GraphNode } from '../graph/graphOf.js'

/** For one element of a result, the flat places of the elements it was computed from, for each input. */
export type Operands = (element: number) => readonly (readonly number[])[]

/** Which elements of its inputs each element of an operation's result depends on; all, where its record does not say. */
export function operandsOf(
  { record, output, attributes }: Pick<GraphNode, 'record' | 'output' | 'attributes'>,
  inputs: readonly Tensor[],
): Operands {
  const shapes = inputs.map(({ shape }) => shape)
  const lists = reads(record, attributes, shapes, output.shape).map(listed)
  return (element) => lists.map((list) => list(element))
}

/** The places of an element; the very same list again where the next one reads the same, as in what reads everything. */
function listed(operand: Reads): (element: number) => readonly number[] {
  let known: { readonly from: number; readonly count: number; readonly places: readonly number[] } | undefined
  return (element) => {
    const [from, count] = [operand.from(element), operand.count(element)]
    if (known?.from !== from || known.count !== count) {
      known = { from, count, places: placesRead(operand, element) }
    }
    return known.places
  }
}
