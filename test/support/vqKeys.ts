import { type FloatDType, fromBits, type Tensor } from 'tpu-toolkit/tensor'
import { Columns } from './columns.js'

const dtypes: Readonly<Record<string, FloatDType>> = { f64: 'float64', f32: 'float32', bf16: 'bfloat16' }

/** A key of test/golden/vq: floats as tensors of their own dtype, integers as numbers. */
export class VqKeys {
  readonly facts: { readonly [fact: string]: unknown }
  readonly #columns: Columns
  readonly #about: Map<string, { type: string; shape: readonly number[]; holds: string }>

  constructor(name: string) {
    this.#columns = new Columns(`vq/${name}`)
    this.facts = this.#columns.facts
    const { columns } = this.facts as {
      columns: { name: string; type: string; shape: readonly number[]; holds: string }[]
    }
    this.#about = new Map(columns.map((column) => [column.name, column]))
  }

  /** The cases of the key. */
  cases<T>(): readonly T[] {
    return this.facts['cases'] as T[]
  }

  /** A column of floats. */
  floats(name: string): Tensor<FloatDType> {
    const { type, shape, holds } = this.#of(name)
    return fromBits(this.#read(name, type), { shape, dtype: dtypes[holds]! })
  }

  /** A column of whole numbers. */
  whole(name: string): number[] {
    return Array.from(this.#read(name, this.#of(name).type), Number)
  }

  /** The bit patterns of a column, as `toBits` gives those of a tensor. */
  bits(name: string): ArrayLike<number | bigint> {
    return this.#read(name, this.#of(name).type)
  }

  #of(name: string): { type: string; shape: readonly number[]; holds: string } {
    const column = this.#about.get(name)
    if (!column) throw new Error(`vq keys: no column [${name}]`)
    return column
  }

  #read(name: string, type: string): Uint8Array | Uint16Array | Uint32Array | BigUint64Array {
    if (type === 'u8') return this.#columns.u8(name)
    if (type === 'u16') return this.#columns.u16(name)
    return type === 'u32' ? this.#columns.u32(name) : this.#columns.u64(name)
  }
}

/** A float64 of 16 hex digits. */
export function float64Of(hex: unknown): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, BigInt(`0x${String(hex)}`))
  return view.getFloat64(0)
}

/** The greatest |a - b| over the greatest |b|, or over 1 where that is less. */
export function relativeGap(a: Tensor | ArrayLike<number>, b: Tensor | ArrayLike<number>): number {
  const [left, right] = [a, b].map((x) => ('toNumbers' in x ? x.toNumbers() : x))
  if (left!.length !== right!.length) return Infinity
  let [gap, size] = [0, 0]
  for (let i = 0; i < right!.length; i++) {
    gap = Math.max(gap, Math.abs(left![i]! - right![i]!))
    size = Math.max(size, Math.abs(right![i]!))
  }
  return size === 0 ? gap : gap / size
}
