import { grad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { type StoredParamsOptions, stalledUpdates, storedParams } from 'tpu-toolkit/lowprecision'
import { adamw, applyGradients, type GradientTransformation, lion, rmsprop, sgd } from 'tpu-toolkit/optimizer'
import { key, normal } from 'tpu-toolkit/random'
import { cast, type FloatDType, matmul, mean, square, sub, type Tensor, tensor } from 'tpu-toolkit/tensor'
import {
  type StoredAsked,
  type StoredName,
  type StoredOptimizer,
  type StoredRun,
  storedModes,
} from './optimizersMessages.js'

/** Equations, and parameters. */
const size = 64

const optimizers: Readonly<Record<StoredOptimizer, (learningRate: number) => GradientTransformation>> = {
  adamw: (learningRate) => adamw({ learningRate }) as GradientTransformation,
  sgd: (learningRate) => sgd({ learningRate }) as GradientTransformation,
  lion: (learningRate) => lion({ learningRate }) as GradientTransformation,
  rmsprop: (learningRate) => rmsprop({ learningRate }) as GradientTransformation,
}

/** Least squares of 64 equations, the same numbers in every dtype: where it starts, and its gradient. */
function problem(seed: number, dtype: FloatDType): { start: Tensor; slope: (w: Tensor) => Tensor } {
  const drawn = (stream: number, shape: readonly number[], scale: number): Tensor => {
    const values = normal(
      key(3 * seed + stream),
      shape.reduce((n, length) => n * length, 1),
    )
    return cast(
      tensor(
        values.map((value) => value * scale),
        { shape },
      ),
      dtype,
    )
  }
  const a = drawn(0, [size, size], 1 / 8)
  const b = matmul(a, drawn(1, [size, 1], 1), { accumulate: dtype })
  const loss = (w: Tensor): Tensor => mean(square(sub(matmul(a, w, { accumulate: dtype }), b)))
  return { start: drawn(2, [size, 1], 1), slope: compile(grad(loss)) }
}

/**
 * The same training with its parameters stored in four ways, and how far each is from float64 by the step. Gradients are
 * those at the stored parameters, computed in float32; so is what the optimizer does. One way after the other.
 */
export function* storedRuns({ optimizer, rate, dtype, steps, seed }: StoredAsked): Generator<StoredRun> {
  const exact = exactRun(optimizers[optimizer](rate), dtype, steps, seed)
  const { start, slope } = problem(seed, 'float32')
  for (const mode of storedModes) {
    let params: Tensor = cast(start, dtype)
    const [tooSmall, distance]: [number[], number[]] = [[], []]
    const inner = optimizers[optimizer](rate)
    const watched: GradientTransformation = {
      init: inner.init,
      update(grads, state, tree) {
        const [updates, next] = inner.update(grads, state, tree)
        tooSmall.push(stalledUpdates([params], updates).share)
        return [updates, next]
      },
    }
    const { init, step } = storedParams(watched, storage(mode, dtype, seed))
    let point = init([params])
    for (let i = 0; i < steps; i++) {
      point = step([slope(cast(params, 'float32'))], point)
      params = point.params[0]!
      distance.push(apart(params.toNumbers(), exact[i]!))
    }
    yield { mode, tooSmall, distance }
  }
}

function storage(mode: StoredName, dtype: FloatDType, seed: number): StoredParamsOptions {
  return mode === 'stochastic' ? { mode, dtype, random: key(seed) } : { mode, dtype }
}

/** The parameters after each step in float64, from where the stored ones start. */
function exactRun(
  optimizer: GradientTransformation,
  dtype: FloatDType,
  steps: number,
  seed: number,
): Float64Array[] {
  const { slope } = problem(seed, 'float64')
  const start = cast(cast(problem(seed, 'float32').start, dtype), 'float64')
  let point = { params: [start] as readonly Tensor[], state: optimizer.init([start]) }
  return Array.from({ length: steps }, () => {
    point = applyGradients(optimizer, [slope(point.params[0]!)], point)
    return point.params[0]!.toNumbers()
  })
}

/** The largest difference. */
function apart(a: Float64Array, b: Float64Array): number {
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0)
}
