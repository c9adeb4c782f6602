import { shown } from '../../base/options/index.js'
import { type Architecture, parameter } from './architecture.js'
import type { MlpConfig } from './config.js'
import { checkSizes, isOn } from './sizes.js'

/** The tensors of dense layers. */
export function mlp(op: string, config: MlpConfig): Architecture {
  const { widths } = config
  if (!Array.isArray(widths) || widths.length < 2) {
    throw new RangeError(`${op}: widths are not at least two sizes, inputs and outputs [${shown(widths)}]`)
  }
  checkSizes(op, Object.fromEntries(widths.map((width, i) => [`widths[${i}]`, width])))
  const bias = isOn(op, 'bias', config.bias ?? true)
  const tensors = widths
    .slice(1)
    .flatMap((outputs, i) => [
      parameter(`layer${i + 1}`, 'matrix', { inputs: widths[i] ?? 0, outputs }, 1),
      ...(bias ? [parameter(`layer${i + 1}.bias`, 'bias', { outputs }, 1)] : []),
    ])
  return {
    ...{ family: 'mlp', D: Math.max(...widths), L: widths.length - 1, V: 0, norms: 0, tensors },
    ...{ attention: undefined, mlp: undefined, scan: undefined },
    groups: [{ name: '', copies: widths.length - 1, attention: undefined, mlp: undefined }],
  }
}
