import { checkInteger, checkName, checkOptions, type OptionTable } from '../../base/options/index.js'
import { valueAndGrad } from '../../tensors/autodiff/index.js'
import { foldIn, key, normal } from '../../tensors/random/index.js'
import { abs, matmul, mean, mul, relu, square, sub, type Tensor, tensor } from '../../tensors/tensor/index.js'
import { adam } from '../adams/adam.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { makeTrainStep } from '../step/makeTrainStep.js'
import type { Point } from '../step/point.js'
import type { GradientTransformation, State } from '../transformation.js'
import { lrForDModel } from './lrForDModel.js'
import { type Mup, mup } from './mup.js'

/** How the network is set up, and at which widths. */
export interface CoordinateCheckOptions {
  /** 'mup'; 'standard', where every width has the base's rate; 'inverse-sqrt', where it has that of `lrForDModel`. */
  readonly parametrization: 'mup' | 'standard' | 'inverse-sqrt'
  /** Two or more. Default: 64, 128, 256, 512, 1024. */
  readonly widths?: readonly number[]
  /** Default: 64. */
  readonly baseWidth?: number
  /** Steps of Adam. Default: 5. */
  readonly steps?: number
  /** Adam's rate at the base width; small enough not to reach the targets. Default: 1e-4. */
  readonly learningRate?: number
  /** Each seeds weights, inputs and targets of one run. Default: 0, 1, 2. */
  readonly seeds?: readonly number[]
}

/** The names of `CoordinateCheckOptions`. */
export const coordinateCheckNames: OptionTable<CoordinateCheckOptions> = {
  parametrization: 'required',
  widths: 'optional',
  baseWidth: 'optional',
  steps: 'optional',
  learningRate: 'optional',
  seeds: 'optional',
}

/** How large the outputs of a network are by its width. */
export interface CoordinateCheck {
  readonly widths: readonly number[]
  /** The mean magnitude of the outputs after the last step, over the batch and the seeds. */
  readonly outputs: readonly number[]
  /** The slope of log2 output against log2 width, by least squares: 0 where training does not see the width. */
  readonly slope: number
}

type Layers = { readonly input: Tensor; readonly hidden: Tensor; readonly readout: Tensor }

type Shapes = { readonly [name in keyof Layers]: readonly [number, number] }

const [batch, inputs, outputs] = [16, 16, 4]

/**
 * The coordinate check of a parametrization: trains a float32 network of two hidden layers (relu, no biases, readout
 * that begins at zero) at several widths on one small regression, and says how its outputs grow with the width. A
 * parametrization under which hyper-parameters carry over has slope 0.
 *
 * Error     measured with the defaults: 'mup' 0.01, 'inverse-sqrt' 0.51, 'standard' 1.01.
 * Cost      about 4 s for the defaults, nearly all of it at width 1024.
 * Source    Tensor Programs V, arXiv:2203.03466, appendix D.1
 *
 * @example coordinateCheck({ parametrization: 'standard', widths: [8, 16, 32], seeds: [0] }).slope > 0.5 // true
 */
export function coordinateCheck(options: CoordinateCheckOptions): CoordinateCheck {
  checkOptions('coordinateCheck', options, coordinateCheckNames)
  const op = 'coordinateCheck'
  const { parametrization, widths = [64, 128, 256, 512, 1024], baseWidth = 64, steps = 5 } = options
  const { learningRate = 1e-4, seeds = [0, 1, 2] } = options
  checkName(op, 'parametrization', parametrization, ['mup', 'standard', 'inverse-sqrt'])
  if (new Set(widths).size < 2 || seeds.length === 0) {
    throw new RangeError(`${op}: needs two widths and a seed [${widths.length}, ${seeds.length}]`)
  }
  for (const width of widths) checkInteger(op, 'width', width, 1)
  checkInteger(op, 'baseWidth', baseWidth, 1)
  checkInteger(op, 'steps', steps, 1)
  checkScalar(op, 'learningRate', learningRate, 0, Number.MAX_VALUE)
  const sizes = widths.map((width) => {
    const [target, base] = [shapesOf(width), shapesOf(baseWidth)]
    const scaled = parametrization === 'mup' ? mup({ base, target, readout: ['readout'] }) : undefined
    const rate = { baseLr: learningRate, baseD: baseWidth, targetD: width }
    const lr = parametrization === 'inverse-sqrt' ? lrForDModel(rate) : learningRate
    const runs = seeds.map((seed) => trainedSize(seed, scaled ? base : target, target, scaled, lr, steps))
    return runs.reduce((total, size) => total + size, 0) / runs.length
  })
  return { widths, outputs: sizes, slope: slopeOf(widths.map(Math.log2), sizes.map(Math.log2)) }
}

function shapesOf(width: number): Shapes {
  return { input: [inputs, width], hidden: [width, width], readout: [width, outputs] }
}

/** The mean magnitude of a network's outputs after training. `like` has the shapes whose fan-ins set the initial std. */
function trainedSize(
  seed: number,
  like: Shapes,
  shapes: Shapes,
  scaled: Mup | undefined,
  learningRate: number,
  steps: number,
): number {
  const draw = (stream: number, shape: readonly [number, number], std: number): Tensor =>
    mul(tensor(normal(foldIn(key(seed), stream), shape[0] * shape[1]), { shape }), std)
  const weights = (stream: number, name: 'input' | 'hidden'): Tensor =>
    draw(stream, shapes[name], (scaled?.at(name).initMult ?? 1) * Math.sqrt(2 / like[name][0]))
  const params = {
    input: weights(0, 'input'),
    hidden: weights(1, 'hidden'),
    readout: draw(2, shapes.readout, 0),
  }
  const x = draw(3, [batch, inputs], 1)
  const target = draw(4, [batch, outputs], 1)
  const forwardMult = scaled?.at('readout').forwardMult ?? 1
  const outputOf = ({ input, hidden, readout }: Layers): Tensor =>
    matmul(mul(relu(matmul(relu(matmul(x, input)), hidden)), forwardMult), readout)
  const loss = (layers: Layers): Tensor => mean(square(sub(outputOf(layers), target)))
  const optimizer: GradientTransformation = scaled ? scaled.adam({ learningRate }) : adam({ learningRate })
  const step = makeTrainStep(valueAndGrad(loss), optimizer)
  let point: Point<State, Layers> = { params, state: optimizer.init(params) }
  for (let i = 0; i < steps; i++) point = step(point)
  return mean(abs(outputOf(point.params))).item()
}

/** The slope of the line through points (x, y) that is nearest in y. */
function slopeOf(x: readonly number[], y: readonly number[]): number {
  const middle = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length
  const [mx, my] = [middle(x), middle(y)]
  const along = x.reduce((total, v, i) => total + (v - mx) * (y[i]! - my), 0)
  return along / x.reduce((total, v) => total + (v - mx) ** 2, 0)
}
