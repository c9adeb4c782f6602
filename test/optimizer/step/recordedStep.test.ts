import { add, matmul, mean, mul, optimizer as o, relu, square, sub, type Tensor, tensor } from 'tpu-toolkit'
import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { recordedPrograms } from 'tpu-toolkit/compile'
import { key, normal, seeded } from 'tpu-toolkit/random'
import { cast, dtypes, type FloatDType, isFloat, sum } from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest'

interface Net {
  readonly w: Tensor
  readonly b: Tensor
}

const drawn = (dtype: FloatDType, shape: readonly number[], at: number): Tensor =>
  cast(normal(key(at), shape), dtype)

const bitsOf = (tree: unknown): string =>
  leavesOf(tree as Tensor[])
    .map((x) => `${x.dtype} ${x.shape} ${Array.from(x.toBits(), String)}`)
    .join(' ')

const loss = ({ w, b }: Net, x: Tensor, y: Tensor): Tensor => mean(square(sub(relu(add(matmul(x, w), b)), y)))

/** The loss of a net, and its outputs beside. */
const lossWithOutputs = (net: Net, x: Tensor, y: Tensor): [Tensor, { outputs: Tensor; rows: number }] => [
  loss(net, x, y),
  { outputs: matmul(x, net.w), rows: x.shape[0]! },
]

const optimizers: Readonly<Record<string, () => o.Optimizer<never>>> = {
  adamw: () => o.adamw({ learningRate: 0.05 }),
  'sgd with a schedule': () =>
    o.sgd({ learningRate: (step: number) => 0.1 / (step + 1), momentum: 0.9, nesterov: true }),
  createOptimizer: () => o.createOptimizer({ lr: 0.1, totalSteps: 9, warmupSteps: 2, gradClip: 0.5 }),
  'polyakSgd, which reads the loss': () => o.polyakSgd(),
  'multiSteps, which skips updates': () => o.multiSteps(o.sgd({ learningRate: 0.1 }), 2),
  'addNoise, which draws': () => o.chain(o.addNoise({ eta: 0.1, gamma: 0.5, key: key(3) }), o.scale(-0.1)),
} as never

/** Rows of the batches of successive steps: shapes that come again, and others. */
const rows = [8, 8, 5, 8, 5, 8]

/** Both steps from the same start, side by side; the batch of one step has a NaN. */
function expectSameSteps(dtype: FloatDType, make: () => o.Optimizer<never>, donate: boolean): void {
  const optimizer = make()
  const gradient = valueAndGrad(lossWithOutputs, { hasAux: true })
  const start = (): o.Point<never, Net> => {
    const params: Net = { w: drawn(dtype, [6, 4], 1), b: drawn(dtype, [4], 2) }
    return { params, state: optimizer.init(params as never) }
  }
  const eager = o.makeTrainStep(gradient, optimizer, { compile: false })
  const step = o.makeTrainStep(gradient, optimizer, { donate })
  let [one, other] = [start(), start()]
  for (const [k, n] of rows.entries()) {
    const noise = drawn(dtype, [n, 4], 20 + k)
    const y = k === 4 ? mul(noise, cast(tensor([1, NaN, 1, 1]), dtype)) : noise
    const batch = [drawn(dtype, [n, 6], 10 + k), y] as const
    const [a, b] = [eager(one, ...batch), step(other, ...batch)]
    expect(bitsOf([b.params, b.loss[0], b.loss[1].outputs, o.stateToTree(b.state)])).toBe(
      bitsOf([a.params, a.loss[0], a.loss[1].outputs, o.stateToTree(a.state)]),
    )
    expect(b.loss[1].rows).toBe(n)
    ;[one, other] = [a, b]
  }
}

const hasNan = (dtype: FloatDType): boolean => Number.isNaN(cast(tensor(NaN), dtype).item())

