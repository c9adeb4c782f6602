import type { UnaryName } from '../../../numbers/functions/index.js'
import {
  type Casting,
  type DType,
  dtypeFacts,
  entryOf,
  flushOp,
  holds,
  isFloat,
  noRows,
  type Op,
  type OpTable,
  ops,
} from '../../tensor/index.js'
import * as code from '../engine/opcodes.js'
import type { Node } from './graph.js'
import { hasRecord, isOtherInteger, isWord, laterRoundingOf, roundingOf, widthOf } from './values.js'

/** One instruction of a loop: what it reads, by number an operand of the operation or the result of an earlier instruction. */
export interface Instruction {
  readonly opcode: number
  readonly reads: readonly (number | { readonly before: number })[]
  /** The width of its result. */
  readonly width: 4 | 8
  readonly parameter?: Parameter
}

/** The meaning of an instruction's last word. */
export type Parameter =
  | { readonly kind: 'format'; readonly dtype: DType }
  | { readonly kind: 'table'; readonly name: UnaryName; readonly dtype: DType }
  | { readonly kind: 'number'; readonly number: number }
  /** The operation's own kernel, on blocks. */
  | { readonly kind: 'kernel' }

/** What an elementwise operation is in instructions: its operand as it is, some instructions, or none: by its own kernel. */
export type Loop = 'same' | readonly Instruction[] | undefined

type Rule = (node: Node, name: UnaryName) => Loop

const format = (dtype: DType): Pick<Instruction, 'parameter'> =>
  hasRecord(dtype) ? { parameter: { kind: 'format', dtype } } : {}

const simple = (opcode: number, reads: readonly number[], width: 4 | 8 = 4): Instruction => ({
  opcode,
  reads,
  width,
})

/** Instructions whose result is in float32, and then rounded to a dtype that operations have no rounding to. */
function roundedLater(dtype: DType, isProduct: boolean, instructions: readonly Instruction[]): Loop {
  const opcode = laterRoundingOf(dtype, isProduct)
  if (opcode === undefined) return undefined
  const before = instructions.length - 1
  const reads = before < 0 ? [0] : [{ before }]
  return [...instructions, { opcode, reads, width: 4, ...format(dtype) }]
}

/** An operation's own kernel on blocks: for dtypes that storage holds as they are here. */
function kernel({ dtype, inputs }: Node): Loop {
  const native = (each: DType): boolean => !dtypeFacts(each).format && each !== 'bool'
  if (!native(dtype) || !inputs.every((input) => native(input.dtype))) return undefined
  return [
    {
      opcode: code.HOST,
      reads: inputs.map((_, i) => i),
      width: widthOf(dtype),
      parameter: { kind: 'kernel' },
    },
  ]
}

/** Arithmetic of two operands: rounded where floats are, wrapping for integers. */
function arithmetic(opcode: number, wide: number, whole: number | undefined): Rule {
  return (node) => {
    const { dtype } = node
    if (dtype === 'float64') return [simple(wide, [0, 1], 8)]
    if (!isFloat(dtype)) return whole === undefined ? undefined : [simple(whole, [0, 1])]
    const rounding = roundingOf(dtype)
    if (givesOperand(opcode, node)) return [simple(opcode, [0, 1])]
    if (rounding === undefined) {
      return roundedLater(dtype, opcode === code.MUL || opcode === code.DIV, [simple(opcode, [0, 1])])
    }
    const within = opcode === code.MUL && rounding >= code.TO_FORMAT && shrinks(node)
    const rounded = within ? code.MUL_WITHIN + rounding - code.TO_FORMAT : opcode + rounding
    return [{ ...simple(rounded, [0, 1]), ...format(dtype) }]
  }
}

/** Whether a product has a constant of at most 1, so that it is no larger than its other operand. */
function shrinks({ inputs }: Node): boolean {
  return inputs.some(
    ({ source, size }) => source.kind === 'constant' && size === 1 && Math.abs(source.tensor.item()) <= 1,
  )
}

/** Whether what an operation gives is one of its operands, but for the sign of a zero: with a constant 0 or 1. There is nothing to round. */
function givesOperand(opcode: number, { inputs }: Node): boolean {
  const [first, second] = inputs.map(({ source, size }) =>
    source.kind === 'constant' && size === 1 ? source.tensor.item() : undefined,
  )
  if (opcode === code.MUL) return first === 1 || second === 1
  if (opcode === code.DIV) return second === 1
  return second === 0 || (opcode === code.ADD && first === 0)
}

