import type { Module, Operation, Region } from '../module.js'
import type { SemanticsOptions } from './semantics.js'
import type { Value } from './value.js'

/** The values of a running function, by their slots. */
export type Frame = Value[]

/** An operation made ready: its results for its operands. */
export type Run = (inputs: readonly Value[], frame: Frame) => readonly Value[]

/** A region made ready: what its block returns for its arguments. It reads values from outside in the frame. */
export type BoundRegion = (values: readonly Value[], frame: Frame) => readonly Value[]

/** What a region of scalars makes of whole tensors. */
export type Elements = (values: readonly Value[]) => readonly Value[]

/**
 * A region of scalars, with the values that it reads from outside as they are in a frame now: the same function every time where it
 * reads none, so that an operation made of it stays one operation.
 */
export type LiftedRegion = (frame: Frame) => Elements

/** What a lowering may ask for. */
export interface Context {
  readonly module: Module
  readonly semantics: Required<SemanticsOptions>
  region(region: Region): BoundRegion
  /** A region of scalars as a function of tensors, element by element; results may have fewer axes where they are constant. */
  lifted(region: Region): LiftedRegion
  /** A function of the module. */
  callee(name: string): (values: readonly Value[]) => readonly Value[]
}

/** Makes an operation of the text ready to run: reads attributes and types once, throws the problem where it cannot. */
export type Lowering = (op: Operation, context: Context) => Run

/** An operation of one result. */
export function single(f: (inputs: readonly Value[]) => Value): Run {
  return (inputs) => [f(inputs)]
}
