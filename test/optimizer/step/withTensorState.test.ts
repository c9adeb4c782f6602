import { optimizer as o, type Tensor } from 'tpu-toolkit'
import { compile } from 'tpu-toolkit/compile'
import { seeded } from 'tpu-toolkit/random'
import * as t from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, test } from 'vitest'
import { seed } from '../../support/seed.js'

const dtypes = ['float32', 'bfloat16', 'float16', 'float8_e5m2', 'float64'] as const
const rate = (step: number): number => 0.05 / (step + 1)

const makers: Readonly<Record<string, (arithmetic: o.Arithmetic) => o.GradientTransformation>> = {
  adam: (arithmetic) => o.adam({ learningRate: 0.01, arithmetic }),
  'adam by a schedule': (arithmetic) => o.adam({ learningRate: rate, arithmetic }),
  adamw: (arithmetic) => o.adamw({ learningRate: 0.01, weightDecay: 0.1, mask: [true, false], arithmetic }),
  nadamw: (arithmetic) => o.nadamw({ learningRate: 0.01, arithmetic }),
  amsgrad: (arithmetic) => o.amsgrad({ learningRate: 0.01, arithmetic }),
  adabelief: (arithmetic) => o.adabelief({ learningRate: 0.01, arithmetic }),
  adagrad: (arithmetic) => o.adagrad({ learningRate: 0.01, arithmetic }),
  adamax: (arithmetic) => o.adamax({ learningRate: 0.01, arithmetic }),
  adamaxw: (arithmetic) => o.adamaxw({ learningRate: 0.01, arithmetic }),
  adadelta: (arithmetic) => o.adadelta({ learningRate: 0.01, arithmetic }),
  radam: (arithmetic) => o.radam({ learningRate: rate, arithmetic }),
  rmsprop: (arithmetic) => o.rmsprop({ learningRate: 0.01, momentum: 0.9, centered: true, arithmetic }),
  lion: (arithmetic) => o.lion({ learningRate: 0.01, arithmetic }),
  yogi: (arithmetic) => o.yogi({ learningRate: 0.01, arithmetic }),
  sgd: (arithmetic) => o.sgd({ learningRate: rate, momentum: 0.9, nesterov: true, arithmetic }),
  signSgd: (arithmetic) => o.signSgd({ learningRate: 0.01, arithmetic }),
  signum: (arithmetic) => o.signum({ learningRate: 0.01, arithmetic }),
  lamb: (arithmetic) => o.lamb({ learningRate: 0.01, weightDecay: 0.1, arithmetic }),
  lars: (arithmetic) => o.lars({ learningRate: 0.01, weightDecay: 0.1, arithmetic }),
  'clip, zeroNans, adamw': (arithmetic) =>
    o.chain(o.clipByGlobalNorm(1, { arithmetic }), o.zeroNans(), o.adamw({ learningRate: rate, arithmetic })),
  'zeroNans, clip, sgd': (arithmetic) =>
    o.chain(o.zeroNans(), o.clipByGlobalNorm(1e3, { arithmetic }), o.sgd({ learningRate: 0.1, arithmetic })),
  'clips and means': (arithmetic) =>
    o.chain(
      o.zeroNans(),
      o.clip(2, { arithmetic }),
      o.clipByBlockRms(0.5, { arithmetic }),
      o.centralize({ arithmetic }),
      o.normalizeByUpdateNorm({ arithmetic }),
      o.scaleByParamBlockRms(0.1, { arithmetic }),
      o.ema(0.9, { arithmetic }),
      o.scaleByLearningRate(0.1, { arithmetic }),
    ),
  'injected hyperparameters': (arithmetic) =>
    o.injectHyperparams(o.adamw)({ learningRate: rate, b1: 0.8, weightDecay: 0.1, arithmetic }),
  scheduleFreeSgd: (arithmetic) =>
    o.scheduleFreeSgd({ learningRate: 0.1, warmupSteps: 3, weightDecay: 0.01, arithmetic }),
  scheduleFreeAdamw: (arithmetic) => o.scheduleFreeAdamw({ learningRate: 0.01, arithmetic }),
  'schedule-free by a rate that begins at 0': (arithmetic) =>
    o.scheduleFree(o.sgd({ learningRate: 0.1, momentum: 0.9, arithmetic }), {
      ...{ learningRate: (step) => (step < 4 ? 0 : 0.1), b1: 0.8, weightLrPower: 1, arithmetic },
    }),
  prodigy: (arithmetic) => o.prodigy({ arithmetic }),
  'prodigy by a schedule': (arithmetic) =>
    o.prodigy({ learningRate: rate, weightDecay: 0.1, safeguardWarmup: true, estimLr0: 1e-3, arithmetic }),
  dadaptAdamw: (arithmetic) => o.dadaptAdamw({ learningRate: rate, weightDecay: 0.1, arithmetic }),
  muon: (arithmetic) => o.muon({ learningRate: 0.02, weightDecay: 0.1, arithmetic }),
  'adaptive muon': (arithmetic) =>
    o.muon({ learningRate: rate, adaptive: true, nesterov: false, nsSteps: 2, arithmetic }),
  'muon by dimension numbers': (arithmetic) =>
    o.muon({
      ...{ learningRate: 0.02, nsSteps: 2, arithmetic },
      muonWeightDimensionNumbers: [{ reductionAxis: 1, outputAxis: 0 }, null],
    }),
  optimisticGradientDescent: (arithmetic) =>
    o.optimisticGradientDescent({ learningRate: rate, alpha: 0.7, beta: 0.4, arithmetic }),
  'muon by factors of rows': (arithmetic) =>
    o.muon({ learningRate: 0.02, nsSteps: 2, preconditioning: 'aol', arithmetic }),
  'muon by the norm of the product': (arithmetic) =>
    o.muon({ learningRate: 0.02, nsSteps: 2, preconditioning: 'schatten', arithmetic }),
  rprop: (arithmetic) => o.rprop({ learningRate: 0.02, arithmetic }),
  sm3: (arithmetic) => o.sm3({ learningRate: 0.02, arithmetic }),
  adaptiveGradClip: (arithmetic) =>
    o.chain(o.adaptiveGradClip(0.1, { arithmetic }), o.adam({ learningRate: 0.01, arithmetic })),
  applyEvery: (arithmetic) =>
    o.chain(o.adam({ learningRate: 0.01, arithmetic }), o.applyEvery(3, { arithmetic })),
  novograd: (arithmetic) => o.novograd({ learningRate: 0.01, weightDecay: 0.1, arithmetic }),
  adan: (arithmetic) => o.adan({ learningRate: rate, weightDecay: 0.1, arithmetic }),
  adopt: (arithmetic) => o.adopt({ learningRate: 0.01, nesterov: true, arithmetic }),
  'adopt without clipping': (arithmetic) => o.adopt({ learningRate: 0.01, useClipping: false, arithmetic }),
  adafactor: (arithmetic) => o.adafactor({ learningRate: 0.01, minDimSizeToFactor: 5, arithmetic }),
  'adafactor with momentum': (arithmetic) =>
    o.adafactor({ learningRate: rate, momentum: 0.9, weightDecayRate: 0.1, arithmetic }),
  'every second step': (arithmetic) =>
    o.multiSteps(o.adam({ learningRate: rate, arithmetic }), 2, { arithmetic }),
  'more and more steps, finite ones': (arithmetic) =>
    o.multiSteps(o.sgd({ learningRate: rate, momentum: 0.9, arithmetic }), (step) => step + 1, {
      ...{ skipNotFinite: true, useGradMean: false, accumulatorDtype: 'bfloat16', arithmetic },
    }),
  'if finite': (arithmetic) => o.applyIfFinite(o.adam({ learningRate: 0.01, arithmetic }), 1),
  parts: (arithmetic) =>
    o.partition(
      { one: o.adam({ learningRate: 0.1, arithmetic }), other: o.sgd({ learningRate: rate, arithmetic }) },
      ['one', 'other'],
    ),
}

