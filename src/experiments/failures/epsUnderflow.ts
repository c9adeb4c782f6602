import { checkNumber } from '../../base/options/index.js'
import { adam, applyUpdates } from '../../optimizer/index.js'
import { type FloatDType, full, type Tensor, tensor } from '../../tensors/tensor/index.js'
import { leavesOf, type Tree } from '../../tensors/tree/index.js'
import { type DTypeOption, type Failure, failure } from './record/failure.js'
import { blue, red, say } from './record/shown.js'

/** The optimizer. */
export interface EpsUnderflowOptions extends DTypeOption {
  /** Default: 1e-8, Adam's. */
  readonly eps?: number
}

const steps = 3

/**
 * Adam whose eps is 0: a parameter with a zero gradient is updated by 0 / (sqrt 0 + 0).
 *
 * Readings  `eps` as the dtype has it, `parameter` after three steps of which the first has gradient 0, `firstNaNStep`.
 *
 * @example epsUnderflow.run().naive.firstNaNStep // 1
 */
export const epsUnderflow: Failure<EpsUnderflowOptions> = failure<EpsUnderflowOptions>({
  id: 'eps-underflow',
  title: "Adam's eps of 1e-8 is 0 in float16: 0 / 0",
  story:
    'The smallest float16 above 0 is 6e-8, so 1e-8 rounds to 0. A parameter whose gradient is exactly 0, an embedding row that did not occur or a masked token, has both moments 0, and its update m / (sqrt v + eps) is 0 / 0. The NaN stays in the parameter and in every moment after it. bfloat16 has the range of float32 and is safe.',
  source: 'https://github.com/google-deepmind/optax/issues/1754',
  reported:
    'scale_by_adam, amsgrad and adabelief give NaN on float16 parameters on any step with an exactly zero gradient, because eps is cast to float16 and underflows to 0.',
  repairs: [
    { change: 'an eps that float16 holds', options: { eps: 1e-4 } },
    { change: 'bfloat16, which has the range', options: { dtype: 'bfloat16' } },
    { change: 'float32', options: { dtype: 'float32' } },
  ],
  cure: {
    none: 'eps is 0 in float16 inside the update of adam, which is one loop and no operations to widen',
  },
  options: { dtype: 'optional', eps: 'optional' },
  run({ dtype = 'float16', eps = 1e-8 }) {
    checkNumber(this.id, 'eps', eps, 0, 1)
    const naive = train(dtype, eps)
    const stable = train('float32', eps)
    const kept = held(eps, dtype)
    const holds = naive.firstNaNStep !== null
    const grid = Array.from({ length: 21 }, (_, i) => 10 ** (-(i + 8) / 2))
    return {
      naive: { eps: kept, parameter: naive.parameter, firstNaNStep: naive.firstNaNStep },
      stable: { eps: held(eps, 'float32'), parameter: stable.parameter, firstNaNStep: stable.firstNaNStep },
      holds,
      text: holds
        ? `${dtype} holds eps = ${eps} as ${say(kept)}: the update of a zero gradient is 0 / ${say(kept)}, and the parameter is ${say(naive.parameter)} from step ${naive.firstNaNStep} on; in float32 it is ${say(stable.parameter)}.`
        : `${dtype} holds eps = ${eps} as ${say(kept)}: the update of a zero gradient is 0, and after ${steps} steps the parameter is ${say(naive.parameter)}.`,
      figure: {
        caption: `What becomes of eps in ${dtype}. A ring at the foot is 0.`,
        axes: [
          { label: 'eps as written', scale: 'log10' },
          { label: 'eps as kept', scale: 'log10' },
        ],
        series: [
          blue(
            'float32',
            grid.map((x) => ({ x, y: held(x, 'float32') })),
            'no dots',
          ),
          red(
            dtype,
            grid.map((x) => ({ x, y: held(x, dtype) })),
          ),
        ],
        markers: [{ x: eps, label: `eps = ${eps}` }],
      },
    }
  },
})

function held(value: number, dtype: FloatDType): number {
  return full([], value, { dtype }).item()
}

function train(dtype: FloatDType, eps: number): { parameter: number; firstNaNStep: number | null } {
  const optimizer = adam({ learningRate: 0.001, eps })
  let params: Tensor[] = [tensor([1], { dtype })]
  let state = optimizer.init(params)
  let firstNaNStep: number | null = null
  for (let step = 1; step <= steps; step++) {
    const grads = [tensor([step === 1 ? 0 : 1], { dtype })]
    const [updates, next] = optimizer.update(grads, state, params)
    params = applyUpdates(params, updates)
    state = next
    if (firstNaNStep === null && Number.isNaN(only(params).item())) firstNaNStep = step
  }
  return { parameter: only(params).item(), firstNaNStep }
}

function only(tree: Tree): Tensor {
  return leavesOf(tree)[0]!
}
