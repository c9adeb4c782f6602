import { checkInteger, checkOptions, checkRecord, type OptionTable } from '../../../base/options/index.js'
import { round } from '../../../numbers/formats/index.js'
import {
  add,
  apply,
  broadcastTo,
  canonicalizeNaN,
  cast,
  checkTensor,
  type FloatDType,
  type KnownOp,
  mul,
  reshape,
  sum,
  Tensor,
} from '../../../tensors/tensor/index.js'
import { float32Of } from './float32Of.js'
import { flushed } from './groupSums.js'
import { readAsTf32, unitOperand } from './inputs.js'
import { inputOf, ruleOf, unitOf } from './ruleOf.js'
import { type ScaleLane, scaledChain } from './scaledChain.js'
import type { Unit, UnitInput, UnitOutput, UnitRule } from './unit.js'
import { type Lane, promotedChain, termsOf, unitChain } from './unitChain.js'
import type { UnitName } from './units.js'

/** How a unit forms inner products. */
export interface UnitDotOptions<O extends UnitOutput = UnitOutput> {
  /** One of `units` by its name, or one of `defineUnit`. */
  readonly unit: UnitName | Unit
  /** The accumulator and the result. Default 'float32'. */
  readonly out?: O
  /** What each row starts from, float32 [rows]; rounded to nearest where `out` is 'float16'. Default: zeros. */
  readonly c?: Tensor<'float32'>
  /** float32 operands are read as tf32, cut toward zero; they are not taken without it. */
  readonly input?: 'tf32'
  /** Every so many products their sum, from 0, is added to a float32 total: DeepSeek-V3's 128. Default: one chain. */
  readonly promote?: number
  /** Of a unit with block scales: those of a and b, [rows, blocks], all of them positive. */
  readonly scales?: { readonly a: Tensor; readonly b: Tensor }
}

const names: OptionTable<UnitDotOptions> = {
  ...{ unit: 'required', out: 'optional', c: 'optional', input: 'optional' },
  ...{ promote: 'optional', scales: 'optional' },
}

interface Dots {
  readonly unit: Unit
  readonly out: UnitOutput
  readonly inputs: readonly [UnitInput, UnitInput]
  readonly promote: number | undefined
  readonly hasScales: boolean
}

/** Rows of inner products; of float64 operands, which the doctor hands it, they are what they are. */
const unitDotOp: KnownOp<Dots> = {
  name: 'unitDot',
  form: 'whole',
  rounds: 'each step',
  kernel: (given, how) => {
    if (given[0]!.dtype === 'float64') return rowSums(given.map((x) => cast(x, 'float64')))
    const [a, b, c] = given as [Tensor, Tensor, Tensor]
    const rule = ruleOf('unitDot', how.unit, ...how.inputs, how.out)
    const [rows, k] = a.shape as [number, number]
    const [x, y] = [a, b].map((operand, i) => {
      const input = how.inputs[i]!
      const values = float32Of(operand)
      return unitOperand(input === 'tf32' ? readAsTf32(values) : values, input, rule.adder)
    })
    const terms = termsOf(rule)
    const results = new Float32Array(rows)
    for (let row = 0; row < rows; row++) {
      const left: Lane = { ...x!, from: row * k, by: 1 }
      const right: Lane = { ...y!, from: row * k, by: 1 }
      const start = startOf(Number(c.data[row]), rule, how)
      results[row] = how.hasScales
        ? scaledChain(
            rule,
            [left, right],
            [scaleLane(given[3]!, row, k), scaleLane(given[4]!, row, k)],
            k,
            start,
          )
        : how.promote === undefined
          ? unitChain(rule, left, right, k, start, terms)
          : promotedChain(rule, left, right, k, start, how.promote, terms)
    }
    canonicalizeNaN(results)
    return cast(new Tensor('float32', [rows], results), how.out)
  },
  exact: (inputs) => rowSums(inputs),
  gradient: ({ g, inputs, needs }) => {
    const [a, b, c] = inputs
    const factor = factorOf(inputs.map((x) => cast(x, 'float32')))
    const across = (of: Tensor, other: Tensor): Tensor =>
      cast(
        mul(
          broadcastTo(reshape(cast(g, 'float32'), [g.size, 1]), other.shape),
          factor ? mul(cast(other, 'float32'), factor) : cast(other, 'float32'),
        ),
        of.dtype,
      )
    return [
      needs[0] ? across(a!, b!) : undefined,
      needs[1] ? across(b!, a!) : undefined,
      needs[2] ? cast(g, c!.dtype) : undefined,
    ]
  },
}