const bitsOf = (tree: unknown): string =>
  leavesOf(tree as Tensor[])
    .map((x) => `${x.dtype} ${x.shape} ${Array.from(x.toBits(), String)}`)
    .join(' ')

describe.each(['ieee', 'xla-cpu'] as const)(`compile of a whole update (%s, seed ${seed})`, (arithmetic) => {
  test.each(Object.keys(makers))('%s gives the bits of the update itself, by one program', (name) => {
    const draw = seeded(`recorded ${name} ${seed}`)
    const special = [0, -0, Infinity, -Infinity, Number.NaN, 1e-40, -1e-39, 1e30]
    for (const dtype of dtypes) {
      const values = (n: number, odd: number): number[] =>
        Array.from({ length: n }, () =>
          draw() < odd
            ? special[Math.floor(draw() * special.length)]!
            : (draw() - 0.5) * 2 ** (draw() * 12 - 8),
        )
      const leaves = (odd: number): Tensor[] => [
        t.tensor(values(70, odd), { shape: [10, 7], dtype }),
        t.tensor(values(3, odd), { dtype }),
      ]
      const plain = makers[name]!(arithmetic)
      const known = o.withTensorState(plain)
      let recordings = 0
      const step = compile((params: Tensor[], grads: Tensor[], state: ReturnType<typeof known.init>) => {
        recordings++
        const [updates, next] = known.update(grads, state, params)
        return { params: o.applyUpdates(params, updates, { arithmetic }), state: next }
      })
      const start = leaves(0)
      let eager = { params: start, state: plain.init(start) }
      let compiled = { params: start, state: known.init(start) }
      for (let k = 0; k < 6; k++) {
        const grads = leaves(k === 4 ? 0.1 : 0)
        const [updates, state] = plain.update(grads, eager.state, eager.params)
        eager = { params: o.applyUpdates(eager.params, updates, { arithmetic }), state }
        if (k < 2) {
          const alone = known.update(grads, compiled.state, compiled.params)
          expect(bitsOf(alone), `${dtype} step ${k}, not compiled`).toBe(
            bitsOf([updates, o.stateToTree(state)]),
          )
        }
        compiled = step(compiled.params, grads, compiled.state)
        expect(bitsOf(compiled.params), `${dtype} step ${k}`).toBe(bitsOf(eager.params))
        expect(bitsOf(compiled.state), `${dtype} state after step ${k}`).toBe(
          bitsOf(o.stateToTree(eager.state)),
        )
      }
      expect(recordings, dtype).toBe(1)
    }
  })
})

