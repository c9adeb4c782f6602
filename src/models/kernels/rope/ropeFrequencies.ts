import {
  checkFlag,
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  checkRecord,
  type OptionNames,
  type OptionTable,
} from '../../../base/options/index.js'
import {
  cast,
  checkFloatDType,
  div,
  type FloatDType,
  pow,
  type Tensor,
  tensor,
} from '../../../tensors/tensor/index.js'

/** How frequencies are changed for contexts longer than the model was trained on. */
export type RopeScaling =
  | { readonly kind: 'none' }
  /** Positions divided by `factor`. */
  | { readonly kind: 'linear'; readonly factor: number }
  /** base factor^(d / (d - 2)). */
  | { readonly kind: 'ntk'; readonly factor: number }
  /** The same by how far `length` exceeds the `original` length; as it is up to there. */
  | { readonly kind: 'dynamic'; readonly factor: number; readonly original: number; readonly length: number }
  /** A ramp between frequencies that turn more than `betaFast` times over the original length and less than `betaSlow`. */
  | {
      readonly kind: 'yarn'
      readonly factor: number
      readonly original: number
      /** Default 32. */
      readonly betaFast?: number
      /** Default 1. */
      readonly betaSlow?: number
      /** Round the ends of the ramp outwards to whole pairs. Default true; gpt-oss has false. */
      readonly truncate?: boolean
      /** What cos and sin are multiplied with. Default m(mscale) / m(mscaleAllDim), m(x) = .1 x ln factor + 1. */
      readonly attentionFactor?: number
      /** Default 1. */
      readonly mscale?: number
      /** Default 0. DeepSeek-V2 and V3 have the number of `mscale`, and multiply the logits by its m squared instead. */
      readonly mscaleAllDim?: number
    }
  /** By wavelength: long ones divided by `factor`, short ones as they are, between them a mixture. */
  | {
      readonly kind: 'llama3'
      readonly factor: number
      readonly original: number
      /** Default 1. */
      readonly lowFreqFactor?: number
      /** Default 4. */
      readonly highFreqFactor?: number
    }

/** What rotary frequencies are made of. */
export interface RopeFrequencyOptions<R extends FloatDType = FloatDType> {
  /** The size of a head, an even number. */
  readonly dim: number
  /** Default 10000; Llama 3 has 500000. */
  readonly base?: number
  /** Default `{ kind: 'none' }`. */
  readonly scaling?: RopeScaling
  /** Where the frequencies are kept. Default 'float32'; 'bfloat16' is a known mistake, 'float64' the remedy of long contexts. */
  readonly dtype?: R
  /**
   * 'rounded': computed in float64, then rounded to float32. 'chain': 1 / base^(2i / dim), every step in float32, as most
   * code computes it; without scaling only. Default 'rounded'.
   */
  readonly computed?: 'rounded' | 'chain'
}

/** Rotary frequencies, and what cos and sin are multiplied with. */
export interface RopeFrequencies<R extends FloatDType = FloatDType> {
  /** The frequencies, [dim / 2], of descending size. */
  readonly values: Tensor<R>
  /** 1, for yarn as `scaling` says. */
  readonly attentionFactor: number
}

const names: OptionTable<RopeFrequencyOptions> = {
  dim: 'required',
  base: 'optional',
  scaling: 'optional',
  dtype: 'optional',
  computed: 'optional',
}

type Kind = RopeScaling['kind']
type ScalingOf<K extends Kind> = Extract<RopeScaling, { readonly kind: K }>
type YarnScaling = ScalingOf<'yarn'>

const [kind, factor, original] = ['required', 'required', 'required'] as const
const scalingNames: { readonly [K in Kind]: OptionTable<ScalingOf<K>> } = {
  none: { kind },
  linear: { kind, factor },
  ntk: { kind, factor },
  dynamic: { kind, factor, original, length: 'required' },
  yarn: {
    ...{ kind, factor, original, betaFast: 'optional', betaSlow: 'optional', truncate: 'optional' },
    ...{ attentionFactor: 'optional', mscale: 'optional', mscaleAllDim: 'optional' },
  },
  llama3: { kind, factor, original, lowFreqFactor: 'optional', highFreqFactor: 'optional' },
}

