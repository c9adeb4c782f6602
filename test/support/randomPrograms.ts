import { grad } from 'tpu-toolkit/autodiff'
import type { Tensor } from 'tpu-toolkit/tensor'
import * as t from 'tpu-toolkit/tensor'

/** A random function of vectors in bfloat16: it closes over constants, makes some, decides, branches, loops and ties. */
export interface RandomProgram {
  readonly f: (x: Tensor) => Tensor
  readonly x: Tensor
  /** The parts in words, to tell a failure by. */
  readonly text: string
  /** Whether the code reads a number out of a tensor and goes by it. */
  readonly branches: boolean
}

const size = 5
const bf16 = (values: readonly number[]): Tensor => t.tensor(values, { dtype: 'bfloat16' })

type Part = readonly [text: string, run: (x: Tensor) => Tensor]

/** A program of up to a dozen operations, some of them in a loop, by a stream of uniform numbers. */
export function randomProgram(draw: () => number): RandomProgram {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(draw() * items.length)]!
  // Few values, so that two elements are often the same.
  const values = (): number[] => Array.from({ length: size }, () => Math.round(draw() * 16 - 8) / 4)
  const number = (): number => draw() * 2 - 0.5
  let branches = false
  const makers: readonly (() => Part)[] = [
    () => {
      const c = bf16(values())
      return ['closes over a vector', (x) => t.add(x, t.mul(t.cos(t.mul(c, 0.7)), c))]
    },
    () => {
      const c = Array.from({ length: size }, number)
      return [`makes the vector ${c}`, (x) => t.mul(x, bf16(c))]
    },
    () => {
      const c = number()
      return [`full ${c}`, (x) => t.sub(t.full([size], c, { dtype: 'bfloat16' }), x)]
    },
    () => {
      const c = number()
      return [`times ${c}`, (x) => t.mul(x, c)]
    },
    () => {
      const c = number()
      return [`plus ${c}`, (x) => t.add(x, c)]
    },
    () => {
      const c = number()
      return [`where > ${c}`, (x) => t.where(t.greater(x, c), t.tanh(x), t.mul(x, x))]
    },
    () => {
      const c = number()
      branches = true
      return [`if > ${c}`, (x) => (t.max(x).item() > c ? t.mul(x, 0.3) : t.add(x, 0.7))]
    },
    () => ['minus max', (x) => t.sub(x, t.max(x, { keepDims: true }))],
    () => ['exp', (x) => t.exp(t.minimum(x, 1))],
    () => ['cumsum', (x) => t.cumsum(x)],
    () => ['share', (x) => t.div(x, t.add(t.sum(t.abs(x), { keepDims: true }), 1))],
    () => ['sqrt', (x) => t.sqrt(t.add(t.abs(x), 0.3))],
    () => ['mirror', (x) => t.maximum(x, t.flip(x))],
    () => {
      const c = bf16(values())
      const loss = (x: Tensor): Tensor => t.sum(t.mul(softmax(x), c))
      return ['gradient of softmax', (x) => grad(loss)(x)]
    },
    () => {
      const loss = (x: Tensor): Tensor => t.sum(t.square(t.mul(t.relu(x), t.max(x))))
      return ['gradient with a maximum', (x) => t.tanh(grad(loss)(x))]
    },
    () => {
      const rate = draw()
      return [
        `running mean ${rate}`,
        (x) => {
          let mean = t.slice(x, [[0, 1]])
          for (let i = 1; i < size; i++) {
            mean = t.add(t.mul(mean, 1 - rate), t.mul(t.slice(x, [[i, i + 1]]), rate))
          }
          return t.sub(x, mean)
        },
      ]
    },
  ]
  const body = Array.from({ length: 2 + Math.floor(draw() * 6) }, () => pick(makers)())
  const times = draw() < 0.15 ? 4 : 1
  const f = (x: Tensor): Tensor => {
    let value = x
    for (let k = 0; k < times; k++) for (const [, run] of body) value = run(value)
    return value
  }
  const x = bf16(values())
  const text = `${times} x ${body.map(([text]) => text).join('; ')} on ${x.toNumbers()}`
  return { f, x, text, branches }
}

