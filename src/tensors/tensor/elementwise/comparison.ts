import { arena, type Float32Binary, float32BinaryBlocks } from '../../../numbers/simd/index.js'
import { apply, checkOut, type OutOption, operands } from '../storage/apply.js'
import { walk } from '../storage/broadcast.js'
import { checkOutOption } from '../storage/checkCall.js'
import { allocate, type DType, isBigDType, numbersOf } from '../storage/dtype.js'
import { broadcastShapes, sizeOf } from '../storage/shape.js'
import { type KnownOp, type Op, Tensor } from '../storage/tensor.js'

/** The comparisons that float32 has a kernel for, and whether with its operands exchanged. */
const kernels: Readonly<Partial<Record<string, readonly [kernel: Float32Binary, exchanged: boolean]>>> = {
  equal: ['equal', false],
  notEqual: ['notEqual', false],
  less: ['less', false],
  lessEqual: ['lessEqual', false],
  greater: ['less', true],
  greaterEqual: ['lessEqual', true],
}

/** Runs shorter than this are not worth the copies into the kernel's memory. */
const shortRun = 128

function comparison(name: string, holds: (a: number, b: number) => boolean): KnownOp {
  const known = kernels[name]
  return {
    name,
    form: 'elementwise',
    rounds: 'decides',
    kernel: (inputs, _, out) => {
      const [a, b] = inputs as [Tensor, Tensor]
      const shape = broadcastShapes(name, a.shape, b.shape)
      checkOut(name, out, 'bool', shape)
      const left = numbersOf(a.dtype, a.data)
      const right = numbersOf(b.dtype, b.data)
      const data = (out?.data ?? allocate('bool', sizeOf(shape))) as Uint8Array
      const { run, steps, offsets } = walk([a.shape, b.shape], shape)
      const [di, dj] = steps as [number, number]
      const simd = known && a.dtype === 'float32' && run >= shortRun ? arena('simd') : undefined
      for (let r = 0; r < offsets[0]!.length; r++) {
        if (simd && known) {
          const first = [a.data as Float32Array, offsets[0]![r]!, di] as const
          const second = [b.data as Float32Array, offsets[1]![r]!, dj] as const
          const [kernel, exchanged] = known
          const [x, y] = exchanged ? [second, first] : [first, second]
          float32BinaryBlocks(simd, kernel, x, y, data, r * run, run)
          continue
        }
        let i = offsets[0]![r]!
        let j = offsets[1]![r]!
        for (let k = r * run; k < (r + 1) * run; k++, i += di, j += dj) {
          data[k] = holds(left[i]!, right[j]!) ? 1 : 0
        }
      }
      return out ?? new Tensor('bool', shape, data)
    },
  }
}

function predicate(name: string, holds: (x: number) => boolean): KnownOp {
  return {
    name,
    form: 'elementwise',
    rounds: 'decides',
    kernel: (inputs, _, out) => {
      const [x] = inputs as [Tensor]
      checkOut(name, out, 'bool', x.shape)
      const data = (out?.data ?? allocate('bool', x.size)) as Uint8Array
      // An integer is as finite as any other: none is looked at, since a bigint is no number.
      const values = isBigDType(x.dtype) ? new Uint8Array(x.size) : numbersOf(x.dtype, x.data)
      for (let i = 0; i < data.length; i++) data[i] = holds(values[i]!) ? 1 : 0
      return out ?? new Tensor('bool', x.shape, data)
    },
  }
}

/**
 * A comparison, element by element.
 *
 * Shape     broadcast of both. Dtype both alike, the result is bool; a number is rounded to the tensor's dtype first.
 * Special   NaN is unordered: every comparison with it is false but notEqual. -0 equals +0.
 */
export interface Comparison {
  <D extends DType, E extends D = D>(
    a: Tensor<D> | number | bigint,
    b: Tensor<E> | number | bigint,
    options?: OutOption<'bool'>,
  ): Tensor<'bool'>
  <D extends DType, E extends D = D>(
    a: Tensor<E> | number | bigint,
    b: Tensor<D> | number | bigint,
    options?: OutOption<'bool'>,
  ): Tensor<'bool'>
}