/** Numbers that may be below 1; the others may not. */
const small = [
  'betaFast',
  'betaSlow',
  'attentionFactor',
  'mscale',
  'mscaleAllDim',
  'lowFreqFactor',
  'highFreqFactor',
]

/**
 * The frequencies of rotary position embeddings: base^(-2i / dim), scaled.
 *
 * Shape     values [dim / 2].
 * Dtype     `dtype`, default float32.
 * Rounding  computed in float64; to float32 once, and from there to a narrower dtype.
 * Throws    RangeError for an odd `dim`, an unknown scaling or name in it, a factor below 1, a ramp that is none.
 * Source    Su and others, RoFormer, arXiv 2104.09864; YaRN, arXiv 2309.00071; Llama 3, arXiv 2407.21783
 *
 * @example ropeFrequencies({ dim: 4 }).values.toNested() // [1, 0.009999999776482582]
 * @example ropeFrequencies({ dim: 4, scaling: { kind: 'linear', factor: 4 } }).values.toNested() // [0.25, 0.0024999999441206455]
 * @example ropeFrequencies({ dim: 3 }) // throws ropeFrequencies: dim is odd, elements turn in pairs [3]
 */
export function ropeFrequencies<R extends FloatDType = 'float32'>(
  options: RopeFrequencyOptions<R>,
): RopeFrequencies<R> {
  checkOptions('ropeFrequencies', options, names, { positional: 'dim' })
  const { dim, base = 10000, scaling = { kind: 'none' }, dtype = 'float32', computed = 'rounded' } = options
  checkInteger('ropeFrequencies', 'dim', dim, 2)
  if (dim % 2 !== 0) throw new RangeError(`ropeFrequencies: dim is odd, elements turn in pairs [${dim}]`)
  checkNumber('ropeFrequencies', 'base', base, 1)
  checkFloatDType('ropeFrequencies', 'dtype', dtype)
  checkName('ropeFrequencies', 'computed', computed, ['rounded', 'chain'])
  checkScaling(scaling, dim, base)
  if (computed === 'chain') {
    if (scaling.kind !== 'none') {
      throw new RangeError(`ropeFrequencies: the chain knows no scaling [${scaling.kind}]`)
    }
    return { values: cast(chain(dim, base), dtype as R), attentionFactor: 1 }
  }
  const exact = tensor(Float64Array.from(scaled(dim, base, scaling)), { dtype: 'float64' })
  const values = dtype === 'float64' ? exact : cast(exact, 'float32')
  const attentionFactor = scaling.kind === 'yarn' ? attentionFactorOf(scaling) : 1
  return { values: cast(values as Tensor, dtype as R), attentionFactor }
}

function checkScaling(scaling: RopeScaling, dim: number, base: number): void {
  checkRecord('ropeFrequencies', 'scaling', scaling, ['kind'])
  checkName('ropeFrequencies', 'scaling', scaling.kind, Object.keys(scalingNames))
  const { kind, ...rest } = scaling
  const known: OptionNames = scalingNames[kind]
  const missing = Object.keys(known).find((name) => known[name] === 'required' && !(name in scaling))
  if (missing !== undefined) throw new RangeError(`ropeFrequencies: ${kind} has no ${missing} [${kind}]`)
  checkOptions(`ropeFrequencies: ${kind}`, scaling, known)
  const { truncate, ...numbers } = rest as Partial<YarnScaling>
  if (truncate !== undefined) checkFlag('ropeFrequencies', `${kind} truncate`, truncate)
  for (const [name, value] of Object.entries(numbers)) {
    if (value === undefined) continue
    checkNumber('ropeFrequencies', `${kind} ${name}`, value, small.includes(name) ? 0 : 1)
  }
  if (kind === 'ntk' && dim === 2) throw new RangeError('ropeFrequencies: ntk needs more than one pair [2]')
  if (kind === 'yarn') {
    const { betaFast = 32, betaSlow = 1, attentionFactor } = scaling
    if (!(betaFast > betaSlow && betaSlow > 0)) {
      throw new RangeError(
        `ropeFrequencies: yarn needs betaFast > betaSlow > 0 [${betaFast} and ${betaSlow}]`,
      )
    }
    if (attentionFactor === 0) {
      throw new RangeError('ropeFrequencies: yarn attentionFactor is not above 0 [0]')
    }
    if (base === 1) throw new RangeError('ropeFrequencies: yarn needs a base above 1 [1]')
  }
  if (kind === 'llama3') {
    const { lowFreqFactor = 1, highFreqFactor = 4 } = scaling
    if (!(highFreqFactor > lowFreqFactor)) {
      throw new RangeError(
        `ropeFrequencies: llama3 needs highFreqFactor > lowFreqFactor [${highFreqFactor} and ${lowFreqFactor}]`,
      )
    }
  }
}

