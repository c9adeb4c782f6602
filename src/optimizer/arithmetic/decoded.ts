import { castTo, type Expression, evaluate } from '../../compile/index.js'
import {
  canonicalizeNaN,
  cast,
  type FloatDType,
  reshape,
  type Shape,
  Tensor,
  wideDType,
} from '../../tensor/index.js'
import { floatOf } from './floatOf.js'
import type { Decoded } from './operand.js'
import { Recorded } from './recorded.js'

export { type Decoded, isNumber, type Operand, type Scalar } from './operand.js'

/** The values of a tensor: its own storage where that holds numbers, decoded where it holds codes. */
export function decodedOf(x: Tensor): Decoded {
  if (x.trace) return new Recorded(x)
  const { shape } = x
  const dtype = floatOf(x.dtype)
  const wide = dtype === 'float64' ? x : cast(x, 'float32')
  return { dtype, shape, values: wide.data as Float32Array | Float64Array }
}

/** A tensor of decoded elements, in their dtype or cast to another. */
export function tensorOf(x: Decoded, dtype: FloatDType = x.dtype): Tensor {
  if (x instanceof Recorded) return x.dtype === dtype ? x.tensor : cast(x.tensor, dtype)
  if (x instanceof Deferred) return tensorsOf([x, dtype])[0]!
  if (x.own) canonicalizeNaN(x.values)
  const wide: FloatDType = x.values instanceof Float32Array ? 'float32' : 'float64'
  return cast(new Tensor(wide, x.shape, x.values), dtype)
}

/** Tensors of several results, each in a dtype: computed together, what they share once. */
export function tensorsOf(...results: readonly (readonly [Decoded, FloatDType])[]): Tensor[] {
  const together = results.every(([x]) => x instanceof Deferred)
    ? evaluate(results.map(([x, dtype]) => castTo((x as Deferred).expression, dtype)))
    : undefined
  if (together) return results.map(([{ shape }], i) => reshape(together[i]!, shape))
  return results.map(([x, dtype]) => tensorOf(x instanceof Deferred ? x.now() : x, dtype))
}

/** A result that is computed when it is asked for: with all that it is made of in one pass over the elements. */
export class Deferred implements Decoded {
  readonly dtype: FloatDType
  readonly shape: Shape
  /** In one axis, or none for a single element. */
  readonly expression: Expression
  readonly #compute: () => Decoded
  #values: Float32Array | Float64Array | undefined

  constructor(dtype: FloatDType, shape: Shape, expression: Expression, compute: () => Decoded) {
    this.dtype = dtype
    this.shape = shape
    this.expression = expression
    this.#compute = compute
  }

  get values(): Float32Array | Float64Array {
    const wide = wideDType(this.dtype)
    const [computed] = this.#values ? [] : (evaluate([castTo(this.expression, wide)]) ?? [])
    this.#values ??= (computed?.data as Float32Array | Float64Array | undefined) ?? this.now().values
    return this.#values
  }

  /** The same, one operation after the other. */
  now(): Decoded {
    return this.#compute()
  }
}

/** Room for values of a dtype: float64 keeps float64, everything below fits in float32. */
export function valuesFor(dtype: FloatDType, n: number): Float32Array | Float64Array {
  return dtype === 'float64' ? new Float64Array(n) : new Float32Array(n)
}

/** The dtype in which two meet: the same, else float64 if one is, else float32. */
export function promote(a: FloatDType, b: FloatDType): FloatDType {
  if (a === b) return a
  return a === 'float64' || b === 'float64' ? 'float64' : 'float32'
}
