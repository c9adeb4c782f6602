import {
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { type ChipName, chip } from '../hardware/index.js'

/** A size of the Python toolkit's table. */
export interface Tshirt {
  readonly name: 'S' | 'M' | 'L' | 'XL'
  readonly dModel: number
  readonly nLayers: number
  /** By the toolkit's own formula. */
  readonly parameters: number
  /** The number that the toolkit's page prints, which differs from its formula. */
  readonly printed: string
}

const shapes: Readonly<Record<Tshirt['name'], readonly [number, number, string]>> = {
  S: [256, 12, '15M'],
  M: [1024, 24, '150M'],
  L: [2048, 48, '1B'],
  XL: [4096, 32, '7B'],
}

/**
 * A size of the Python toolkit's table, by its name.
 *
 * Throws    RangeError for another name.
 *
 * @example getTshirt('M') // { name: 'M', dModel: 1024, nLayers: 24, parameters: 164304896, printed: '150M' }
 */
export function getTshirt(name: Tshirt['name']): Tshirt {
  checkName('getTshirt', 'size', name, Object.keys(shapes))
  const [dModel, nLayers, printed] = shapes[name]
  return { name, dModel, nLayers, parameters: estimateParams(dModel, nLayers), printed }
}

/**
 * The Python toolkit's estimate of a Mamba-like model's parameters, unchanged:
 * L (D (2 I + 2 H S + H) + 4 I + I D + H S) + 1024 * 64 + 64 D with I = 2 D, H = I / 128 rounded down, S = 16.
 * It differs from Mamba-2: there 2 G S of B and C instead of 2 H S, and A_log is one for each head. For exact counts:
 * `parameterCount` of `tpu-toolkit/model`.
 *
 * Shape     none. Dtype none. Rounding none.
 * Throws    RangeError for sizes that are not positive integers.
 *
 * @example estimateParams(1024, 24) // 164304896
 */
export function estimateParams(dModel: number, nLayers: number): number {
  checkInteger('estimateParams', 'dModel', dModel, 1)
  checkInteger('estimateParams', 'nLayers', nLayers, 1)
  const [D, L, S] = [dModel, nLayers, 16]
  const I = 2 * D
  const H = Math.floor(I / 128)
  return L * (D * (2 * I + 2 * H * S + H) + 4 * I + I * D + H * S) + 1024 * 64 + 64 * D
}

/**
 * Tokens to train so many parameters on: 20 each.
 *
 * Source    Hoffmann et al., arXiv:2203.15556: a rule for its data and its budget of compute.
 *
 * @example chinchillaTokens(148.2e6) // 2964000000
 */
export function chinchillaTokens(parameters: number): number {
  checkNumber('chinchillaTokens', 'parameters', parameters, 0)
  return 20 * parameters
}

/** The residual stream of a model, and the chip that has to keep it. */
export interface RematOptions {
  readonly nLayers: number
  readonly batch: number
  readonly sequence: number
  readonly dModel: number
  /** The chip whose HBM counts, default v5p. */
  readonly chip?: ChipName
}

const names: OptionTable<RematOptions> = {
  ...{ nLayers: 'required', batch: 'required', sequence: 'required', dModel: 'required', chip: 'optional' },
}

/**
 * The Python toolkit's rule whether activations have to be computed again: one float32 array of the residual stream for each
 * layer, L B T D 4 bytes, takes more than half of a chip's HBM. The batch is that of one chip. A rule of thumb: what each
 * policy keeps is `activationBytes` of `tpu-toolkit/model`.
 *
 * Throws    RangeError for sizes that are not positive integers, and for an unknown chip.
 *
 * @example rematNeeded({ nLayers: 24, batch: 64, sequence: 8192, dModel: 1024 }) // true
 */
export function rematNeeded(options: RematOptions): boolean {
  checkOptions('rematNeeded', options, names)
  const { nLayers, batch, sequence, dModel } = options
  for (const [name, size] of Object.entries({ nLayers, batch, sequence, dModel })) {
    checkInteger('rematNeeded', name, size, 1)
  }
  return nLayers * batch * sequence * dModel * 4 > chip(options.chip ?? 'v5p').hbmBytes / 2
}
