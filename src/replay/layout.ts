import { nearestName } from '../base/options/index.js'
import { type FormatName, format, formatNames } from '../numbers/formats/index.js'

/** What a column can be stored in: any format of at most 16 bits, or the plain types. */
export type StoredColumnDType = FormatName | 'float32' | 'float64' | 'int32' | 'uint32' | 'uint8' | 'bool'

/** One column of a replay buffer: what every row holds under a name. */
export interface ColumnSpec {
  /** The shape of one row's value; `[]`, the default, is one number. */
  readonly shape?: readonly number[]
  /** What it is stored in. Default 'float32'. */
  readonly dtype?: StoredColumnDType
}

/** The columns by name. `reward` and names that begin with `next` mean something to n-step returns. */
export type ReplaySpec = Readonly<Record<string, ColumnSpec>>

/** The columns of `{ obsDim, actionDim }`. */
export type TransitionSpec = {
  readonly obs: { readonly dtype: 'float32' }
  readonly action: { readonly dtype: 'float32' }
  readonly reward: { readonly dtype: 'float32' }
  readonly nextObs: { readonly dtype: 'float32' }
}

/** The array that holds a column of a batch: the plain types as they are, every format decoded to float32. */
export type ColumnArray<C extends ColumnSpec> = C['dtype'] extends 'float64'
  ? Float64Array
  : C['dtype'] extends 'int32'
    ? Int32Array
    : C['dtype'] extends 'uint32'
      ? Uint32Array
      : C['dtype'] extends 'uint8' | 'bool'
        ? Uint8Array
        : Float32Array

/** Any array that a batch holds. */
export type NumericColumn = Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array

/** Where a column lies in a row: rows are records of `rowBytes` bytes, one behind the other. */
export interface ColumnPlace {
  readonly name: string
  readonly shape: readonly number[]
  readonly dtype: StoredColumnDType
  /** Numbers in one row. */
  readonly width: number
  readonly elementBytes: 1 | 2 | 4 | 8
  /** Of the first number, in bytes from the row's beginning. */
  readonly byteOffset: number
}

/** The records that rows are. */
export interface Layout {
  readonly places: readonly ColumnPlace[]
  readonly rowBytes: number
}

const plainBytes: Readonly<Record<string, 1 | 2 | 4 | 8>> = {
  float32: 4,
  float64: 8,
  int32: 4,
  uint32: 4,
  uint8: 1,
  bool: 1,
}

/** Names that a batch has besides its columns. */
const reserved = ['size', 'terminated', 'truncated', 'indices', 'weights', 'discount', 'steps']

/** Places the columns in a record, wide elements first, so that each is aligned. */
export function layoutOf(spec: ReplaySpec): Layout {
  const names = Object.keys(spec)
  if (names.length === 0) throw new RangeError('ReplayBuffer: spec has no columns [{}]')
  const sized = names.map((name) => sizedColumn(name, spec[name]!))
  const order = [...sized].sort((a, b) => b.elementBytes - a.elementBytes)
  let end = 0
  const offsets = new Map<string, number>()
  for (const { name, width, elementBytes } of order) {
    offsets.set(name, end)
    end += width * elementBytes
  }
  // A row's length is a multiple of its widest element, so that typed arrays can stride over rows.
  const unit = order[0]!.elementBytes
  return {
    places: sized.map((column) => ({ ...column, byteOffset: offsets.get(column.name)! })),
    rowBytes: Math.ceil(end / unit) * unit,
  }
}

function sizedColumn(
  name: string,
  { shape = [], dtype = 'float32' }: ColumnSpec,
): Omit<ColumnPlace, 'byteOffset'> {
  if (reserved.includes(name)) {
    throw new RangeError(`ReplayBuffer: the name belongs to every batch, choose another [${name}]`)
  }
  if (!Array.isArray(shape) || !shape.every((size) => Number.isSafeInteger(size) && size > 0)) {
    throw new RangeError(`ReplayBuffer: ${name}: shape is not a list of positive integers [${String(shape)}]`)
  }
  const width = shape.reduce((product, size) => product * size, 1)
  return { name, shape: [...shape], dtype, width, elementBytes: elementBytesOf(name, dtype) }
}

function elementBytesOf(name: string, dtype: StoredColumnDType): 1 | 2 | 4 | 8 {
  if (Object.hasOwn(plainBytes, dtype)) return plainBytes[dtype]!
  if (!(formatNames as readonly string[]).includes(dtype)) {
    const near = typeof dtype === 'string' ? nearestName(dtype, formatNames) : undefined
    throw new TypeError(
      `ReplayBuffer: ${name}: unknown dtype${near ? `, did you mean ${near}` : ''} [${String(dtype)}]`,
    )
  }
  const { zero, signed, bits } = format(dtype as FormatName)
  if (!zero || !signed) {
    throw new TypeError(`ReplayBuffer: ${name}: the format has no zero or no negative numbers [${dtype}]`)
  }
  return bits <= 8 ? 1 : 2
}