/** The scales of every product [rows, k]; undefined where there are none. */
function factorOf([a, , , left, right]: readonly Tensor[]): Tensor | undefined {
  if (!left || !right) return undefined
  const [rows, k] = a!.shape as [number, number]
  const blocks = left.shape[1]!
  const both = reshape(mul(left, right), [rows, blocks, 1])
  return reshape(broadcastTo(both, [rows, blocks, k / blocks]), [rows, k])
}

/** The sums without rounding. */
function rowSums(inputs: readonly Tensor[]): Tensor {
  const [a, b, c] = inputs
  const products = mul(a!, b!)
  const factor = factorOf(inputs)
  return add(sum(factor ? mul(products, factor) : products, { axis: 1 }), c!)
}

/** An accumulator as the unit takes it. */
function startOf(c: number, rule: UnitRule, { out, promote }: Dots): number {
  if (rule.adder === 'pairwise') return flushed(c) + 0
  return out === 'float16' && promote === undefined ? round(c, 'float16') : c
}

function scaleLane(scales: Tensor, row: number, k: number): ScaleLane {
  const blocks = scales.shape[1]!
  return {
    values: float32Of(scales),
    from: row * blocks,
    block: k / blocks,
    least: scales.dtype === 'float8_e8m0fnu' ? -127 : -6,
  }
}

/**
 * Inner products, row by row, as the matrix unit of a GPU forms them: to the bit, for units whose results were measured. A row
 * longer than one instruction is a chain, k ascending, each instruction taking the last one's result as its accumulator.
 *
 * Shape     a and b [rows, k], c [rows] -> [rows].
 * Dtype     both operands alike, a format that the unit takes, or both of 8 bits; float32 with `input: 'tf32'`. The result has `out`.
 * Rounding  that of `units`: terms are cut below the group's largest exponent, the sum is cut or rounded after every group. A c of
 *           float16 is rounded to nearest; tf32 is float32 without its low 13 bits; a `promote` total is rounded to float32.
 * Special   an infinity or a NaN among products and c gives what IEEE arithmetic gives; a sum past the largest number is an infinity. A zero
 *           product never raises the largest exponent. A sum that is exactly 0 is +0. NaN is the canonical one, not NVIDIA's 7fffffff.
 * Error     `errorBound('gemm', { unit })`.
 * Gradient  products of the cotangent with the other operand, in float32, each once to its operand's dtype.
 * Throws    TypeError for a format that the unit does not take; RangeError for an output that it does not have.
 * Source    of each unit, `units[name].source`; tf32 is cut as MMA-Sim found on hardware
 *
 * @example const a = tensor([[1, 2 ** -9, 2 ** -9]], { dtype: 'float8_e4m3fn' })
 * const b = tensor([[16, 2 ** -6, 2 ** -6]], { dtype: 'float8_e4m3fn' })
 * unitDot(a, b, { unit: 'b200' }).toNested() // [16.00006103515625]
 * unitDot(a, b, { unit: 'h100' }).toNested() // [16]
 * unitDot(a, b, { unit: 'v100' }) // throws unitDot: v100 takes no float8_e4m3fn, it takes float16 [float8_e4m3fn]
 */
