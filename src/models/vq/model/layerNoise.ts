import { cast, matmul, sub, type Tensor } from '../../../tensors/tensor/index.js'

/** What a layer's weights lost. */
export interface LayerNoise {
  /** Sums of squares: of the weights, and of their errors. */
  readonly signal: number
  readonly error: number
  /** The same of the outputs for calibration inputs; undefined without. */
  readonly outputs: { readonly signal: number; readonly error: number } | undefined
}

/** A layer as its errors are measured: weights [in, out], and inputs [samples, in] where there are some. */
export interface MeasuredLayer {
  readonly matrix: Tensor
  readonly inputs: Tensor | undefined
}

/** The mean square of each input, which is what an error in its row of the weights counts. */
export function importanceOf(inputs: Tensor): Float64Array {
  const [samples, width] = inputs.shape as [number, number]
  const values = inputs.toNumbers()
  const squares = new Float64Array(width)
  for (let i = 0; i < values.length; i++) squares[i % width]! += (values[i]! * values[i]!) / samples
  return squares
}

/** The errors of weights that stand for others. */
export function noiseOf({ matrix, inputs }: MeasuredLayer, restored: Tensor): LayerNoise {
  const [exact, given] = [cast(matrix, 'float64'), cast(restored, 'float64')]
  const difference = sub(given, exact)
  const x = inputs && cast(inputs, 'float64')
  return {
    signal: sumOfSquares(exact),
    error: sumOfSquares(difference),
    outputs: x && {
      signal: sumOfSquares(matmul(x, exact)),
      error: sumOfSquares(matmul(x, difference)),
    },
  }
}

/** Noise over signal of what counts: the outputs where they are known, else the weights. */
export function relativeNoise({ signal, error, outputs }: LayerNoise): number {
  const [s, e] = outputs ? [outputs.signal, outputs.error] : [signal, error]
  return e === 0 ? 0 : e / s
}

/** Signal over noise in dB; Infinity where there is no noise. */
export function decibelsOf(signal: number, error: number): number {
  return error === 0 ? Infinity : 10 * Math.log10(signal / error)
}

function sumOfSquares(x: Tensor<'float64'>): number {
  let sum = 0
  for (const value of x.data) sum += value * value
  return sum
}