test.each([true, false])(
  'lookahead gives the bits of the update itself, by one program (resetState %s)',
  (resetState) => {
    const plain = o.lookahead(o.adam({ learningRate: rate }), {
      syncPeriod: 3,
      slowStepSize: 0.5,
      resetState,
    })
    const draw = seeded(`lookahead ${seed}`)
    const leaf = (): Tensor[] => [
      t.tensor(
        Array.from({ length: 20 }, () => draw() - 0.5),
        { dtype: 'bfloat16' },
      ),
    ]
    const start = leaf()
    const pair = { fast: start, slow: start }
    const known = o.withTensorState(plain)
    const step = compile((params: typeof pair, grads: Tensor[], state: ReturnType<typeof known.init>) => {
      const [updates, next] = known.update(grads, state, params)
      return { params: o.applyUpdates(params, updates as unknown as typeof pair), state: next }
    })
    let eager = { params: pair, state: plain.init(pair) }
    let compiled = { params: pair, state: known.init(pair) }
    for (let k = 0; k < 8; k++) {
      const grads = leaf()
      const [updates, state] = plain.update(grads, eager.state, eager.params)
      eager = { params: o.applyUpdates(eager.params, updates), state }
      compiled = step(compiled.params, grads, compiled.state)
      expect(bitsOf(compiled.params), `step ${k}`).toBe(bitsOf(eager.params))
      expect(bitsOf(compiled.state), `state after step ${k}`).toBe(bitsOf(o.stateToTree(eager.state)))
    }
  },
)