function powers(dim: number, base: number): number[] {
  return Array.from({ length: dim / 2 }, (_, i) => base ** ((-2 * i) / dim))
}

function scaled(dim: number, base: number, scaling: RopeScaling): number[] {
  switch (scaling.kind) {
    case 'none':
      return powers(dim, base)
    case 'linear':
      return powers(dim, base).map((w) => w / scaling.factor)
    case 'ntk':
      return powers(dim, base * scaling.factor ** (dim / (dim - 2)))
    case 'dynamic': {
      const { factor, original, length } = scaling
      if (length <= original) return powers(dim, base)
      return powers(dim, base * ((factor * length) / original - (factor - 1)) ** (dim / (dim - 2)))
    }
    case 'yarn':
      return yarn(dim, base, scaling)
    case 'llama3':
      return powers(dim, base).map((w) => llama3(w, scaling))
    default:
      throw new RangeError(`ropeFrequencies: unknown scaling [${String(scaling satisfies never)}]`)
  }
}

function attentionFactorOf({ factor, attentionFactor, mscale = 1, mscaleAllDim = 0 }: YarnScaling): number {
  const m = (by: number): number => 0.1 * by * Math.log(factor) + 1
  return attentionFactor ?? m(mscale) / m(mscaleAllDim)
}

function yarn(dim: number, base: number, scaling: YarnScaling): number[] {
  const { factor, original, betaFast = 32, betaSlow = 1, truncate = true } = scaling
  // The pair that turns r times over the original length.
  const pairOf = (turns: number): number =>
    (dim * Math.log(original / (2 * Math.PI * turns))) / (2 * Math.log(base))
  const [first, last] = [pairOf(betaFast), pairOf(betaSlow)]
  const low = Math.max(truncate ? Math.floor(first) : first, 0)
  const end = Math.min(truncate ? Math.ceil(last) : last, dim - 1)
  const high = end === low ? end + 0.001 : end
  return powers(dim, base).map((w, i) => {
    const kept = 1 - Math.min(Math.max((i - low) / (high - low), 0), 1)
    return (w / factor) * (1 - kept) + w * kept
  })
}

function llama3(w: number, scaling: ScalingOf<'llama3'>): number {
  const { factor, original, lowFreqFactor = 1, highFreqFactor = 4 } = scaling
  const wave = (2 * Math.PI) / w
  if (wave < original / highFreqFactor) return w
  if (wave > original / lowFreqFactor) return w / factor
  const t = (original / wave - lowFreqFactor) / (highFreqFactor - lowFreqFactor)
  return ((1 - t) * w) / factor + t * w
}

/** 1 / base^(2i / dim), rounded to float32 at every step. */
function chain(dim: number, base: number): Tensor {
  const exponents = tensor(Array.from({ length: dim / 2 }, (_, i) => (2 * i) / dim))
  const bases = tensor(Array.from({ length: dim / 2 }, () => base))
  return div(tensor(Array.from({ length: dim / 2 }, () => 1)), pow(bases, exponents))
}
