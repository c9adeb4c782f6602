import {
  checkFlag,
  checkInteger,
  checkName,
  checkOptions,
  type OptionTable,
  shown,
} from '../../../base/options/index.js'
import { type AnyKey, foldIn } from '../../../tensors/random/index.js'
import {
  add,
  cast,
  concat,
  mul,
  type Range,
  reshape,
  sizeOf,
  slice,
  type Tensor,
  transpose,
} from '../../../tensors/tensor/index.js'
import { type Initializer, initialized } from '../initializers/initializer.js'
import { lecunNormal } from '../initializers/named.js'
import { checkApply, type Layer } from '../layer.js'
import { type FullPolicy, fullPolicy, type PolicyOption, product } from '../policy.js'
import { freshBias, shifted } from './bias.js'
import { checkInput } from './checkInput.js'
import { outputLength, type Padding, padded, paddings, type Window } from './padding.js'

/** Options of `conv`. */
export interface ConvOptions extends PolicyOption {
  /** The lengths of the kernel: one for each axis it runs along. */
  readonly kernel: readonly number[]
  /** Channels of an input. */
  readonly inputs: number
  /** Channels of an output. */
  readonly outputs: number
  /** Steps of the kernel, one for all axes or one each. Default 1. */
  readonly stride?: number | readonly number[]
  /** Steps between the taps of the kernel. Default 1. */
  readonly dilation?: number | readonly number[]
  /** Default 'same'. */
  readonly padding?: Padding
  /** Parts of the channels that do not see each other; as many as inputs is depthwise. Default 1. */
  readonly groups?: number
  /** Default true. */
  readonly bias?: boolean
  /** Default `lecunNormal()`. */
  readonly weight?: Initializer
}

/** The parameters of `conv`: weight [...kernel, inputs / groups, outputs], bias [outputs] where there is one. */
export interface ConvParameters {
  readonly weight: Tensor
  readonly bias?: Tensor
}

const convNames: OptionTable<ConvOptions> = {
  kernel: 'required',
  inputs: 'required',
  outputs: 'required',
  stride: 'optional',
  dilation: 'optional',
  padding: 'optional',
  groups: 'optional',
  bias: 'optional',
  weight: 'optional',
  policy: 'optional',
}

/**
 * Convolution along one axis or more, channels last, as Flax's Conv (a correlation: the kernel is not flipped).
 *
 * Shape     [..., n, inputs] to [..., outputs], n for each axis of the kernel; of each, 'same' keeps n / stride rounded up,
 *           'valid' what the kernel covers whole, 'circular' goes on at the other end, 'causal' reads nothing that comes later.
 * Rounding  x and weight to `compute`; products summed in `accumulate` over the taps, first axis slowest, within a tap over
 *           the channels, rounded once to `output`; bias to `output`, added and rounded again.
 * Throws    RangeError for groups that do not divide the channels, and an input of other channels.
 *
 * @example conv({ kernel: [3], inputs: 1, outputs: 1 }).apply({ weight: ones([3, 1, 1]) }, tensor([[1], [2], [4]])).toNested() // [[3],[7],[6]]
 */
export function conv(options: ConvOptions): Layer<ConvParameters> {
  const { kernel, inputs, outputs, windows, padding, groups, bias, weight, policy } = checked(options)
  return {
    init: (key) => ({
      weight: initialized(weight, foldIn(key, 0), [...kernel, inputs / groups, outputs], policy.params),
      ...freshBias(bias, key, outputs, policy),
    }),
    apply(params, x, applied) {
      const { key } = checkApply('conv', applied)
      checkInput('conv', x, inputs, kernel.length + 1)
      const front = x.rank - 1 - kernel.length
      const lengths = windows.map((window, i) => outputLength(window, x.shape[front + i]!, padding))
      const taps = tapsOf(padded(x, front, windows, padding), front, windows, lengths)
      const isDepthwise = groups === inputs && outputs === inputs
      const sums = isDepthwise
        ? weightedTaps(taps, params.weight, policy)
        : productOfTaps(taps, params.weight, groups, policy, key)
      return reshape(shifted(sums, params.bias, policy), [...x.shape.slice(0, front), ...lengths, outputs])
    },
  }
}

