// Programs that JAX and PyTorch write as StableHLO, read into a typed module and run as functions of tensors.

export type {
  ArrayAttribute,
  Attribute,
  Attributes,
  Block,
  DenseArrayAttribute,
  DenseElementsAttribute,
  DialectAttribute,
  DictionaryAttribute,
  ElementType,
  FloatAttribute,
  Func,
  FunctionType,
  IntegerAttribute,
  Location,
  Module,
  NamedType,
  Operation,
  Region,
  StringAttribute,
  SymbolAttribute,
  TensorType,
  TextPosition,
  TupleType,
  Type,
  TypeAttribute,
  UnitAttribute,
  Value,
} from './module.js'
export { parse } from './parse/parse.js'
export {
  type ArgumentTree,
  type Program,
  type ProgramOptions,
  type ProgramParameter,
  type ProgramValue,
  programOf,
} from './program/programOf.js'
export {
  type DroppedRounding,
  type DroppedRoundingsOptions,
  droppedRoundings,
} from './rewriting/droppedRoundings.js'
export type { SemanticsOptions } from './values/semantics.js'
