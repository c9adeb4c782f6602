import type { Tensor } from 'tpu-toolkit/tensor'
import * as t from 'tpu-toolkit/tensor'

/** A random function of vectors in bfloat16: it closes over constants, decides, loops and ties. */
export interface RandomProgram {
  readonly f: (x: Tensor) => Tensor
  readonly x: Tensor
}

const size = 5
const bf16 = (values: readonly number[]): Tensor => t.tensor(values, { dtype: 'bfloat16' })

/** A program of up to a dozen operations, some of them in a loop, by a stream of uniform numbers. */
export function randomProgram(draw: () => number): RandomProgram {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(draw() * items.length)]!
  // Few values, so that two elements are often the same.
  const vector = (): Tensor => bf16(Array.from({ length: size }, () => Math.round(draw() * 16 - 8) / 4))
  const number = (): number => draw() * 2 - 0.5
  const makers: readonly (() => (x: Tensor) => Tensor)[] = [
    () => {
      const c = vector()
      return (x) => t.add(x, t.mul(t.cos(t.mul(c, 0.7)), c))
    },
    () => {
      const c = number()
      return (x) => t.mul(x, c)
    },
    () => {
      const c = number()
      return (x) => t.add(x, c)
    },
    () => {
      const c = number()
      return (x) => t.where(t.greater(x, c), t.tanh(x), t.mul(x, x))
    },
    () => (x) => t.sub(x, t.max(x, { keepDims: true })),
    () => (x) => t.exp(t.minimum(x, 1)),
    () => (x) => t.cumsum(x),
    () => (x) => t.div(x, t.add(t.sum(t.abs(x), { keepDims: true }), 1)),
    () => (x) => t.sqrt(t.add(t.abs(x), 0.3)),
    () => (x) => t.maximum(x, t.flip(x)),
  ]
  const body = Array.from({ length: 2 + Math.floor(draw() * 6) }, () => pick(makers)())
  const times = draw() < 0.2 ? 8 : 1
  const f = (x: Tensor): Tensor => {
    let value = x
    for (let k = 0; k < times; k++) for (const step of body) value = step(value)
    return value
  }
  return { f, x: vector() }
}
