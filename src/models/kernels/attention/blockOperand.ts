import { type Span, spanOf, transposeInto } from '../gemm/product.js'

/** The rows of a matrix per head, cut into blocks, as the operands of products. */
export interface BlockOperand {
  /** Rows first to first + rows - 1 of a head, [rows, width]. */
  block(head: number, index: number): Float32Array
  /** The same [width, rows]. */
  turned(head: number, index: number): Float32Array
  span(head: number, index: number): Span
}

/** `values` [heads, t, width] in blocks of `size` rows, the last shorter. Transposes and spans are made when first asked. */
export function blockOperand(
  values: Float32Array,
  heads: number,
  t: number,
  width: number,
  size: number,
): BlockOperand {
  const blocks = Math.ceil(t / size)
  const spans = new Array<Span | undefined>(heads * blocks)
  let turnedValues: Float32Array | undefined
  const done = new Uint8Array(heads * blocks)
  const part = (from: Float32Array, head: number, index: number): Float32Array => {
    const start = (head * t + index * size) * width
    return from.subarray(start, start + Math.min(size, t - index * size) * width)
  }
  return {
    block: (head, index) => part(values, head, index),
    turned(head, index) {
      turnedValues ??= new Float32Array(values.length)
      const out = part(turnedValues, head, index)
      if (done[head * blocks + index] === 0) {
        done[head * blocks + index] = 1
        transposeInto(part(values, head, index), width === 0 ? 0 : out.length / width, width, out)
      }
      return out
    },
    span(head, index) {
      spans[head * blocks + index] ??= spanOf(part(values, head, index))
      return spans[head * blocks + index]!
    },
  }
}
