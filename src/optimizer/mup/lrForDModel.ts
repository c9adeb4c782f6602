import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { checkScalar } from '../arithmetic/checkScalar.js'

/** A learning rate that was tuned at one width, and the width where it is to be used. */
export interface LrForDModelOptions {
  readonly baseLr: number
  readonly baseD: number
  readonly targetD: number
}

/** The names of `LrForDModelOptions`. */
export const lrForDModelNames: OptionTable<LrForDModelOptions> = {
  baseLr: 'required',
  baseD: 'required',
  targetD: 'required',
}

/**
 * baseLr sqrt(baseD / targetD), one rate for all parameters: the simplification of muP that much code uses. Hidden
 * matrices under Adam want baseD / targetD, which is less; embeddings, biases and the readout want 1, which is more. At
 * sixteen times the width it gives 1/4 where `mup` gives 1/16 and 1.
 *
 * @example lrForDModel({ baseLr: 3e-4, baseD: 256, targetD: 1024 }) // 1.5e-4
 */
export function lrForDModel(options: LrForDModelOptions): number {
  checkOptions('lrForDModel', options, lrForDModelNames)
  const { baseLr, baseD, targetD } = options
  checkScalar('lrForDModel', 'baseLr', baseLr, 0, Number.MAX_VALUE)
  for (const [name, value] of Object.entries({ baseD, targetD })) {
    if (!(Number.isFinite(value) && value > 0)) {
      throw new RangeError(`lrForDModel: ${name} is not a positive number [${value}]`)
    }
  }
  return baseLr * Math.sqrt(baseD / targetD)
}
