/** A place in the text that was parsed; both numbers begin at 1. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

/** Element type in StableHLO's spelling: `f32`, `bf16`, `f8E4M3FN`, `i1`, `ui8`, `complex<f32>`, `index`, `!quant.uniform<...>`. */
export type ElementType = string

/** `tensor<128x?xbf16>`; a dynamic dimension is `undefined`. */
export interface TensorType {
  readonly kind: 'tensor'
  readonly shape: readonly (number | undefined)[]
  readonly element: ElementType
  /** What stands after the element type: `#stablehlo.bounds<...>`. */
  readonly encoding?: Attribute
}

/** Types of the arguments and results of a function. */
export interface FunctionType {
  readonly kind: 'function'
  readonly inputs: readonly Type[]
  readonly results: readonly Type[]
}

/** `tuple<...>`: a value of several parts. */
export interface TupleType {
  readonly kind: 'tuple'
  readonly types: readonly Type[]
}

/** A type that is no tensor, function or tuple, as it was written: `!stablehlo.token`, `i32` as a scalar, `vector<4xf32>`. */
export interface NamedType {
  readonly kind: 'named'
  readonly text: string
}

/** A type of a value. */
export type Type = TensorType | FunctionType | TupleType | NamedType

/** `array<i64: 1, 2>`, and the lists of integers that the pretty spelling writes as `dims = [0, 1]`; `array<i1: true>` holds 1 and 0. */
export interface DenseArrayAttribute {
  readonly kind: 'denseArray'
  readonly element: ElementType
  readonly values: readonly number[]
}

/**
 * `dense<...> : tensor<...>` and `dense_resource<...>`: little-endian bytes of all elements in row-major order, MLIR's layout: elements of
 * less than 8 bits take a byte each, i1 too (0 or 1); complex numbers are pairs. Of a splat the bytes of the one element.
 */
export interface DenseElementsAttribute {
  readonly kind: 'denseElements'
  readonly type: TensorType
  readonly splat: boolean
  readonly bytes: Uint8Array
}

/** An integer with its type; `true` and `false` are of type `i1`. Of at most 53 bits as a number, else as a bigint. */
export interface IntegerAttribute {
  readonly kind: 'integer'
  readonly value: number | bigint
  readonly type: ElementType
}

/** A floating-point number with its type: `1.000000e-05 : f32`. */
export interface FloatAttribute {
  readonly kind: 'float'
  readonly value: number
  readonly type: ElementType
}

/** A quoted string. */
export interface StringAttribute {
  readonly kind: 'string'
  readonly value: string
}

/** An attribute without a value, which is present or not. */
export interface UnitAttribute {
  readonly kind: 'unit'
}

/** A type as an attribute. */
export interface TypeAttribute {
  readonly kind: 'type'
  readonly type: Type
}

/** `@name`, `@outer::@inner`; without the first `@`. */
export interface SymbolAttribute {
  readonly kind: 'symbol'
  readonly name: string
}

/** A list of attributes: `[#a, #b]`. */
export interface ArrayAttribute {
  readonly kind: 'array'
  readonly values: readonly Attribute[]
}

/** Attributes by name: `{a = 1 : i64}`. */
export interface DictionaryAttribute {
  readonly kind: 'dictionary'
  readonly entries: Attributes
}

/**
 * An attribute of a dialect. `#stablehlo.gather<offset_dims = [0], index_vector_dim = 1>` has the name `stablehlo.gather` and its fields as
 * `entries`, lists of integers as dense arrays; `#stablehlo<comparison_direction LT>` and the pretty `compare LT` both have the name
 * `stablehlo.comparison_direction` and the keyword `LT` as `text`. Of another dialect (`#sdy.sharding<@mesh, [{"data"}, {}]>`) only the name
 * and the text between the angle brackets are kept.
 */
export interface DialectAttribute {
  readonly kind: 'dialect'
  readonly name: string
  readonly text: string
  readonly entries?: Attributes
}

/** An attribute of an operation, function or module. */
export type Attribute =
  | DenseArrayAttribute
  | DenseElementsAttribute
  | IntegerAttribute
  | FloatAttribute
  | StringAttribute
  | UnitAttribute
  | TypeAttribute
  | SymbolAttribute
  | ArrayAttribute
  | DictionaryAttribute
  | DialectAttribute

/** Attributes by name. */
export type Attributes = Readonly<Record<string, Attribute>>

/** Where an operation comes from in the program that was lowered, as MLIR nests it. */
export type Location =
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'file'
      readonly file: string
      readonly line: number
      readonly column: number
      readonly endLine?: number
      readonly endColumn?: number
    }
  /** `loc("layer"(#loc54))`: a name, with where it was given. */
  | { readonly kind: 'name'; readonly name: string; readonly child?: Location }
  | { readonly kind: 'callsite'; readonly callee: Location; readonly caller: Location }
  | { readonly kind: 'fused'; readonly locations: readonly Location[] }

/** A value of the program: an argument of a block, or a result of an operation. Values are compared by identity. */
export interface Value {
  /** As written, without `%`: `arg0`, `4`, `4#1`. */
  readonly name: string
  readonly type: Type
  /** Where a block's argument was named: of `%arg0: tensor<4xf32> loc("p['w0']")` that name. */
  readonly location?: Location
}

/** A list of operations with arguments of its own. */
export interface Block {
  readonly arguments: readonly Value[]
  /** In order; the last is the terminator (`stablehlo.return`, `func.return`). */
  readonly operations: readonly Operation[]
}

/** Blocks inside of an operation: a reducer, a loop body. */
export interface Region {
  readonly blocks: readonly Block[]
}

/**
 * An operation in its generic form, whichever spelling the text has: operands in the specification's order, attributes under the names of
 * the generic spelling (`dot_dimension_numbers`, `precision_config`, `comparison_direction`, `dimensions`, `slice_sizes`), the reducer of
 * `reduce(... ) applies stablehlo.add` as a region of its own with one `stablehlo.add` and a `stablehlo.return`.
 */
export interface Operation {
  /** With its dialect: `stablehlo.add`, `chlo.erf`, `func.call`, `func.return`, `sdy.sharding_constraint`. */
  readonly name: string
  readonly operands: readonly Value[]
  readonly results: readonly Value[]
  readonly attributes: Attributes
  readonly regions: readonly Region[]
  readonly location: Location
  readonly position: TextPosition
}

/** A function of a module. */
export interface Func {
  readonly name: string
  readonly visibility: 'public' | 'private'
  readonly type: FunctionType
  /** The arguments are those of the body's first block. */
  readonly body: Region
  /** One record an argument: `{sdy.sharding = ..., mhlo.donor = true}`, `tf.aliasing_output`. */
  readonly argumentAttributes: readonly Attributes[]
  /** One record a result: `{jax.result_info = "result[0]['b0']"}`. */
  readonly resultAttributes: readonly Attributes[]
  readonly attributes: Attributes
  readonly location: Location
  readonly position: TextPosition
}

/** A parsed `module`: its functions by name, and everything else at its top level (`sdy.mesh`, ...) as operations. */
export interface Module {
  readonly name: string | undefined
  readonly attributes: Attributes
  readonly functions: ReadonlyMap<string, Func>
  readonly operations: readonly Operation[]
  readonly location: Location
}