let warned: MockInstance<typeof console.warn>
beforeEach(() => {
  warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const said = (): string[] => warned.mock.calls.map(([line]) => String(line))
const sgd = o.sgd({ learningRate: 0.5 })
type Vector = { readonly w: Tensor }
const pointOf = (...numbers: number[]) => {
  const params: Vector = { w: tensor(numbers) }
  return { params, state: sgd.init(params) }
}

describe('makeTrainStep(valueAndGrad(loss), optimizer)', () => {
  for (const [name, make] of Object.entries(optimizers)) {
    test.each(dtypes.filter(isFloat).filter(hasNan))(
      `has the bits of compile: false, shapes changing, with a NaN, ${name} in %s`,
      (dtype) => {
        expectSameSteps(dtype, make, false)
        if (name === 'adamw') expectSameSteps(dtype, make, true)
        expect(said()).toEqual([])
      },
    )
  }

  test('asks the loss once, and again where the step is a power of two', () => {
    let calls = 0
    const gradient = valueAndGrad(({ w }: Vector, x: Tensor) => {
      calls++
      return sum(mul(w, x))
    })
    const step = o.makeTrainStep(gradient, sgd)
    const before = recordedPrograms()
    let point = pointOf(1, 2)
    const seen: number[] = []
    for (let k = 0; k < 9; k++) {
      point = { ...step(point, tensor([1, 1])) }
      seen.push(calls)
    }
    expect(seen).toEqual([1, 2, 2, 3, 3, 3, 3, 4, 4])
    expect(recordedPrograms() - before).toBe(1)
    expect(point.params.w.toNumbers()).toEqual(Float64Array.of(1 - 4.5, 2 - 4.5))
  })

  test('asks the loss at every step with compile: false', () => {
    let calls = 0
    const gradient = valueAndGrad(({ w }: Vector) => {
      calls++
      return sum(w)
    })
    const step = o.makeTrainStep(gradient, sgd, { compile: false })
    step(step(step(pointOf(1))))
    expect(calls).toBe(3)
    expect(() => o.makeTrainStep(gradient, sgd, { compile: 1 } as never)).toThrow(
      'makeTrainStep: compile is not true or false [1]',
    )
  })

  test('runs as before where the loss reads an element, and says so once', () => {
    const gradient = valueAndGrad(({ w }: Vector) => (sum(w).item() > 0 ? sum(w) : sum(square(w))))
    const step = o.makeTrainStep(gradient, sgd)
    let point = { ...step(pointOf(1, -0.25)) }
    expect(point.params.w.toNumbers()).toEqual(Float64Array.of(0.5, -0.75))
    for (let k = 0; k < 3; k++) point = step(point)
    expect(said()).toHaveLength(1)
    expect(said()[0]).toMatch(
      /^makeTrainStep: .*cannot be recorded \[compile: an element was read.*\]; compile: false/,
    )
  })

  test('sees at the second step that the loss draws or reads what changes, and loses no draw', () => {
    const steps = (compile: boolean): string => {
      const random = seeded('recordedStep')
      let scale = 1
      const gradient = valueAndGrad(({ w }: Vector) => sum(mul(mul(w, tensor([random(), random()])), scale)))
      const step = o.makeTrainStep(gradient, sgd, { compile })
      let point = pointOf(1, 2)
      for (let k = 0; k < 6; k++) {
        scale = k
        point = step(point)
      }
      return bitsOf(point.params)
    }
    expect(steps(true)).toBe(steps(false))
    expect(said()).toEqual([expect.stringContaining('not the same function at the second step')])
  })

  test('says within twice the steps that the loss became another', () => {
    let scale = 1
    const step = o.makeTrainStep(
      valueAndGrad(({ w }: Vector) => sum(mul(w, scale))),
      sgd,
    )
    let point = pointOf(0)
    for (let k = 1; k <= 8; k++) {
      if (k === 5) scale = 3
      point = step(point)
    }
    expect(said()).toEqual([expect.stringContaining('between step 4 and step 8')])
    expect(point.params.w.item()).toBe(-0.5 * 7 - 1.5)
    expect(step(point).params.w.item()).toBe(-0.5 * 7 - 3)
  })

  test('makes no program of a number that changes at every step', () => {
    const step = o.makeTrainStep(
      valueAndGrad(({ w }: Vector, at: number) => sum(mul(w, at))),
      sgd,
    )
    const before = recordedPrograms()
    let point = pointOf(0)
    for (let k = 0; k < 20; k++) point = step(point, k)
    expect(point.params.w.item()).toBe(-95)
    expect(recordedPrograms() - before).toBe(7)
    expect(said()).toEqual([expect.stringContaining('7 of 7 had other shapes or other values')])
  })

  test('throws what the loss throws, and goes on', () => {
    const gradient = valueAndGrad(({ w }: Vector, x: Tensor) => sum(mul(w, x)))
    const step = o.makeTrainStep(gradient, sgd)
    const bad = (): unknown => step(pointOf(1, 2), tensor([1, 2, 3]))
    expect(bad).toThrow('mul')
    const next = step(pointOf(1, 2), tensor([2, 2]))
    expect(bad).toThrow('mul')
    expect(step(next, tensor([2, 2])).params.w.toNumbers()).toEqual(Float64Array.of(-1, 0))
    expect(said()).toEqual([])
  })

  test('gives the optimizer the loss where it asks for it', () => {
    const solver = o.polyakSgd()
    const step = o.makeTrainStep(
      valueAndGrad(({ w }: Vector) => sum(square(w))),
      solver,
    )
    const params: Vector = { w: tensor([3, 4]) }
    let point = { ...step({ params, state: solver.init(params) }) }
    const before = recordedPrograms()
    point = step(point)
    expect(point.loss.item()).toBe(6.25)
    expect(recordedPrograms()).toBe(before)
  })
})
