import { nearestName } from '../../base/options/index.js'
import type { Node } from './file/model.js'
import { attentionOperators } from './operators/attention.js'
import { bitOperators } from './operators/bits.js'
import type { Operator } from './operators/call.js'
import { castOperators } from './operators/casts.js'
import { controlOperators } from './operators/control.js'
import { elementwiseOperators } from './operators/elementwise.js'
import { indexingOperators } from './operators/indexing.js'
import { layoutOperators } from './operators/layout.js'
import { lossOperators } from './operators/losses.js'
import { normOperators } from './operators/norms.js'
import { productOperators } from './operators/products.js'
import { matmulNBits, quantizationOperators } from './operators/quantization.js'
import { recurrentOperators } from './operators/recurrent.js'
import { reductionOperators } from './operators/reductions.js'
import { resizeOperators } from './operators/resize.js'

/** The operators of each domain that are known, by name. */
const operators: Readonly<Record<string, Readonly<Record<string, Operator>>>> = {
  '': {
    ...attentionOperators,
    ...bitOperators,
    ...castOperators,
    ...controlOperators,
    ...elementwiseOperators,
    ...indexingOperators,
    ...layoutOperators,
    ...lossOperators,
    ...normOperators,
    ...productOperators,
    ...quantizationOperators,
    ...recurrentOperators,
    ...reductionOperators,
    ...resizeOperators,
  },
  'com.microsoft': { MatMulNBits: matmulNBits },
}

/**
 * The names of the operators that `programOfOnnx` knows, of ONNX's own domain or another one (`com.microsoft`).
 *
 * @example onnxOperators().includes('LayerNormalization') // true
 */
export function onnxOperators(domain = ''): readonly string[] {
  return Object.keys(operators[domain] ?? {}).sort()
}

/** What a node computes; a RangeError where the operator is not known. */
export function operatorOf({ operator, domain, name, outputs, frames }: Node): Operator {
  const known = operators[domain] ?? {}
  const found = known[operator]
  if (found) return found
  const near = nearestName(operator, Object.keys(known))
  const place = [name || outputs[0], frames[0]].filter(Boolean).join(' at ')
  throw new RangeError(
    `programOfOnnx: operator is not known${near === undefined ? '' : `, the nearest is ${near}`} [${domain ? `${domain}.` : ''}${operator}, ${place}]`,
  )
}
