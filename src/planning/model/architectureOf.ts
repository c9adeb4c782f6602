import { checkName, checkOptions, shown } from '../../base/options/index.js'
import type { Architecture } from './architecture.js'
import { configNames, type ModelConfig } from './config.js'
import { mamba1, mamba2 } from './mamba.js'
import { mlp } from './mlp.js'
import { biased, decoder } from './transformer.js'

/** A configuration, checked and completed by the caller's name. */
export function checkedArchitecture(op: string, config: ModelConfig): Architecture {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new TypeError(
      `${op}: the model is no configuration, such as { family: 'decoder', ... } [${shown(config)}]`,
    )
  }
  checkName(op, 'family', config.family, Object.keys(configNames))
  checkOptions(op, config, configNames[config.family])
  switch (config.family) {
    case 'decoder':
      return decoder(op, config)
    case 'gpt2':
    case 'neox':
    case 'phi':
      return biased(op, config)
    case 'mamba2':
      return mamba2(op, config)
    case 'mamba1':
      return mamba1(op, config)
    case 'mlp':
      return mlp(op, config)
    default:
      return config satisfies never
  }
}

/**
 * What a configuration describes, completed by the family's defaults: widths, heads, and every parameter with its shape.
 *
 * Shape     none. Dtype none. Rounding none.
 * Throws    RangeError for an unknown family or letter, a size that is not an integer, heads that do not divide.
 *
 * @example architectureOf({ family: 'gpt2', D: 768, L: 12 }).attention // { N: 12, K: 12, H: 64 }
 * @example architectureOf({ family: 'decoder', D: 768, F: 3072, L: 12, N: 11, V: 32000 }) // throws architectureOf: N heads do not divide D, nearest N 12, or give the width H of a head [D 768, N 11]
 */
export function architectureOf(config: ModelConfig): Architecture {
  return checkedArchitecture('architectureOf', config)
}
