import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import {
  adamw,
  applyGradients,
  applyUpdates,
  type MakeTrainStepOptions,
  makeTrainStep,
  withTensorState,
} from 'tpu-toolkit/optimizer'
import { gradientRules } from 'tpu-toolkit/ssm'
import { drawData, lastFiniteInputs, lossOf, step2750Options } from 'tpu-toolkit/step2750'
import { add, dtypes, type FloatDType, isFloat, mul, sub, type Tensor, tanh } from 'tpu-toolkit/tensor'
import type { Treelike } from 'tpu-toolkit/tree'
import {
  drawn,
  mlpBatchOf,
  mlpLoss,
  mlpParameters,
  transformerBatch,
  transformerLoss,
  transformerParameters,
} from './models.js'
import { both, microseconds, milliseconds, type Program } from './program.js'

const trained: readonly FloatDType[] = ['bfloat16', 'float32', 'float16', 'float8_e4m3fn']
const large = 2 ** 20

const mlpGradient = (dtype: FloatDType): Program => ({
  name: `mlp gradient ${dtype}`,
  ...milliseconds,
  prepare: () => both(valueAndGrad(mlpLoss), [mlpParameters(dtype), ...mlpBatchOf(dtype)]),
})

/** A whole step as every page writes it, and with `compile: false`, always from the same point: in 8 bits the second would start from NaN, where eps is 0. */
const mlpStep = (dtype: FloatDType): Program => ({
  name: `mlp step ${dtype}`,
  ...milliseconds,
  prepare() {
    const params = mlpParameters(dtype)
    const batch = mlpBatchOf(dtype)
    const optimizer = adamw({ learningRate: 1e-3 })
    const point = { params, state: optimizer.init(params) }
    const stepBy = (gradient: typeof lossAndGrad, options: MakeTrainStepOptions = {}): (() => Treelike) => {
      const step = makeTrainStep(gradient, optimizer, options)
      return () => {
        const next = step(point, ...batch)
        return [next.loss, next.params]
      }
    }
    const lossAndGrad = valueAndGrad(mlpLoss)
    const threaded = (threads: number): (() => Treelike) => stepBy(compile(lossAndGrad, { threads }))
    return {
      eager: stepBy(lossAndGrad, { compile: false }),
      compiled: stepBy(lossAndGrad),
      threaded,
    }
  },
})

const transformer = (dtype: FloatDType): Program => ({
  name: `transformer gradient ${dtype}`,
  ...milliseconds,
  prepare: () =>
    both(valueAndGrad(transformerLoss), [transformerParameters(dtype), ...transformerBatch(dtype)]),
})

const step2750: Program = {
  name: 'step-2750 gradient bfloat16',
  ...microseconds,
  prepare() {
    const run = step2750Options({ steps: 5 })
    const { parameters, sequence } = lastFiniteInputs(drawData(run), run)
    const loss = (p: typeof parameters, s: typeof sequence): Tensor => lossOf(p, s, run)
    return both(valueAndGrad(loss, { rules: gradientRules }), [parameters, sequence])
  },
}

/** Twelve operations, each of which rounds. */
function chained(x: Tensor): Tensor {
  let y = x
  for (let i = 0; i < 4; i++) y = sub(add(mul(y, 0.75), x), 0.25)
  return y
}

const chain = (dtype: FloatDType): Program => ({
  name: `chain ${dtype}`,
  n: 12 * large,
  unit: 'ns an element and operation',
  prepare: () => both(chained, [drawn(50, [large], dtype)]),
})

/** Link by link, and by `applyGradients`, which makes a program of the links (in float32 their fused kernel). */
const adamwAlone = (dtype: FloatDType): Program => ({
  name: `adamw ${dtype}`,
  n: large,
  unit: 'ns a parameter',
  prepare() {
    const optimizer = adamw({ learningRate: 1e-3 })
    const params = { w: drawn(60, [large], dtype) }
    const grads = { w: drawn(61, [large], dtype, 0.1) }
    const state = optimizer.init(params)
    const compiled = (): Treelike => applyGradients(optimizer, grads, { params, state }).params
    const eager = (): Treelike => applyUpdates(params, optimizer.update(grads, state, params)[0])
    // applyGradients has one thread.
    return { eager, compiled, threaded: () => compiled }
  },
})

/** How AdamW as a program of tensor operations is run: by whose arithmetic, and whether what it replaces is given away. */
interface AdamwWay {
  readonly donate?: true
  readonly arithmetic?: 'xla-cpu'
}

/** The same as a program of tensor operations, in float32 too, where `applyGradients` has a kernel of its own. */
const adamwProgram = (dtype: FloatDType, { donate, arithmetic }: AdamwWay = {}): Program => ({
  name: ['program of adamw', dtype, donate && 'donated', arithmetic].filter(Boolean).join(' '),
  n: large,
  unit: 'ns a parameter',
  prepare() {
    const optimizer = withTensorState(adamw({ learningRate: 1e-3, ...(arithmetic && { arithmetic }) }))
    const grads = { w: drawn(61, [large], dtype, 0.1) }
    type Params = typeof grads
    const start = (): [Params, ReturnType<typeof optimizer.init>] => {
      const params = { w: drawn(60, [large], dtype) }
      return [params, optimizer.init(params)]
    }
    const f = (params: Params, state: ReturnType<typeof optimizer.init>, slopes: Params) => {
      const [updates, next] = optimizer.update(slopes, state, params)
      return { params: applyUpdates(params, updates), next }
    }
    const stepBy = (step: typeof f): (() => Treelike) => {
      let [params, state] = start()
      return () => {
        const made = step(params, state, grads)
        if (donate) [params, state] = [made.params, made.next]
        return made.params
      }
    }
    const threaded = (threads: number): (() => Treelike) =>
      stepBy(compile(f, { threads, ...(donate ? { donate: [0, 1] } : {}) }))
    return { eager: stepBy(f), compiled: threaded(1), threaded }
  },
})

const small = (name: string, f: (x: Tensor, y: Tensor) => Treelike): Program => ({
  name: `small ${name}`,
  ...microseconds,
  prepare: () => both(f, [drawn(70, [16], 'bfloat16'), drawn(71, [16], 'bfloat16')]),
})

const wave = (x: Tensor, y: Tensor): Tensor => {
  let z = x
  for (let i = 0; i < 10; i++) z = mul(tanh(z), y)
  return z
}

/** What `npm run bench:compile` runs, in this order. */
export const programs: readonly Program[] = [
  ...trained.map(mlpGradient),
  ...trained.map(mlpStep),
  ...(['bfloat16', 'float32'] as const).map(transformer),
  step2750,
  ...trained.map(chain),
  ...dtypes.filter(isFloat).map(adamwAlone),
  ...trained.flatMap((dtype) => [
    adamwProgram(dtype),
    adamwProgram(dtype, { donate: true }),
    adamwProgram(dtype, { arithmetic: 'xla-cpu' }),
  ]),
  small('1 operation', (x, y) => add(x, y)),
  small('20 operations', wave),
]
