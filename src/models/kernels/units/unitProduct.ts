import type { MatmulSizes } from '../../../numbers/simd/index.js'
import { readAsTf32, type UnitOperand, unitOperand } from './inputs.js'
import type { UnitInput, UnitRule } from './unit.js'
import { promotedChain, termsOf, unitChain } from './unitChain.js'

/** Which products a unit forms, and how: a rule, the formats of both operands, and where sums are promoted. */
export interface UnitWay {
  readonly rule: UnitRule
  readonly inputs: readonly [UnitInput, UnitInput]
  readonly promote?: number | undefined
}

/** A matrix product whose every element is a chain of instructions from 0; operands are numbers of the input formats. */
export function unitProduct(
  a: Float32Array,
  b: Float32Array,
  sizes: MatmulSizes,
  { rule, inputs, promote }: UnitWay,
): Float32Array {
  const [x, y] = [a, b].map((values, i) => {
    const input = inputs[i]!
    return unitOperand(input === 'tf32' ? readAsTf32(values) : values, input, rule.adder)
  }) as [UnitOperand, UnitOperand]
  return plainProduct(x, y, sizes, rule, promote)
}

function plainProduct(
  x: UnitOperand,
  y: UnitOperand,
  { m, k, n }: MatmulSizes,
  rule: UnitRule,
  promote: number | undefined,
): Float32Array {
  const out = new Float32Array(m * n)
  const terms = termsOf(rule)
  for (let i = 0; i < m; i++) {
    const left = { ...x, from: i * k, by: 1 }
    for (let j = 0; j < n; j++) {
      const right = { ...y, from: j, by: n }
      out[i * n + j] =
        promote === undefined
          ? unitChain(rule, left, right, k, 0, terms)
          : promotedChain(rule, left, right, k, 0, promote, terms)
    }
  }
  return out
}
