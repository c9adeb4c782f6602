import type { Allocate, Column } from './column.js'
import type { ColumnArray, NumericColumn, ReplaySpec, TransitionSpec } from './layout.js'

/** The fields of every batch besides its columns, one entry per row. */
export interface BatchFacts {
  /** Rows in the batch. */
  readonly size: number
  /** 1 where the row, or the last one of its n-step return, ended its episode in a terminal state: do not bootstrap. */
  readonly terminated: Uint8Array
  /** 1 where it ended its episode otherwise, such as by a time limit: bootstrap. */
  readonly truncated: Uint8Array
  /** The rows' numbers, counted from the first row ever added; what updatePriorities and gather take. */
  readonly indices: Float64Array
  /** Importance weights; 1 where sampling is uniform. */
  readonly weights: Float32Array
  /** With nStep: gamma^steps, or 0 where terminated. */
  readonly discount?: Float32Array
  /** With nStep: rows in the return. */
  readonly steps?: Uint32Array
}

/** A batch: one array per column, row after row, and what every batch has. */
export type ReplayBatch<S extends ReplaySpec = TransitionSpec> = {
  readonly [K in keyof S]: ColumnArray<S[K]>
} & BatchFacts

/** A row to be added: a number or its numbers per column, and how the step ended. */
export type ReplayRow<S extends ReplaySpec = TransitionSpec> = {
  readonly [K in keyof S]: number | boolean | ArrayLike<number>
} & { readonly terminated: boolean | 0 | 1; readonly truncated?: boolean | 0 | 1 }

/** Rows to be added: per column the numbers of all rows, row after row. */
export type ReplayRows<S extends ReplaySpec = TransitionSpec> = {
  readonly [K in keyof S]: ArrayLike<number>
} & {
  readonly terminated: ArrayLike<boolean | number>
  readonly truncated?: ArrayLike<boolean | number>
}

/** A batch without its columns' types. */
export type AnyBatch = BatchFacts & Readonly<Record<string, NumericColumn | number | undefined>>

/** Arrays for a batch of n rows. */
export function newBatch(
  columns: readonly Column[],
  n: number,
  options: { readonly nStep: boolean; readonly allocate: Allocate },
): AnyBatch {
  const arrays = columns.map((column): [string, NumericColumn] => [
    column.place.name,
    column.newArray(n, options.allocate),
  ])
  return {
    size: n,
    ...Object.fromEntries(arrays),
    terminated: new Uint8Array(n),
    truncated: new Uint8Array(n),
    indices: new Float64Array(n),
    weights: new Float32Array(n),
    ...(options.nStep && { discount: new Float32Array(n), steps: new Uint32Array(n) }),
  } as AnyBatch
}

/** Throws where `out` is not a batch of n rows as this buffer makes them. */
export function checkOut(
  op: string,
  columns: readonly Column[],
  n: number,
  nStep: boolean,
  out: AnyBatch,
): void {
  const wanted = newBatch(columns, 0, { nStep, allocate: (bytes) => new ArrayBuffer(bytes) })
  const widths = new Map(columns.map(({ place }) => [place.name, place.width]))
  for (const [name, array] of Object.entries(wanted)) {
    if (typeof array !== 'object') continue
    const length = n * (widths.get(name) ?? 1)
    const given = out[name]
    const same = typeof given === 'object' && given.constructor === array.constructor
    if (!same || given.length !== length) {
      const found = typeof given === 'object' ? `${given.constructor.name} of ${given.length}` : typeof given
      throw new RangeError(`${op}: out.${name} is not a ${array.constructor.name} of ${length} [${found}]`)
    }
  }
}