/** The smaller or the larger of two, which never rounds. */
function choice(float: number, wide: number, signed: number, unsigned: number): Rule {
  return ({ dtype }) => {
    if (dtype === 'float64') return [simple(wide, [0, 1], 8)]
    if (dtype === 'int32') return [simple(signed, [0, 1])]
    if (dtype === 'uint32') return [simple(unsigned, [0, 1])]
    return isWord(dtype) ? [simple(float, [0, 1])] : undefined
  }
}

interface Comparing {
  readonly float: number
  readonly wide: number
  readonly signed: number
  readonly unsigned: number
}

function comparison(codes: Comparing, swapped = false, negated = false): Rule {
  const reads = swapped ? [1, 0] : [0, 1]
  return ({ inputs }) => {
    const { dtype } = inputs[0]!
    // false is 0 and true all ones, which is less as an integer.
    if (dtype === 'bool' && codes !== equality) return undefined
    const opcode =
      dtype === 'float64'
        ? codes.wide
        : dtype === 'uint32'
          ? codes.unsigned
          : isFloat(dtype)
            ? codes.float
            : codes.signed
    const first = simple(opcode, reads)
    return negated ? [first, { opcode: code.NOT, reads: [{ before: 0 }], width: 4 }] : [first]
  }
}

const equality: Comparing = {
  ...{ float: code.EQUAL, wide: code.EQUAL64, signed: code.EQUAL_INT, unsigned: code.EQUAL_INT },
}
const order: Comparing = {
  ...{ float: code.LESS, wide: code.LESS64, signed: code.LESS_INT, unsigned: code.LESS_UINT },
}
const weakOrder: Comparing = {
  ...{ float: code.LESS_EQUAL, wide: code.LESS_EQUAL64 },
  ...{ signed: code.LESS_EQUAL_INT, unsigned: code.LESS_EQUAL_UINT },
}

function property(opcode: number, wide?: number): Rule {
  return ({ inputs }) => {
    const { dtype } = inputs[0]!
    if (dtype === 'float64') return wide === undefined ? undefined : [simple(wide, [0])]
    return isWord(dtype) ? [simple(opcode, [0])] : undefined
  }
}

