import { optimizer as o, type Tensor } from 'tpu-toolkit'
import { grad, valueAndGrad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import * as t from 'tpu-toolkit/tensor'
import { describe, expect, test } from 'vitest'

const dtype = 'float64'
const target = t.tensor([0.5, -1, 2], { dtype })
const start = t.tensor([0.9, -0.6, 1.7], { dtype })
const loss = ({ w }: { w: Tensor }): Tensor => t.sum(t.square(t.mul(w, t.sub(w, target))))

type Maker = (learningRate: Tensor) => o.GradientTransformation
const makers: Readonly<Record<string, Maker>> = {
  sgd: (learningRate) => o.sgd({ learningRate }),
  momentum: (learningRate) => o.sgd({ learningRate, momentum: 0.9, nesterov: true }),
  adam: (learningRate) => o.adam({ learningRate, epsRoot: 1e-3 }),
  adamw: (learningRate) => o.adamw({ learningRate, epsRoot: 1e-3, weightDecay: 0.1 }),
  nadam: (learningRate) => o.nadam({ learningRate, epsRoot: 1e-3 }),
  rmsprop: (learningRate) => o.rmsprop({ learningRate }),
  lamb: (learningRate) => o.lamb({ learningRate }),
  clipped: (learningRate) => o.chain(o.zeroNans(), o.clipByGlobalNorm(0.5), o.sgd({ learningRate })),
  clippedByUnits: (learningRate) => o.chain(o.adaptiveGradClip(0.1), o.sgd({ learningRate })),
  injected: (learningRate) => o.injectHyperparams(o.adam)({ learningRate, epsRoot: 1e-3 }),
}

/** The loss after three steps of training. */
function trained(make: Maker, w: Tensor, learningRate: Tensor): Tensor {
  const transform = make(learningRate)
  let params = { w }
  let state = transform.init(params)
  for (let k = 0; k < 3; k++) {
    const [updates, next] = transform.update(grad(loss)(params), state, params)
    params = o.applyUpdates(params, updates)
    state = next
  }
  return loss(params)
}

/** The central difference along one element. */
function difference(f: (x: Tensor) => Tensor, x: Tensor, i: number, h: number): number {
  const at = (step: number): number => {
    const values = x.toNumbers()
    values[i]! += step
    return f(t.tensor(values, { shape: x.shape, dtype })).item()
  }
  return (at(h) - at(-h)) / (2 * h)
}

// h = 1e-5: the error of a difference is h^2 times the third derivative and 1e-16 / h, each about 1e-10 of the loss's size.
describe('grad through an update', () => {
  const rate = t.tensor(0.02, { dtype })
  test.each(Object.keys(makers))(
    '%s: by the first parameters and by the learning rate it is that of differences',
    (name) => {
      const make = makers[name]!
      const byParams = (w: Tensor): Tensor => trained(make, w, rate)
      const byRate = (learningRate: Tensor): Tensor => trained(make, start, learningRate)
      for (const [f, x] of [
        [byParams, start],
        [byRate, rate],
      ] as const) {
        const got = grad(f)(x).toNumbers()
        for (const [i, slope] of got.entries()) {
          const expected = difference(f, x, i, 1e-5)
          expect(Math.abs(slope - expected), `${slope} ${expected}`).toBeLessThan(
            1e-7 * (1 + Math.abs(expected)),
          )
          expect(slope).not.toBe(0)
        }
      }
    },
  )

  test('compiles to the same bits', () => {
    const f = valueAndGrad((w: Tensor, learningRate: Tensor) => trained(makers['adamw']!, w, learningRate), {
      argnums: [0, 1],
    } as never)
    const bits = ([value, slopes]: readonly [Tensor, unknown]): string =>
      [value, ...([slopes].flat() as Tensor[])].map((x) => x.toBits().join()).join(' ')
    expect(bits(compile(f)(start, rate) as never)).toBe(bits(f(start, rate) as never))
  })

  test('of a transform that looks at elements is an error that says so', () => {
    expect(() =>
      grad((g: Tensor) => t.sum(o.scaleByPolyak().update([g], {}, [start], { value: 1 })[0][0]!))(start),
    ).toThrow('optimizer: this transform looks at elements, so that no gradient goes through it')
  })

  test('by a decay is an error: its power has no gradient', () => {
    const f = (b1: Tensor): Tensor => {
      const adam = o.scaleByAdam({ b1 })
      return t.sum(adam.update([start], adam.init([start]))[0][0]!)
    }
    expect(() => grad(f)(t.tensor(0.9, { dtype }))).toThrow('biasDenominator')
  })
})