/** A property of each element, as bool. */
export type Predicate = (x: Tensor, options?: OutOption<'bool'>) => Tensor<'bool'>

function compares(op: Op): Comparison {
  const of: Comparison = (
    a: Tensor | number | bigint,
    b: Tensor | number | bigint,
    options?: OutOption<'bool'>,
  ) => {
    checkOutOption(op.name, options)
    return apply(op, operands(op.name, [a, b]), undefined, options?.out) as Tensor<'bool'>
  }
  return Object.defineProperty(of, 'name', { value: op.name })
}

function tests(op: Op): Predicate {
  const of: Predicate = (x, options) => {
    checkOutOption(op.name, options)
    return apply(op, operands(op.name, [x]), undefined, options?.out) as Tensor<'bool'>
  }
  return Object.defineProperty(of, 'name', { value: op.name })
}

function boolsOnly(op: KnownOp): KnownOp {
  const kernel: Op['kernel'] = (inputs, attributes, out) => {
    if (inputs[0]!.dtype !== 'bool') {
      throw new TypeError(`${op.name}: needs bool, compare first [${inputs[0]!.dtype}]`)
    }
    return op.kernel(inputs, attributes, out)
  }
  return { ...op, kernel }
}

/** The comparisons, predicates and logical operations as records. */
export const comparisonOps: Readonly<Record<ComparisonName, KnownOp>> = {
  equal: comparison('equal', (a, b) => a === b),
  notEqual: comparison('notEqual', (a, b) => a !== b),
  less: comparison('less', (a, b) => a < b),
  lessEqual: comparison('lessEqual', (a, b) => a <= b),
  greater: comparison('greater', (a, b) => a > b),
  greaterEqual: comparison('greaterEqual', (a, b) => a >= b),
  logicalAnd: boolsOnly(comparison('logicalAnd', (a, b) => a === 1 && b === 1)),
  logicalOr: boolsOnly(comparison('logicalOr', (a, b) => a === 1 || b === 1)),
  logicalNot: boolsOnly(predicate('logicalNot', (x) => x === 0)),
  isFinite: predicate('isFinite', Number.isFinite),
  isInf: predicate('isInf', (x) => Math.abs(x) === Number.POSITIVE_INFINITY),
  isNaN: predicate('isNaN', Number.isNaN),
}

/** The comparisons, logical operations and predicates. */
export type ComparisonName =
  | 'equal'
  | 'notEqual'
  | 'less'
  | 'lessEqual'
  | 'greater'
  | 'greaterEqual'
  | 'logicalAnd'
  | 'logicalOr'
  | 'logicalNot'
  | 'isFinite'
  | 'isInf'
  | 'isNaN'

/** a = b. */
export const equal: Comparison = compares(comparisonOps.equal)
/** a != b. */
export const notEqual: Comparison = compares(comparisonOps.notEqual)
/** a < b. */
export const less: Comparison = compares(comparisonOps.less)
/** a <= b. */
export const lessEqual: Comparison = compares(comparisonOps.lessEqual)
/** a > b. */
export const greater: Comparison = compares(comparisonOps.greater)
/** a >= b. */
export const greaterEqual: Comparison = compares(comparisonOps.greaterEqual)
/** Both true; bool only. */
export const logicalAnd: Comparison = compares(comparisonOps.logicalAnd)
/** Either true; bool only. */
export const logicalOr: Comparison = compares(comparisonOps.logicalOr)
/** Not true; bool only. */
export const logicalNot: Predicate = tests(comparisonOps.logicalNot)
/** Neither NaN nor infinite. */
export const isFinite: Predicate = tests(comparisonOps.isFinite)
/** +Inf or -Inf. */
export const isInf: Predicate = tests(comparisonOps.isInf)
/** Not a number. */
export const isNaN: Predicate = tests(comparisonOps.isNaN)