/** The functions of float32 that the interpreter has, by their numbers: wasm/program/functions.ts, in the same order. */
const float32Functions: readonly UnaryName[] = [
  ...(['exp', 'sigmoid', 'silu', 'geluTanh', 'tanh', 'log', 'erf', 'gelu', 'softplus'] as const),
  ...(['exp2', 'expm1', 'sinh', 'cosh', 'log2', 'log10', 'log1p', 'asinh', 'acosh', 'atanh'] as const),
  ...(['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'erfc', 'cbrt', 'rsqrt'] as const),
]

/** Functions that formats read from a table of all codes, and others compute. */
const unary: Rule = (node, name) => {
  const { dtype } = node
  const low = dtypeFacts(dtype).format
  const number = float32Functions.indexOf(name)
  if (dtype === 'float32' && number >= 0) {
    return [{ ...simple(code.FUNCTION, [0]), parameter: { kind: 'number', number } }]
  }
  if (!low) return kernel(node)
  if (!low.zero) return undefined
  const opcode = dtype === 'float16' ? code.TABLE_HALF : dtype === 'bfloat16' ? code.TABLE16 : code.TABLE8
  return [{ ...simple(opcode, [0]), parameter: { kind: 'table', name, dtype } }]
}

/** Functions with an instruction of their own where a vector has it and the format has every sign. */
function direct(opcode: number, wide?: number, whole?: number): Rule {
  return (node, name) => {
    const { dtype } = node
    if (dtype === 'float64' && wide !== undefined) return [simple(wide, [0], 8)]
    if (dtype === 'int32' && whole !== undefined) return [simple(whole, [0])]
    const low = dtypeFacts(dtype).format
    if (dtype === 'float32' || low?.bits === 16) return [simple(opcode, [0])]
    return unary(node, name)
  }
}

const sqrt: Rule = (node, name) => {
  const rounding = roundingOf(node.dtype)
  if (node.dtype === 'float64') return [simple(code.SQRT64, [0], 8)]
  // Up to 11 bits a root of float32 rounds innocuously: 24 >= 2 * 11 + 2.
  return rounding === undefined
    ? (unary(node, name) ?? roundedLater(node.dtype, false, [simple(code.SQRT, [0])]))
    : [{ ...simple(code.SQRT + rounding, [0]), ...format(node.dtype) }]
}

const square: Rule = ({ dtype }) => {
  if (dtype === 'float64') return [simple(code.MUL64, [0, 0], 8)]
  if (!isFloat(dtype)) return dtype === 'bool' ? undefined : [simple(code.MUL_INT, [0, 0])]
  const rounding = roundingOf(dtype)
  return rounding === undefined
    ? roundedLater(dtype, true, [simple(code.MUL, [0, 0])])
    : [{ ...simple(code.MUL + rounding, [0, 0]), ...format(dtype) }]
}

/** Functions that integers and bool have no instruction for. */
const where: Rule = ({ dtype }) => [
  simple(widthOf(dtype) === 8 ? code.WHERE64 : code.WHERE, [0, 1, 2], widthOf(dtype)),
]

const logical =
  (opcode: number, operands: number): Rule =>
  () => [simple(opcode, operands === 1 ? [0] : [0, 1])]

/** Numbers of a dtype as float32, for a format to which they are rounded then as from themselves. */
function widened(from: DType): readonly Instruction[] {
  if (isWord(from)) return []
  if (from === 'bool') return [simple(code.MASK_TO_FLOAT, [0])]
  if (from === 'float64') return [simple(code.NARROW_ODD, [0])]
  const wide = simple(from === 'int32' ? code.INT_TO_FLOAT64 : code.UINT_TO_FLOAT64, [0], 8)
  return [wide, { opcode: code.NARROW_ODD, reads: [{ before: 0 }], width: 4 }]
}

const cast: Rule = (node) => {
  const { source, dtype, inputs } = node
  const from = inputs[0]!.dtype
  const options = source.kind === 'operation' ? (source.attributes as Casting).options : undefined
  if (options && ((options.rounding ?? 'nearest-even') !== 'nearest-even' || options.saturate)) {
    return undefined
  }
  if (from === dtype) return 'same'
  const rounding = roundingOf(dtype)
  if (dtype === 'float64') {
    if (isWord(from)) return [simple(code.WIDEN, [0], 8)]
    if (from === 'bool') return [simple(code.MASK_TO_FLOAT64, [0], 8)]
    return [simple(from === 'int32' ? code.INT_TO_FLOAT64 : code.UINT_TO_FLOAT64, [0], 8)]
  }
  if (isFloat(dtype)) {
    if (rounding === undefined) return roundedLater(dtype, false, widened(from))
    const narrowed = (reads: Instruction['reads']): Instruction => ({
      ...{ opcode: code.NARROW + rounding, reads, width: 4 },
      ...format(dtype),
    })
    if (from === 'float64') return [narrowed([0])]
    if (from === 'bool') return [simple(code.MASK_TO_FLOAT, [0])]
    if (!isFloat(from)) {
      const signed = from === 'int32'
      if (rounding === code.EXACT) return [simple(signed ? code.INT_TO_FLOAT : code.UINT_TO_FLOAT, [0])]
      return [simple(signed ? code.INT_TO_FLOAT64 : code.UINT_TO_FLOAT64, [0], 8), narrowed([{ before: 0 }])]
    }
    if (rounding === code.EXACT || holds(dtype, from)) return 'same'
    return [{ ...simple(code.ROUND + rounding, [0]), ...format(dtype) }]
  }
  if (dtype === 'bool') {
    if (isWord(from)) return [simple(code.FLOAT_TO_MASK, [0])]
    return from === 'float64' ? undefined : [simple(code.INT_TO_MASK, [0])]
  }
  if (from === 'bool') return [simple(code.MASK_TO_INT, [0])]
  if (!isFloat(from)) return 'same'
  if (from === 'float64') return undefined
  return [simple(dtype === 'int32' ? code.FLOAT_TO_INT : code.FLOAT_TO_UINT, [0])]
}

/** What each elementwise operation is in instructions; 'none' for the operations of other forms. */
const loops: OpTable<{ readonly rule: Rule }> = {
  ...tableOf(unary, [
    ...(['exp', 'exp2', 'expm1', 'log', 'log2', 'log10', 'log1p', 'rsqrt', 'cbrt', 'reciprocal'] as const),
    ...([
      'sin',
      'cos',
      'tan',
      'asin',
      'acos',
      'atan',
      'sinh',
      'cosh',
      'tanh',
      'asinh',
      'acosh',
      'atanh',
    ] as const),
    ...(['sigmoid', 'softplus', 'silu', 'gelu', 'geluTanh', 'erf', 'erfc', 'lgamma'] as const),
  ]),
  sqrt: { rule: sqrt },
  square: { rule: square },
  abs: { rule: direct(code.ABS, code.ABS64, code.ABS_INT) },
  neg: { rule: direct(code.NEG, code.NEG64, code.NEG_INT) },
  sign: { rule: direct(code.SIGN) },
  relu: { rule: direct(code.RELU) },
  floor: { rule: direct(code.FLOOR) },
  ceil: { rule: direct(code.CEIL) },
  rint: { rule: direct(code.NEAREST) },
  trunc: { rule: direct(code.TRUNC) },
  add: { rule: arithmetic(code.ADD, code.ADD64, code.ADD_INT) },
  sub: { rule: arithmetic(code.SUB, code.SUB64, code.SUB_INT) },
  mul: { rule: arithmetic(code.MUL, code.MUL64, code.MUL_INT) },
  div: { rule: arithmetic(code.DIV, code.DIV64, undefined) },
  minimum: { rule: choice(code.MIN, code.MIN64, code.MIN_INT, code.MIN_UINT) },
  maximum: { rule: choice(code.MAX, code.MAX64, code.MAX_INT, code.MAX_UINT) },
  pow: { rule: kernel },
  atan2: { rule: kernel },
  hypot: { rule: kernel },
  rem: { rule: kernel },
  ...tableOf(kernel, [
    ...([
      'bitwiseAnd',
      'bitwiseOr',
      'bitwiseXor',
      'bitwiseNot',
      'leftShift',
      'rightShiftArithmetic',
    ] as const),
    ...(['rightShiftLogical', 'populationCount', 'countLeadingZeros', 'truncDiv'] as const),
  ]),
  equal: { rule: comparison(equality) },
  notEqual: { rule: comparison(equality, false, true) },
  less: { rule: comparison(order) },
  lessEqual: { rule: comparison(weakOrder) },
  greater: { rule: comparison(order, true) },
  greaterEqual: { rule: comparison(weakOrder, true) },
  logicalAnd: { rule: logical(code.AND, 2) },
  logicalOr: { rule: logical(code.OR, 2) },
  logicalNot: { rule: logical(code.NOT, 1) },
  isFinite: { rule: property(code.IS_FINITE) },
  isInf: { rule: property(code.IS_INF) },
  isNaN: { rule: property(code.IS_NAN, code.IS_NAN64) },
  where: { rule: where },
  cast: { rule: cast },
  ...noRows('moves'),
  ...{ sum: 'none', mean: 'none', max: 'none', min: 'none', argmax: 'none', argmin: 'none', argsort: 'none' },
  ...{ cumsum: 'none', cumprod: 'none', matmul: 'none', bitcast: 'none' },
  ...{ reduceAnd: 'none', reduceOr: 'none', reduceXor: 'none' },
}

function tableOf<K extends string>(
  rule: Rule,
  names: readonly K[],
): { readonly [P in K]: { readonly rule: Rule } } {
  return Object.fromEntries(names.map((name) => [name, { rule }])) as { [P in K]: { readonly rule: Rule } }
}

/** Whether an operation is one of elements, of whatever dtype. */
export function isElementwise(op: Op): boolean {
  return entryOf(loops, op) !== undefined || op === flushOp
}

/** What a value is in instructions of a loop; undefined where it is none. */
export function loopOf(node: Node): Loop {
  const { source } = node
  if (source.kind !== 'operation') return undefined
  const others = [node, ...node.inputs].some(({ dtype }) => isOtherInteger(dtype))
  if (others && source.op !== ops.where) return undefined
  if (source.op === flushOp) return node.dtype === 'float32' ? [simple(code.FLUSH, [0])] : undefined
  return entryOf(loops, source.op)?.rule(node, source.op.name as UnaryName)
}
