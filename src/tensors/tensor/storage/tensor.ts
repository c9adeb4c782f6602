import { type DType, isBig, numbersOf, type Storage } from './dtype.js'
import type { Form, Reads, Rounds } from './op.js'
import { print } from './print.js'
import { checkShape, type Shape, sizeOf } from './shape.js'

/** How a tensor was made: the operation, what it read, and its options. Differentiation walks these. */
export interface Trace {
  readonly op: Op
  readonly inputs: readonly Tensor[]
  readonly attributes: unknown
  /** Ascending in the order in which operations ran. Only the order means something, and only within one process. */
  readonly serial: number
  /** Where the operation was called, as the stack of an Error; only where a recording asked for it. */
  readonly site?: Error
  /** The elements of a tensor that is sealed: see `seal`. */
  readonly elements?: Storage
  /** Whose recording a sealed root belongs to, for errors. Default: compile's. */
  readonly recorder?: string
}

/** What the gradient rule of an operation receives. */
export interface OpCotangent<A = unknown> {
  /** The cotangent of the result: its dtype and shape. */
  readonly g: Tensor
  readonly inputs: readonly Tensor[]
  readonly output: Tensor
  readonly attributes: A
  /** Which inputs a gradient is asked for; what a rule gives for the others is dropped, so it may save the work. */
  readonly needs: readonly boolean[]
}

/**
 * One tensor operation, a record that says of itself what walks over traces have to know. What else is true of it (its
 * gradient, its error bound) is a table, kept elsewhere: an `OpTable` for the operations of this folder, one keyed by the
 * record for operations of one's own. One of a higher folder, or of a user, may bring its gradient itself.
 */
export interface Op<A = unknown> {
  /** What the operation is called in errors and reports. */
  readonly name: string
  /** Which elements a result reads. Default 'whole': every one may depend on all. */
  readonly form?: Form
  /** Default 'once'. */
  readonly rounds?: Rounds
  /** Reads the inputs, rounds to its output dtype, and writes into `out` if given. */
  kernel(inputs: readonly Tensor[], attributes: A, out?: Tensor): Tensor
  /** The same as other operations, bit for bit, for whoever has those: leave it off where the operation is no others. */
  parts?(inputs: readonly Tensor[], attributes: A): Tensor
  /**
   * What it would be without rounding, as other operations on operands whose floats are float64: the reference that the precision
   * doctor holds it against, and what `certify` bounds it by. Leave it off where the kernel itself is that on float64 operands.
   */
  exact?(inputs: readonly Tensor[], attributes: A): Tensor
  /** The largest error of any element of the result, the operands taken as exact; Infinity where nothing is promised. */
  bound?(inputs: readonly Tensor[], attributes: A): number
  /**
   * The cotangents of the inputs, each of its input's dtype and shape, undefined where there is none; an empty list where the
   * result is a step or a choice. Written in tensor operations, as the rules of autodiff, whose tables are asked first.
   */
  gradient?(context: OpCotangent<A>): readonly (Tensor | undefined)[]
  /**
   * The derivative of the result along tangents of the inputs, undefined where there is none of one. Default: that of `exact` in
   * float64, rounded once; of an elementwise operation that of its gradient.
   */
  tangent?(context: {
    readonly tangents: readonly (Tensor | undefined)[]
    readonly inputs: readonly Tensor[]
    readonly output: Tensor
    readonly attributes: A
  }): Tensor | undefined
  /** How many multiplications, additions, functions and comparisons it does, for an operation whose form does not say. */
  flops?(attributes: A, shapes: readonly Shape[], output: Shape): number
  /** The matrix products that most of its work are, all of one size, for an operation whose form does not say. */
  product?(
    attributes: A,
    shapes: readonly Shape[],
    output: Shape,
  ): { readonly m: number; readonly k: number; readonly n: number; readonly count: number }
  /** What each operand gives to the result, for an operation of form 'whole' that does not read all of everything. */
  reads?(attributes: A, shapes: readonly Shape[], output: Shape): readonly Reads[]
}

/** An operation whose record leaves nothing out: every one of this package. */
export interface KnownOp<A = unknown> extends Op<A> {
  readonly form: Form
  readonly rounds: Rounds
}

/** Numbers in nested arrays, as deep as the tensor has axes; booleans for dtype bool, bigints for int64 and uint64. */
export type Nested = number | bigint | boolean | readonly Nested[]

/**
 * A dense array of one dtype, row-major. The elements lie in `data` as the dtype stores them: codes for the
 * low-precision formats, numbers for float32, float64 and integers (bigints of 64 bits), 0 and 1 for bool.
 * Operations never change their inputs; they write elsewhere only when handed an `out`.
 */
