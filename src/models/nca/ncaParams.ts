import {
  checkFunction,
  checkInteger,
  checkOptions,
  type OptionTable,
  shown,
} from '../../base/options/index.js'
import { foldIn, type Key } from '../../tensors/random/index.js'
import { cast, checkFloatDType, type FloatDType, Tensor, zeros } from '../../tensors/tensor/index.js'
import { constant, type Initializer, lecunNormal } from '../nn/index.js'

/** Options of `ncaParams`. */
export interface NcaParamsOptions {
  /** Numbers in a cell. */
  readonly channels: number
  /** Features between the two products. Default 128. */
  readonly hidden?: number
  /** Kernels that a cell perceives by. Default 3. */
  readonly kernels?: number
  /** Default 'float32'. */
  readonly dtype?: FloatDType
  /** Of the first product. Default `nn.lecunNormal()`. */
  readonly first?: Initializer
  /** Of the second. Default zeros: an automaton that does nothing yet. */
  readonly last?: Initializer
}

/** What an automaton learns: w1 [kernels * channels, hidden], b1 [hidden], w2 [hidden, channels], b2 [channels]. */
export interface NcaParams {
  readonly w1: Tensor
  readonly b1: Tensor
  readonly w2: Tensor
  readonly b2: Tensor
}

const names: OptionTable<NcaParamsOptions> = {
  channels: 'required',
  hidden: 'optional',
  kernels: 'optional',
  dtype: 'optional',
  first: 'optional',
  last: 'optional',
}

/**
 * Fresh parameters of an automaton, which at first does nothing: its last product is by zeros.
 *
 * Rounding  draws of float32, rounded once to `dtype`.
 * Special   zeros are where a bfloat16 state stalls: what is added is at first less than half an ulp of the state.
 *
 * @example ncaParams(random.key(0), { channels: 16 }).w1.shape // [48, 128]
 */
export function ncaParams(key: Key, options: NcaParamsOptions): NcaParams {
  checkOptions('ncaParams', options, names, { positional: 'channels' })
  const { channels, hidden = 128, kernels = 3, dtype = 'float32' } = options
  const { first = lecunNormal(), last = constant(0) } = options
  checkInteger('ncaParams', 'channels', channels, 1)
  checkInteger('ncaParams', 'hidden', hidden, 1)
  checkInteger('ncaParams', 'kernels', kernels, 1)
  checkFloatDType('ncaParams', 'dtype', dtype)
  checkFunction('ncaParams', 'first', first)
  checkFunction('ncaParams', 'last', last)
  return {
    w1: cast(first(foldIn(key, 0), [kernels * channels, hidden]), dtype),
    b1: zeros([hidden], { dtype }),
    w2: cast(last(foldIn(key, 1), [hidden, channels]), dtype),
    b2: zeros([channels], { dtype }),
  }
}

/** Throws unless the parameters fit a state of so many channels and so many kernels, and each other. */
export function checkParams(op: string, params: NcaParams, channels: number, kernels: number): void {
  const parts =
    typeof params === 'object' && params !== null ? [params.w1, params.b1, params.w2, params.b2] : [params]
  if (!parts.every((part: unknown) => part instanceof Tensor)) {
    throw new TypeError(`${op}: params are not { w1, b1, w2, b2 } [${shown(params)}]`)
  }
  const { w1, b1, w2, b2 } = params
  const hidden = w1.shape[1]
  const wanted = [[kernels * channels, hidden], [hidden], [hidden, channels], [channels]].map(String)
  const found = [w1, b1, w2, b2].map(({ shape }) => shape.join())
  if (hidden === undefined || found.some((shape, i) => shape !== wanted[i])) {
    throw new RangeError(
      `${op}: params are not of ${kernels} kernels and ${channels} channels [${found.map((s) => `(${s})`).join(' ')}]`,
    )
  }
}
