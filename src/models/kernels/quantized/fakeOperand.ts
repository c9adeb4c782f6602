import {
  decodeArray,
  encodeArray,
  type FormatName,
  format as formatOf,
} from '../../../numbers/formats/index.js'
import { type Key, keyOfTensor } from '../../../tensors/random/index.js'
import {
  apply,
  cast,
  dtypeFacts,
  type KnownOp,
  mul,
  Tensor,
  untraced,
} from '../../../tensors/tensor/index.js'
import { encodingOf } from '../fp8/scaleTiles.js'
import { columns } from '../gemm/columns.js'
import { float32Of } from '../units/float32Of.js'
import type { FakeGradient } from './fakeInteger.js'
import {
  codedOperand,
  type OperandQuantization,
  operandLimits,
  paddedRows,
  restoredOperand,
  streamOf,
  wholeLength,
} from './operand.js'

/** How rows are quantised to a narrow float or to blocks. */
export interface FakeOperand {
  readonly operand: OperandQuantization
  /** Whether elements are cast as they are, without a scale. */
  readonly plain: boolean
  readonly gradient: FakeGradient
  /** Which words of the key: those of `foldIn(key, stream)`; undefined: the key's own. */
  readonly stream?: number
}

/** A matrix as its codes have it, in float32, quantised along its rows; the gradient passes, or none of it where elements are clipped. */
export const fakeOperandOp: KnownOp<FakeOperand> = {
  name: 'fakeQuantize',
  form: 'whole',
  rounds: 'once',
  kernel: ([x, key], how) => (x!.dtype === 'float64' ? untraced(x!) : quantized(x!, key, how).result),
  exact: ([x]) => x!,
  gradient: ({ g, inputs: [x, key], attributes }) => {
    const rest = key ? [undefined] : []
    const own = cast(g, x!.dtype)
    if (attributes.gradient === 'straight-through') return [own, ...rest]
    const inside = apply(insideOp, [x!, ...(key ? [key] : [])], attributes)
    return [mul(own, cast(inside, own.dtype)), ...rest]
  },
}

/** 1 where an element is not clipped, 0 where it is. */
const insideOp: KnownOp<FakeOperand> = {
  name: 'isInside',
  form: 'whole',
  rounds: 'decides',
  kernel: ([x, key], how) => {
    const ones = new Float32Array(x!.size).fill(1)
    if (x!.dtype === 'float64') return new Tensor('float64', x!.shape, Float64Array.from(ones))
    const { limits } = quantized(x!, key, how)
    const values = float32Of(x!)
    for (let i = 0; i < ones.length; i++) if (Math.abs(values[i]!) > limits[i]!) ones[i] = 0
    return new Tensor('float32', x!.shape, ones)
  },
  gradient: () => [],
}

/** The elements, and the largest magnitude that each may have without being clipped. */
function quantized(x: Tensor, key: Tensor | undefined, how: FakeOperand) {
  const { operand, plain, stream } = how
  const [rows, length] = x.shape as [number, number]
  const words = key && keyOfTensor(key)
  if (plain && 'format' in operand) return castPlainly(x, operand.format!, words, operand)
  const whole = wholeLength(operand)
  const values = paddedRows(float32Of(x), length, whole)
  const size = [rows, rows === 0 ? length : values.length / rows] as const
  const coded = codedOperand(values, size, operand, stream === undefined ? words : streamOf(words, stream))
  const cut = (all: Float32Array): Float32Array =>
    size[1] === length ? all : columns(all, size[1], 0, length)
  return {
    result: new Tensor('float32', x.shape, cut(restoredOperand(coded, size))),
    limits: cut(operandLimits(coded, size, operand)),
  }
}

function castPlainly(
  x: Tensor,
  format: FormatName,
  key: Key | undefined,
  { rounding, randomBits }: OperandQuantization,
) {
  const drawn = rounding === 'stochastic' && {
    ...{ rounding, ...(key && { key }), ...(randomBits !== undefined && { randomBits }) },
  }
  const codes = encodeArray(float32Of(x), format, encodingOf('fakeQuantize', { ...drawn }, x.size))
  return {
    result: new Tensor('float32', x.shape, decodeArray(codes, formatOf(format))),
    limits: new Float32Array(x.size).fill(dtypeFacts(format).max),
  }
}
