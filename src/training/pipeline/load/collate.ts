import { checkArray } from '../../../base/options/index.js'
import { stack, Tensor } from '../../../tensors/tensor/index.js'

/** What a batch of records is: a record of columns. */
export type Batch<T> = [T] extends [number]
  ? Float64Array
  : [T] extends [Tensor]
    ? Tensor
    : [T] extends [ArrayBufferView | string | boolean | bigint | null | undefined | Date | readonly unknown[]]
      ? T[]
      : [T] extends [object]
        ? { [K in keyof T]: Batch<T[K]> }
        : T[]

/**
 * Records as one record of columns, down to the leaves: numbers become a Float64Array (nothing is rounded), tensors of one
 * shape and dtype a tensor with a new first axis, and everything else (text, typed arrays, lists, null) an array.
 *
 * @example collate([{ x: 1, name: 'a' }, { x: 2, name: 'b' }]) // { x: new Float64Array([1, 2]), name: ['a', 'b'] }
 * collate([tensor([1, 2]), tensor([3, 4])]).shape // [2, 2]
 * collate([{ x: 1 }, { y: 2 }]) // throws collate: records with different fields [x / y]
 */
export function collate<T>(records: readonly T[]): Batch<T> {
  checkArray('collate', 'records', records)
  return column(records, '') as Batch<T>
}

function column(values: readonly unknown[], path: string): unknown {
  if (values.length > 0 && values.every((value) => typeof value === 'number')) {
    return Float64Array.from(values)
  }
  if (values.length > 0 && values.every((value) => value instanceof Tensor)) return stacked(values, path)
  if (values.length === 0 || !values.every(isPlainObject)) return [...values]
  const names = Object.keys(values[0]!)
  for (const value of values) {
    const others = Object.keys(value)
    if (others.length !== names.length || !names.every((name) => Object.hasOwn(value, name))) {
      throw new RangeError(
        `collate: records with different fields${path} [${names.join(', ').slice(0, 50)} / ${others.join(', ').slice(0, 50)}]`,
      )
    }
  }
  return Object.fromEntries(
    names.map((name) => [
      name,
      column(
        values.map((value) => value[name]),
        `${path || ' in '}${path && '.'}${name}`,
      ),
    ]),
  )
}

function stacked(tensors: readonly Tensor[], path: string): Tensor {
  const [first] = tensors
  const other = tensors.find((x) => x.dtype !== first!.dtype || x.shape.join() !== first!.shape.join())
  if (other) {
    throw new RangeError(
      `collate: tensors that do not stack${path} [${describe(first!)} / ${describe(other)}]`,
    )
  }
  return stack(tensors)
}

function describe(x: Tensor): string {
  return `${x.dtype} [${x.shape.join(', ')}]`
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
