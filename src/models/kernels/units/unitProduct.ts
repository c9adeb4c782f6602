import {
  arena,
  type Engine,
  type MatmulSizes,
  type UnitSteps,
  unitBlocks,
  unitNumbers,
} from '../../../numbers/simd/index.js'
import { resultFacts } from './finish.js'
import { leastExponents, readAsTf32, type UnitOperand, unitOperand } from './inputs.js'
import type { UnitInput, UnitRule } from './unit.js'
import { placeInOrder, promotedChain, termsOf, unitChain } from './unitChain.js'

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
  way: UnitWay,
  engine: Engine = 'simd',
): Float32Array {
  const [x, y] = [a, b].map((values, i) => (way.inputs[i] === 'tf32' ? readAsTf32(values) : values))
  const out = new Float32Array(sizes.m * sizes.n)
  const steps = stepsOf(way.rule)
  const simd = steps && arena(engine)
  const isLeft = simd ? blocks(x!, y!, sizes, way, steps, out) : undefined
  if (isLeft?.every((one) => one === 0)) return out
  plainProduct(x!, y!, sizes, way, out, isLeft)
  return out
}

/** The rule as the WebAssembly kernel takes it; undefined where it has none for it. */
function stepsOf(rule: UnitRule): UnitSteps | undefined {
  const { adder = 'aligned', k, group, align, result } = rule
  if (adder !== 'aligned' || rule.scaled !== undefined || align > 25 || group > 64 || k > 256) {
    return undefined
  }
  const { fraction, least, limit } = resultFacts[result]
  return {
    ...{ instruction: k, group, align, fraction, least, limit: Math.log2(limit) },
    ...{ isCut: rule.rounding === 'cut', isAfter: rule.accumulator === 'added after' },
    place: (p) => placeInOrder(rule, p),
  }
}

/** The product by WebAssembly; which elements are left, because an operand or they themselves are not finite. */
function blocks(
  a: Float32Array,
  b: Float32Array,
  sizes: MatmulSizes,
  { inputs, promote }: UnitWay,
  steps: UnitSteps,
  out: Float32Array,
): Uint8Array {
  const simd = arena('simd')!
  const { m, k, n } = sizes
  const x = unitNumbers(a, leastExponents[inputs[0]])
  const y = unitNumbers(b, leastExponents[inputs[1]])
  if (promote === undefined) {
    unitBlocks(simd, x, y, sizes, steps, out, [0, k])
  } else {
    const part = new Float32Array(out.length)
    for (let from = 0; from < k; from += promote) {
      unitBlocks(simd, x, y, sizes, steps, part, [from, Math.min(k, from + promote)])
      for (let e = 0; e < out.length; e++) out[e] = out[e]! + part[e]!
    }
  }
  const isLeft = new Uint8Array(out.length)
  for (let e = 0; e < out.length; e++) if (!Number.isFinite(out[e])) isLeft[e] = 1
  x.isSpecial?.forEach((one, e) => {
    if (one) isLeft.fill(1, Math.floor(e / k) * n, (Math.floor(e / k) + 1) * n)
  })
  y.isSpecial?.forEach((one, e) => {
    if (one) for (let i = 0; i < m; i++) isLeft[i * n + (e % n)] = 1
  })
  return isLeft
}

/** Element by element; where `isLeft`, those alone. */
function plainProduct(
  a: Float32Array,
  b: Float32Array,
  { m, k, n }: MatmulSizes,
  { rule, inputs, promote }: UnitWay,
  out: Float32Array,
  isLeft: Uint8Array | undefined,
): void {
  const x: UnitOperand = unitOperand(a, inputs[0], rule.adder)
  const y: UnitOperand = unitOperand(b, inputs[1], rule.adder)
  const terms = termsOf(rule)
  for (let i = 0; i < m; i++) {
    const left = { ...x, from: i * k, by: 1 }
    for (let j = 0; j < n; j++) {
      if (isLeft && isLeft[i * n + j] === 0) continue
      const right = { ...y, from: j, by: n }
      out[i * n + j] =
        promote === undefined
          ? unitChain(rule, left, right, k, 0, terms)
          : promotedChain(rule, left, right, k, 0, promote, terms)
    }
  }
}