/** As one writes it by hand: the maximum is inside the gradient, ties and all. */
function softmax(x: Tensor): Tensor {
  const e = t.exp(t.sub(x, t.max(x, { keepDims: true })))
  return t.div(e, t.sum(e, { keepDims: true }))
}

/** A program with one operation in it that loses far more than all the others. */
export interface PlantedProgram extends Omit<RandomProgram, 'branches'> {
  readonly kind: string
  /** The name of the group that is to be blamed, and how to know one of its steps. */
  readonly guilty: (step: { readonly op: { readonly name: string }; readonly output: Tensor }) => boolean
}

const length = 24

/** Harmless operations on numbers of about 1, then the planted one, then harmless ones again. */
export function plantedProgram(draw: () => number): PlantedProgram {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(draw() * items.length)]!
  const between = (low: number, high: number): number => low + draw() * (high - low)
  const vector = (): Tensor => bf16(Array.from({ length }, () => between(0.6, 1.8)))
  const harmless = (): Part => {
    const c = between(0.7, 1.4)
    const v = vector()
    return pick<Part>([
      [`times ${c}`, (x) => t.mul(x, t.full([], c, { dtype: 'bfloat16' }))],
      ['times a vector', (x) => t.mul(x, v)],
      ['root', (x) => t.sqrt(t.add(t.abs(x), 0.5))],
      ['over a vector', (x) => t.div(x, v)],
      ['mirror', (x) => t.add(t.mul(x, 0.5), t.flip(x))],
      ['where', (x) => t.where(t.greater(v, 1), x, t.mul(x, 0.75))],
    ])
  }
  const large = 2 ** Math.floor(between(6, 9))
  const near = between(0.9, 1.1)
  const culprits: readonly (Omit<PlantedProgram, 'f' | 'x' | 'text'> & { readonly run: Part[1] })[] = [
    {
      kind: 'absorption',
      run: (x) => t.sub(t.add(x, large), large),
      guilty: ({ op, output }) => op.name === 'add' && Math.abs(output.toNumbers()[0]!) > large / 2,
    },
    {
      kind: 'narrow cast',
      run: (x) => t.cast(t.cast(x, 'float8_e5m2'), 'bfloat16'),
      guilty: ({ output }) => output.dtype === 'float8_e5m2',
    },
    {
      kind: 'cancellation',
      // The difference itself is exact; it is the rounding of exp that it magnifies.
      run: (x) => t.mul(t.sub(t.exp(t.mul(x, 2 ** -6)), 1), 64),
      guilty: ({ op }) => op.name === 'exp',
    },
    {
      kind: 'stalled sum',
      run: (x) => {
        const row = t.mul(t.broadcastTo(t.reshape(x, [length, 1]), [length, 512]), 0.25)
        return t.mul(t.sum(row, { axis: 1, accumulate: 'bfloat16' }), 2 ** -7)
      },
      guilty: ({ op }) => op.name === 'sum',
    },
    {
      kind: 'rounded constant',
      run: (x) => {
        const c = 1 - 2 ** -9.6 * near
        let y = x
        for (let i = 0; i < 60; i++) y = t.mul(y, c)
        return y
      },
      guilty: ({ op }) => op.name === 'constant',
    },
  ]
  const { run, ...rest } = pick(culprits)
  const before = Array.from({ length: Math.floor(draw() * 4) }, harmless)
  const after = Array.from({ length: Math.floor(draw() * 4) }, harmless)
  const f = (x: Tensor): Tensor => {
    let value = x
    for (const [, part] of before) value = part(value)
    value = run(value)
    for (const [, part] of after) value = part(value)
    return value
  }
  const text = [...before, [rest.kind], ...after].map(([text]) => text).join('; ')
  return { ...rest, f, x: vector(), text }
}