export class Tensor<D extends DType = DType> {
  readonly dtype: D
  readonly shape: Shape
  readonly data: Storage<D>
  /** Present when a gradient was asked for something this tensor depends on. */
  readonly trace: Trace | undefined

  /** @internal Use `tensor`, `fromBits` or an operation. */
  constructor(dtype: D, shape: Shape, data: Storage<D>, trace?: Trace) {
    checkShape('tensor', shape)
    if (sizeOf(shape) !== data.length) {
      throw new RangeError(`tensor: shape does not hold ${data.length} elements [${shape.join(', ')}]`)
    }
    this.dtype = dtype
    this.shape = shape
    this.data = data
    this.trace = trace
  }

  /** The number of elements. */
  get size(): number {
    return this.data.length
  }

  /** The number of axes. */
  get rank(): number {
    return this.shape.length
  }

  /** The bit patterns of the elements, a copy: unsigned integers of the same width, bool as 0 and 1. */
  toBits(): Uint8Array | Uint16Array | Uint32Array | BigUint64Array {
    const bits = bitsOf(this.data).slice()
    // Integers of 2 and 4 bits lie in a byte with their sign.
    const most = { int2: 3, int4: 15 }[this.dtype as string]
    return most && bits instanceof Uint8Array ? bits.map((byte) => byte & most) : bits
  }

  /**
   * The elements as float64 numbers, a copy, row-major; exact for every dtype but int64 and uint64, whose elements past 2^53 are
   * rounded to the nearest: `data` and `toNested` have them exactly.
   */
  toNumbers(): Float64Array {
    if (isBig(this.data)) return new Float64Array(Array.from(this.data, Number))
    return new Float64Array(numbersOf(this.dtype, this.data))
  }

  /** The elements in nested arrays. */
  toNested(): Nested {
    const values = isBig(this.data) ? this.data : this.toNumbers()
    const leaf = (i: number): Nested => (this.dtype === 'bool' ? values[i] === 1 : values[i]!)
    const build = (axis: number, start: number, span: number): Nested => {
      if (axis === this.rank) return leaf(start)
      const length = this.shape[axis]!
      const step = length === 0 ? 0 : span / length
      return Array.from({ length }, (_, i) => build(axis + 1, start + i * step, step))
    }
    return build(0, 0, values.length)
  }

  /** The only element of a tensor of one element, as a number; a RangeError for a 64-bit integer that no number is. */
  item(): number {
    if (this.size !== 1) throw new RangeError(`item: needs exactly one element [${this.shape.join(', ')}]`)
    const value: number | bigint = numbersOf(this.dtype, this.data)[0]!
    const number = Number(value)
    if (typeof value === 'bigint' && BigInt(number) !== value) {
      throw new RangeError(`item: no number is this integer, read it from data [${value}]`)
    }
    return number
  }

  /**
   * What JSON.stringify writes: dtype, shape and elements in nested arrays. What JSON has no number for stands as a word:
   * 'NaN', 'Infinity', '-Infinity' and '-0', and a 64-bit integer past 2^53 as its digits.
   */
  toJSON(): { readonly dtype: D; readonly shape: Shape; readonly values: Json } {
    return { dtype: this.dtype, shape: this.shape, values: jsonOf(this.toNested()) }
  }

  /** Dtype, shape and elements, each in the fewest digits that give it back; long axes are cut in the middle. */
  toString(): string {
    return print(this.dtype, this.shape, numbersOf(this.dtype, this.data))
  }
}

// What console.log, a debugger and a notebook show, instead of the codes in `data`. Node looks for this symbol.
Object.defineProperty(Tensor.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  value(this: Tensor): string {
    return this.toString()
  },
})

/** Elements as JSON has them. */
export type Json = number | string | boolean | readonly Json[]

function jsonOf(value: Nested): Json {
  if (typeof value === 'object') return value.map(jsonOf)
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (typeof value === 'boolean' || (Number.isFinite(value) && !Object.is(value, -0))) return value
  return Object.is(value, -0) ? '-0' : String(value)
}

/** The class of unsigned integers of so many bytes. */
const words = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array } as const

/** The bit patterns of typed-array elements, a view of the same memory. */
export function bitsOf(data: Storage): Uint8Array | Uint16Array | Uint32Array | BigUint64Array {
  return new words[data.BYTES_PER_ELEMENT as 1](data.buffer, data.byteOffset, data.length)
}
