import { add, cast, type FloatDType, Tensor } from '../../../tensors/tensor/index.js'

/** Elements that are added in an order of their own: from `start` to before `end`, the replicas one after another. */
export interface Piece {
  readonly start: number
  readonly end: number
  readonly order: readonly number[]
}

/** The sum of tensors of one shape, every piece in its order, in the accumulator's dtype; the pieces cover all elements. */
export function sumInPieces(
  replicas: readonly Tensor[],
  pieces: readonly Piece[],
  accumulate: FloatDType,
): Tensor {
  const { dtype, shape, data } = replicas[0]!
  // The elements that are added in one step: all pieces are under way at once.
  const metIn = (step: number): Tensor => {
    const met = data.slice()
    for (const { start, end, order } of pieces) {
      met.set(replicas[order[step]!]!.data.subarray(start, end) as never, start)
    }
    return cast(new Tensor(dtype, shape, met), accumulate)
  }
  let sum = metIn(0)
  for (let step = 1; step < replicas.length; step++) sum = add(sum, metIn(step))
  return sum
}
