import type { Module, Operation, Region } from '../module.js'
import type { SemanticsOptions } from './semantics.js'
import type { Value } from './value.js'

/** The values of a running function, by their slots. */
export type Frame = Value[]

/** Devices that run one function in step, one operation after the other on all of them. */
export interface Devices {
  /** The processes are a grid of replicas and partitions; the number of one is `replica * partitions + partition`. */
  readonly replicas: number
  readonly partitions: number
  /** The numbers of the processes that run, ascending: within a branch they may be some of all. */
  readonly running: readonly number[]
}

/** The results of every device for its operands, device after device in the order of `running`. */
export type Together = (
  inputs: readonly (readonly Value[])[],
  frames: readonly Frame[],
  devices: Devices,
) => readonly (readonly Value[])[]

/** An operation made ready: its results for its operands. It reads values from outside of its regions in the frame. */
export interface Run {
  (inputs: readonly Value[], frame: Frame): readonly Value[]
  /** How several devices run it in step; without it each runs it alone. */
  readonly together?: Together
}

/** A region made ready: what its block returns for its arguments. */
export type BoundRegion = Required<Pick<Run, 'together'>> & Run

/** A function of the module made ready. Its frames are its own. */
export interface BoundFunction {
  (values: readonly Value[]): readonly Value[]
  readonly together: (
    values: readonly (readonly Value[])[],
    devices: Devices,
  ) => readonly (readonly Value[])[]
}

/** What processes that run side by side hand to each other and get from their host. */
export interface Exchange {
  /** Values sent and not received yet, by their channel. */
  readonly channels: Map<number, readonly Value[]>
  /** Functions whose results `infeed` gives, in order. */
  readonly infeed: string[]
}

/** An operation that runs on one device as `run`, on several in step as `together`. */
export function inStep(
  run: (inputs: readonly Value[], frame: Frame) => readonly Value[],
  together: Together,
): Run {
  return Object.assign((inputs: readonly Value[], frame: Frame) => run(inputs, frame), { together })
}

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
  callee(name: string): BoundFunction
  /** What is sent and received while processes run side by side; undefined where there is one process. */
  exchange: Exchange | undefined
}

/** Makes an operation of the text ready to run: reads attributes and types once, throws the problem where it cannot. */
export type Lowering = (op: Operation, context: Context) => Run

/** An operation of one result. */
export function single(f: (inputs: readonly Value[]) => Value): Run {
  return (inputs) => [f(inputs)]
}
