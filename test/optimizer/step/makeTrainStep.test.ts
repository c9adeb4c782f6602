import { add, matmul, mean, optimizer as o, relu, square, sub, type Tensor, tensor } from 'tpu-toolkit'
import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { key, normal, split } from 'tpu-toolkit/random'
import { cast, type FloatDType } from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, test } from 'vitest'

interface Net {
  readonly w: Tensor
  readonly b: Tensor
}

const loss = ({ w, b }: Net, x: Tensor, y: Tensor): Tensor => mean(square(sub(relu(add(matmul(x, w), b)), y)))

function drawn(dtype: FloatDType, shape: readonly number[], at: number): Tensor {
  return cast(normal(split(key(at), 2)[0]!, shape), dtype)
}

const bitsOf = (tree: unknown): string =>
  leavesOf(tree as Tensor[])
    .map((x) => `${x.dtype} ${Array.from(x.toBits(), String)}`)
    .join(' ')

const makers = {
  createOptimizer: () => o.createOptimizer({ lr: 0.1, totalSteps: 20, warmupSteps: 3, gradClip: 0.5 }),
  adamw: () => o.adamw({ learningRate: 0.05 }),
  lamb: () => o.lamb({ learningRate: (step: number) => 0.1 / (step + 1) }),
  'adamw in xla-cpu': () => o.adamw({ learningRate: 0.05, arithmetic: 'xla-cpu' }),
  'applyIfFinite, which looks': () => o.applyIfFinite(o.sgd({ learningRate: 0.1 }), 3),
  injectHyperparams: () => o.injectHyperparams(o.sgd)({ learningRate: 0.1, momentum: 0.9 }),
} satisfies Readonly<Record<string, () => o.GradientTransformation>>

describe('makeTrainStep of a compiled gradient', () => {
  for (const dtype of ['float32', 'bfloat16', 'float16'] as const) {
    test.each(Object.keys(makers))(
      `gives the bits of the gradient that is not compiled, %s in ${dtype}`,
      (name) => {
        const make = makers[name as keyof typeof makers] as () => o.GradientTransformation
        const arithmetic = name.endsWith('xla-cpu') ? 'xla-cpu' : 'ieee'
        for (const donate of [false, true]) {
          const optimizer = make()
          const start = (): o.Point<o.State, Net> => {
            const params: Net = { w: drawn(dtype, [6, 4], 1), b: drawn(dtype, [4], 2) }
            return { params, state: optimizer.init(params as never) }
          }
          const eager = o.makeTrainStep(valueAndGrad(loss), optimizer, { arithmetic })
          const fast = o.makeTrainStep(compile(valueAndGrad(loss)), optimizer, { arithmetic, donate })
          let [one, other] = [start(), start()]
          for (let k = 0; k < 5; k++) {
            const batch = [drawn(dtype, [8, 6], 10 + k), drawn(dtype, [8, 4], 20 + k)] as const
            const [a, b] = [eager(one, ...batch), fast(other, ...batch)]
            expect(bitsOf([b.params, b.loss, o.stateToTree(b.state)])).toBe(
              bitsOf([a.params, a.loss, o.stateToTree(a.state)]),
            )
            ;[one, other] = [a, b]
          }
        }
      },
    )
  }

  test('keeps counts as numbers, and asks its function once for all steps', () => {
    let calls = 0
    const gradient = compile((w: Tensor) => {
      calls++
      return [w, w] as const
    })
    const adam = o.adam({ learningRate: (step) => 0.1 / (step + 1) })
    const step = o.makeTrainStep(gradient, adam)
    let point: o.Point<ReturnType<typeof adam.init>, Tensor> = {
      params: tensor([1, 2]),
      state: adam.init(tensor([1, 2])),
    }
    for (let k = 0; k < 12; k++) point = step(point)
    expect(calls).toBe(1)
    expect(point.state[0]).toMatchObject({ count: 12 })
  })

  test('hands on what compile was told of the batch', () => {
    const gradient = compile(
      (w: Tensor, table: ReadonlyMap<string, number>) => [w, add(w, table.get('a')!)] as const,
      {
        static: 1,
      },
    )
    const step = o.makeTrainStep(gradient, o.sgd({ learningRate: 1 }))
    const next = step({ params: tensor([3]), state: [{}, {}] } as never, new Map([['a', 2]]))
    expect((next.params as unknown as Tensor).item()).toBe(-2)
  })

  test('says what is no pair', () => {
    const step = o.makeTrainStep(compile((w: Tensor) => w) as never, o.sgd({ learningRate: 1 }))
    expect(() => step({ params: tensor([3]), state: [{}, {}] } as never)).toThrow(
      'makeTrainStep: lossAndGrad gave no pair',
    )
  })

  test('refuses to donate leaves that share an array', () => {
    const sgd = o.sgd({ learningRate: 1 })
    const w = tensor([1, 2])
    const step = o.makeTrainStep(
      compile((p: Tensor[]) => [p[0]!, p] as const),
      sgd,
      { donate: true },
    )
    expect(() => step({ params: [w, w], state: sgd.init([w, w]) })).toThrow('leaves share an array')
  })
})
