import { bits, keyOfTensor } from '../../../tensors/random/index.js'
import {
  add,
  cast,
  clip,
  greaterEqual,
  type KnownOp,
  less,
  lessEqual,
  logicalAnd,
  mul,
  neg,
  reciprocal,
  reshape,
  rint,
  sub,
  sum,
  Tensor,
  untraced,
  where,
} from '../../../tensors/tensor/index.js'

/** How gradients pass a quantisation: see `fakeQuantize`. */
export type FakeGradient = 'straight-through' | 'clipped' | 'stochastic'

/** The integers of a fake quantisation, and how its gradients pass. */
export interface FakeInteger {
  readonly least: number
  readonly most: number
  readonly gradient: FakeGradient
  /** What the gradients of the step and of the zero point are multiplied by. */
  readonly gradientScale: number
  /** How many bits of each word 'stochastic' uses. */
  readonly randomBits: number
}

/** The place of every element on the scale of integers, in float32: x / step by its rounded reciprocal. */
const place = (x: Tensor, step: Tensor): Tensor => mul(x, reciprocal(step))

/**
 * Elements in groups, [groups, length], through integers and back: clip(round(x / step) + zero, least, most), less zero, times the step.
 * Steps and zero points are one for each group, [groups, 1], float32 as x.
 */
export const fakeIntegerOp: KnownOp<FakeInteger> = {
  name: 'fakeQuantize',
  form: 'elementwise',
  rounds: 'decides',
  kernel: ([x, step, zero], how) => {
    const [values, steps, zeros] = [untraced(x!), untraced(step!), untraced(zero!)]
    // Of float64 operands, which the doctor hands it, what it would be without the rounding.
    return values.dtype === 'float64' ? values : restored(rint(place(values, steps)), steps, zeros, how)
  },
  parts: ([x, step, zero], how) => restored(rint(place(x!, step!)), step!, zero!, how),
  exact: ([x]) => x!,
  gradient: ({ g, inputs: [x, step, zero, key], output, attributes, needs }) => {
    const { least, most, gradient, gradientScale } = attributes
    const near = add(rint(place(x!, step!)), zero!)
    const inside = logicalAnd(greaterEqual(near, least), lessEqual(near, most))
    const perGroup = (each: Tensor): Tensor =>
      mul(reshape(sum(each, { axis: 1 }), step!.shape), gradientScale)
    const clipped = where(less(near, least), sub(least, zero!), sub(most, zero!))
    return [
      gradient === 'straight-through' ? g : where(inside, g, 0),
      needs[1] ? perGroup(mul(g, where(inside, place(sub(output, x!), step!), clipped))) : undefined,
      needs[2] ? perGroup(where(inside, 0, neg(mul(g, step!)))) : undefined,
      ...(key ? [undefined] : []),
    ]
  },
}

/** The same, rounded at random. */
export const drawnIntegerOp: KnownOp<FakeInteger> = {
  name: 'fakeQuantize',
  form: 'whole',
  rounds: 'decides',
  kernel: ([x, step, zero, key], how) => {
    const [values, steps, zeros] = [untraced(x!), untraced(step!), untraced(zero!)]
    if (values.dtype === 'float64') return values
    return restored(drawn(place(values, steps), key!, how.randomBits), steps, zeros, how)
  },
  exact: ([x]) => x!,
  gradient: (context) => fakeIntegerOp.gradient!(context),
}

/** The numbers that integers stand for. */
function restored(near: Tensor, step: Tensor, zero: Tensor, { least, most }: FakeInteger): Tensor {
  return mul(sub(clip(add(near, zero), least, most), zero), step)
}

/** To the integer above with the probability of the fraction, cut to some bits of each element's word. */
function drawn(places: Tensor, key: Tensor, randomBits: number): Tensor {
  const values = (cast(places, 'float32') as Tensor<'float32'>).data
  const words = bits(keyOfTensor(key), values.length)
  const unused = 2 ** (32 - randomBits) - 1
  const out = new Float32Array(values.length)
  for (let i = 0; i < out.length; i++) {
    const lower = Math.floor(values[i]!)
    const up = (words[i]! | unused) >>> 0 < Math.floor((values[i]! - lower) * 2 ** 32)
    out[i] = up ? lower + 1 : lower
  }
  return new Tensor('float32', places.shape, out)
}