function checked(options: ConvOptions) {
  checkOptions('conv', options, convNames, { positional: 'kernel' })
  const { kernel, inputs, outputs, padding = 'same', groups = 1, bias = true } = options
  if (!Array.isArray(kernel) || kernel.length === 0) {
    throw new RangeError(`conv: kernel is not a list of lengths [${shown(kernel)}]`)
  }
  checkInteger('conv', 'inputs', inputs, 1)
  checkInteger('conv', 'outputs', outputs, 1)
  checkInteger('conv', 'groups', groups, 1)
  if (inputs % groups !== 0 || outputs % groups !== 0) {
    throw new RangeError(
      `conv: groups do not divide the channels [groups ${groups}, inputs ${inputs}, outputs ${outputs}]`,
    )
  }
  checkName('conv', 'padding', padding, paddings)
  checkFlag('conv', 'bias', bias)
  const stride = oneEach('stride', options.stride, kernel.length)
  const dilation = oneEach('dilation', options.dilation, kernel.length)
  const windows = kernel.map((length: number, i): Window => {
    checkInteger('conv', 'a kernel length', length, 1)
    return { length, stride: stride[i]!, dilation: dilation[i]! }
  })
  const policy = fullPolicy('conv', options.policy)
  const weight = options.weight ?? lecunNormal()
  return { kernel, inputs, outputs, windows, padding, groups, bias, weight, policy }
}

function oneEach(what: string, value: number | readonly number[] = 1, axes: number): readonly number[] {
  const each = typeof value === 'number' ? Array.from({ length: axes }, () => value) : value
  if (!Array.isArray(each) || each.length !== axes) {
    throw new RangeError(`conv: ${what} is not one for each of ${axes} axes [${shown(value)}]`)
  }
  for (const one of each) checkInteger('conv', what, one, 1)
  return each
}

/** What each tap of the kernel reads: [..., lengths, channels], taps in the order of the weight. */
function tapsOf(
  x: Tensor,
  front: number,
  windows: readonly Window[],
  lengths: readonly number[],
): readonly Tensor[] {
  let offsets: readonly (readonly number[])[] = [[]]
  for (const { length, dilation } of windows) {
    const along = Array.from({ length }, (_, tap) => tap * dilation)
    offsets = offsets.flatMap((before) => along.map((offset) => [...before, offset]))
  }
  const whole = Array.from({ length: front }, () => null)
  const along = (from: number, i: number): Range => {
    const [length, { stride }] = [lengths[i]!, windows[i]!]
    return length === 0 ? [0, 0] : [from, from + (length - 1) * stride + 1, stride]
  }
  return offsets.map((offset) => slice(x, [...whole, ...offset.map(along)]))
}

/** Every channel by itself: taps times weights, summed in order. */
function weightedTaps(
  taps: readonly Tensor[],
  weight: Tensor,
  { compute, output, accumulate }: FullPolicy,
): Tensor {
  const channels = weight.shape.at(-1)!
  const rows = reshape(cast(cast(weight, compute), accumulate), [taps.length, channels])
  const products = taps.map((tap, i) => mul(cast(cast(tap, compute), accumulate), slice(rows, [i])))
  return cast(
    products.slice(1).reduce((sums, one) => add(sums, one), add(products[0]!, 0)),
    output,
  )
}

/** All taps of a place side by side, times the weight as a matrix: one product for each group. */
function productOfTaps(
  taps: readonly Tensor[],
  weight: Tensor,
  groups: number,
  policy: FullPolicy,
  key: AnyKey | undefined,
): Tensor {
  const [inputs, outputs] = [weight.shape.at(-2)!, weight.shape.at(-1)!]
  const rows = sizeOf(taps[0]!.shape.slice(0, -1))
  const columns = taps.length * inputs
  if (groups === 1) {
    const patches = reshape(concat([...taps], { axis: -1 }), [rows, columns])
    return product(patches, reshape(weight, [columns, outputs]), policy, key)
  }
  const each = taps.map((tap) => reshape(tap, [rows, groups, inputs]))
  const patches = transpose(concat(each, { axis: -1 }), [1, 0, 2])
  const matrices = transpose(reshape(weight, [columns, groups, outputs / groups]), [1, 0, 2])
  return reshape(transpose(product(patches, matrices, policy, key), [1, 0, 2]), [rows, outputs])
}
