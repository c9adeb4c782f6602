import type { Module, Operation, Region } from '../module.js'
import type { SemanticsOptions } from './semantics.js'
import type { Value } from './value.js'

/** The values of a running function, by their slots. */
export type Frame = Value[]

/** An operation made ready: its results for its operands. */
export type Run = (inputs: readonly Value[], frame: Frame) => readonly Value[]

/** A region made ready: what its block returns for its arguments. It reads values from outside in the frame. */
export type BoundRegion = (values: readonly Value[], frame: Frame) => readonly Value[]

/** What a lowering may ask for. */
export interface Context {
  readonly module: Module
  readonly semantics: Required<SemanticsOptions>
  region(region: Region): BoundRegion
  /** A region of scalars as a function of tensors, element by element; results may have fewer axes where they are constant. */
  lifted(region: Region): BoundRegion
  /** A function of the module. */
  callee(name: string): (values: readonly Value[]) => readonly Value[]
}

/** Makes an operation of the text ready to run: reads attributes and types once, throws the problem where it cannot. */
export type Lowering = (op: Operation, context: Context) => Run

/** An operation of one result. */
export function single(f: (inputs: readonly Value[]) => Value): Run {
  return (inputs) => [f(inputs)]
}
