import type {
  Attribute,
  DenseElementsAttribute,
  Location,
  Operation,
  TensorType,
  TextPosition,
  Type,
  Value,
} from '../module.js'
import type { Cursor } from './cursor.js'

/** Where an alias, `#loc3` or `!t`, is defined, and what it was read as. */
export interface Alias {
  /** Of what follows the `=`. */
  readonly start: number
  end?: number
  open: boolean
  attribute?: Attribute
  type?: Type
  location?: Location
}

/** The values of a function by name, and the names that the current region gave. */
export interface Scope {
  readonly values: Map<string, Value>
  names: string[]
}

/**
 * What reading a text shares: the place in it, the aliases, the values in scope. The functions are here because types, attributes and
 * operations nest in each other.
 */
export interface Reader {
  readonly cursor: Cursor
  readonly aliases: ReadonlyMap<string, Alias>
  /** The type of a text such as `tensor<4xf32>`, so that equal types are mostly one object. */
  readonly types: Map<string, Type>
  /** The constant whose bytes stand in the file's resources under a key. */
  readonly resource: (key: string, at: number, type: TensorType) => DenseElementsAttribute
  /** The line and column of an offset; quick where offsets grow. */
  readonly position: (offset: number) => TextPosition
  scope: Scope
  readonly type: () => Type
  readonly attribute: () => Attribute
  /** `loc(...)` at the cursor; undefined if there is none. */
  readonly location: () => Location | undefined
  readonly operation: () => Operation
}