export function unitDot<O extends UnitOutput = 'float32'>(
  a: Tensor<FloatDType>,
  b: Tensor<FloatDType>,
  options: UnitDotOptions<O>,
): Tensor<O> {
  checkTensor('unitDot', a)
  checkTensor('unitDot', b)
  checkOptions('unitDot', options, names, { positional: 'unit' })
  const { out = 'float32', c, input, promote, scales } = options
  const unit = unitOf('unitDot', options.unit)
  const inputs = [inputOf('unitDot', a.dtype, input), inputOf('unitDot', b.dtype, input)] as const
  const rule = ruleOf('unitDot', unit, ...inputs, out)
  const shapes = `[${a.shape.join(', ')}] and [${b.shape.join(', ')}]`
  if (a.rank !== 2 || b.rank !== 2) throw new RangeError(`unitDot: needs rows of two matrices ${shapes}`)
  if (a.shape[0] !== b.shape[0] || a.shape[1] !== b.shape[1]) {
    throw new RangeError(`unitDot: shapes differ ${shapes}`)
  }
  checkPromote('unitDot', promote, rule)
  const start = c ?? new Tensor('float32', [a.shape[0]!], new Float32Array(a.shape[0]!))
  checkTensor('unitDot', start)
  if (start.dtype !== 'float32') {
    throw new TypeError(`unitDot: c is not float32, cast it first [${start.dtype}]`)
  }
  if (start.rank !== 1 || start.size !== a.shape[0]) {
    throw new RangeError(`unitDot: c has not one number a row [${start.shape.join(', ')}]`)
  }
  if ((rule.scaled !== undefined) !== (scales !== undefined)) {
    const what = scales === undefined ? 'needs scales, { a, b }' : 'takes no scales'
    throw new RangeError(`unitDot: ${unit.name} ${what} [${shownScales(scales)}]`)
  }
  if (scales !== undefined) {
    if (promote !== undefined) {
      throw new RangeError(`unitDot: scales and promote exclude each other [${promote}]`)
    }
    checkRecord('unitDot', 'scales', scales, ['a', 'b'])
    for (const one of [scales.a, scales.b]) checkScales(one, a, rule)
    if (scales.a.dtype !== scales.b.dtype || scales.a.size !== scales.b.size) {
      throw new RangeError(`unitDot: scales of a and b differ [${scales.a.dtype} and ${scales.b.dtype}]`)
    }
  }
  const how: Dots = { unit, out, inputs, promote, hasScales: scales !== undefined }
  const operands = scales === undefined ? [a, b, start] : [a, b, start, scales.a, scales.b]
  return apply(unitDotOp, operands, how) as Tensor<O>
}

const shownScales = (scales: object | undefined): string => (scales === undefined ? 'undefined' : 'scales')

/** Throws unless sums are promoted after whole instructions. */
export function checkPromote(op: string, promote: number | undefined, rule: UnitRule): void {
  if (promote === undefined) return
  checkInteger(op, 'promote', promote, 1)
  if (promote % rule.k !== 0) {
    throw new RangeError(`${op}: promote is no multiple of an instruction's ${rule.k} products [${promote}]`)
  }
}

function checkScales(scales: Tensor, a: Tensor, rule: UnitRule): void {
  checkTensor('unitDot', scales)
  const isFour = rule.adder === 'scaled'
  const formats: readonly string[] = isFour ? ['float8_e8m0fnu', 'float8_e4m3fn'] : ['float8_e8m0fnu']
  if (!formats.includes(scales.dtype)) {
    throw new TypeError(`unitDot: scales are ${formats.join(' or ')} [${scales.dtype}]`)
  }
  const [rows, k] = a.shape as [number, number]
  const block = k / scales.shape[1]!
  const fits = isFour ? block === 16 || block === 32 : block === rule.scaled
  if (scales.rank !== 2 || scales.shape[0] !== rows || !fits) {
    const want = isFour ? '16 or 32' : rule.scaled
    throw new RangeError(`unitDot: scales are not one for ${want} elements [${scales.shape.join(', ')}]`)
  }
}
