import { isSealed, isWatched, Tensor } from '../../tensors/tensor/index.js'
import type { Operand } from './operand.js'

/** Whether what is computed from some operands is recorded or observed: by compile, a gradient or the precision doctor. */
export function areRecorded(...operands: readonly Operand[]): boolean {
  return isWatched() || operands.some((x) => x instanceof Tensor && x.trace !== undefined)
}

/** The only element of a tensor, to decide by; a TypeError where a gradient goes through it, which would be lost. */
export function elementOf(x: Tensor): number {
  if (x.trace && !isSealed(x) && !isWatched()) {
    throw new TypeError(
      `optimizer: this transform looks at elements, so that no gradient goes through it; hand it untraced tensors [${x.dtype}]`,
    )
  }
  return x.item()
}
