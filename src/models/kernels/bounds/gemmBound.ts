import {
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import type { ErrorBound } from '../../../numerics/index.js'
import { checkFloatDType, dtypeFacts, type FloatDType, holds } from '../../../tensors/tensor/index.js'
import {
  type GemmPrecision,
  gemmPrecisions,
  type PrecisionFacts,
  precisionFacts,
  type Split,
} from '../gemm/precisions.js'
import { fastWay, wayOf } from '../gemm/unitWay.js'
import type { Unit, UnitOutput } from '../units/unit.js'
import type { UnitWay } from '../units/unitProduct.js'
import type { UnitName } from '../units/units.js'
import { unitBound } from './unitBound.js'

/** The product whose error is bounded; names and defaults are those of `gemm`. */
export interface GemmBoundOptions {
  /** How many products a sum has. */
  readonly k: number
  readonly precision?: GemmPrecision
  readonly split?: Split
  readonly blockK?: number
  readonly between?: FloatDType
  /** Dtype of the operands. Default 'float32'. */
  readonly operands?: FloatDType
  /** Dtype of the result. Default: that of the operands, of a unit with `out` that. */
  readonly dtype?: FloatDType
  readonly unit?: UnitName | Unit
  readonly out?: UnitOutput
  readonly input?: 'tf32'
  readonly promote?: number
}

/** What the bound needs to know of the data. */
export interface GemmBoundData {
  /** The sum of |a b| of one element, or an upper bound of it. */
  readonly sumAbs: number
  /** The largest |a| and |b|. */
  readonly maxAbs: number
}

const names: OptionTable<GemmBoundOptions> = {
  ...{ k: 'required', precision: 'optional', split: 'optional', blockK: 'optional' },
  ...{ between: 'optional', operands: 'optional', dtype: 'optional' },
  ...{ unit: 'optional', out: 'optional', input: 'optional', promote: 'optional' },
}
const dataNames: OptionTable<GemmBoundData> = { sumAbs: 'required', maxAbs: 'required' }

/**
 * Of every element of a `gemm`, against the exact product of its operands: what the parts leave out, what the float32 sums lose,
 * what is lost between blocks and at the end; subnormals included.
 */
export function gemmBound(options: GemmBoundOptions, data: GemmBoundData): ErrorBound {
  checkOptions('errorBound', options, names)
  checkOptions('errorBound', data, dataNames)
  const { k, precision = 'default', split = 'truncate', blockK, between = 'float32' } = options
  const { operands = 'float32' } = options
  const { dtype = options.out ?? operands } = options
  const { sumAbs, maxAbs } = data
  checkInteger('errorBound', 'k', k)
  checkName('errorBound', 'precision', precision, gemmPrecisions)
  checkName('errorBound', 'split', split, ['truncate', 'nearest'])
  if (blockK !== undefined) checkInteger('errorBound', 'blockK', blockK, 1)
  for (const [name, one] of Object.entries({ between, operands, dtype })) {
    checkFloatDType('errorBound', name, one)
  }
  checkNumber('errorBound', 'sumAbs', sumAbs, 0)
  checkNumber('errorBound', 'maxAbs', maxAbs, 0)
  const way = wayOf('errorBound', options, operands, operands) ?? fastWay(precision, operands)
  if (way) return ofUnit(way, k, dtype, data)
  const facts = precisionFacts[precision]
  if (facts.narrow && dtypeFacts(operands).bits > 8) {
    throw new TypeError(`errorBound: ${precision} takes operands of 8 bits [${operands}]`)
  }
  const { bits, parts, passes, sums: kept = 'float32', operands: taken = 'bfloat16' } = facts
  const { precision: keptBits, max: largest, minPositive: least } = dtypeFacts(kept as FloatDType)
  const u = 2 ** -keptBits
  const held = facts.operands
    ? holds(facts.operands, operands)
    : dtypeFacts(operands).precision <= bits && operands !== 'float16'
  const asIs = parts === 0 || held
  const { left, weight, spill } = asIs
    ? { left: 0, weight: 1, spill: 0 }
    : splitting(facts, (parts === 1 && bits === 8) || facts.operands ? 'nearest' : split)
  const blocks = blockK === undefined ? 0 : Math.ceil(k / blockK)
  const steps =
    Math.min(blockK ?? k, k) + (parts === 0 || kept !== 'float32' ? 1 : 0) + passes.length - 1 + blocks
  const growth =
    (1 + gamma(steps, u)) *
    narrowed(between, blocks) *
    (kept === 'float64' ? (1 + 2 ** -24) ** (2 * blocks + 1) : 1)
  const tiny =
    k * (passes.length + 1) * Math.max(2 ** -150, kept === 'float32' ? 0 : least) +
    spill * k * (maxAbs + spill) +
    2 * blocks * underflow(between)
  const sums = left * sumAbs + weight * sumAbs * (growth - 1) + tiny * growth
  const peak = weight * sumAbs * growth + tiny
  const isRounded = !asIs && (facts.operands || (bits === 8 && (split === 'nearest' || parts === 1)))
  const overflows =
    peak > Math.min(dtypeFacts(between).max, largest) ||
    (isRounded && maxAbs * (1 + 2 ** -8) > dtypeFacts(taken).max) ||
    sumAbs + sums > dtypeFacts(dtype).max
  const last = dtype === 'float32' || dtype === 'float64' ? 0 : 2 ** -dtypeFacts(dtype).precision
  const total = sums + last * (sumAbs + sums) + (last > 0 ? underflow(dtype) : 0)
  const bound = overflows || Number.isNaN(total) ? Infinity : total * (1 + 2 ** -40)
  return {
    bound,
    formula: `(d + w ((1 + g) ${blocks > 0 ? '(1 + v)^blocks ' : ''}- 1)) S${last > 0 ? ` + 2^-${-Math.log2(last)} |r|` : ''}, d = 2^${left === 0 ? '-Infinity' : Math.log2(left).toFixed(1)}, g = ${steps} u / (1 - ${steps} u), u = 2^${Math.log2(u)}`,
    source:
      'parts: what each leaves over, and the passes left out; sums: Higham, Accuracy and Stability, 3.1',
  }
}

/** The bound of a product on a matrix unit, with the rounding to the dtype of the result. */
function ofUnit(way: UnitWay, k: number, dtype: FloatDType, data: GemmBoundData): ErrorBound {
  const { bound: own, formula, peak } = unitBound(way, k, data)
  const isExact =
    dtype === 'float32' || dtype === 'float64' || (dtype === 'float16' && way.rule.result === dtype)
  const last = isExact ? 0 : 2 ** -dtypeFacts(dtype).precision
  const total = own + (isExact ? 0 : last * (data.sumAbs + own) + underflow(dtype))
  return {
    bound: peak > dtypeFacts(dtype).max || Number.isNaN(total) ? Infinity : total * (1 + 2 ** -40),
    formula: `${formula}${isExact ? '' : ` + 2^${Math.log2(last)} |r|`}`,
    source: 'terms below the largest of a group, counted; the facts of the unit, units[name].source',
  }
}

function gamma(n: number, unit: number): number {
  return n * unit < 1 ? (n * unit) / (1 - n * unit) : Infinity
}

/** What rounding each block's product and the total to another dtype multiplies magnitudes by, at most. */
function narrowed(between: FloatDType, blocks: number): number {
  if (blocks === 0 || between === 'float32') return 1
  return (1 + 2 ** -dtypeFacts(between).precision) ** (blocks + 1)
}

function underflow(dtype: FloatDType): number {
  return dtypeFacts(dtype).minPositive / 2
}

interface Splitting {
  /** Relative to |a b|: what passes and parts leave out. */
  readonly left: number
  /** Relative to |a b|: the magnitudes of all products that are formed. */
  readonly weight: number
  /** What a part may be off where it underflows, times the number of places where that counts. */
  readonly spill: number
}

function splitting({ bits, parts, passes, operands }: PrecisionFacts, split: Split): Splitting {
  const largest: number[] = []
  let rest = 1
  for (let part = 0; part < parts; part++) {
    const isRounded = split === 'nearest' || (bits === 8 && part === parts - 1)
    const loss = isRounded ? 2 ** -bits : 2 ** (1 - bits)
    largest.push(rest * (isRounded ? 1 + loss : 1))
    rest *= loss
  }
  // Three parts of 8 bits hold all 24.
  if (bits * parts >= 24) rest = 0
  const formed = (i: number, j: number): boolean => passes.some(([a, b]) => a === i && b === j)
  let weight = 0
  let left = 2 * rest + rest * rest
  for (const [i, x] of largest.entries()) {
    for (const [j, y] of largest.entries()) {
      if (formed(i, j)) weight += x * y
      else left += x * y
    }
  }
  return { left, weight, spill: 4 * (parts + 1) ** 2 * (operands === 'float16' ? 2 ** -25 : 2 ** -133) }
}
