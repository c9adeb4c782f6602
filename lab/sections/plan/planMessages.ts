import type { ChipName } from 'tpu-toolkit/hardware'
import type { MemoryEstimate, ModelConfig, ParameterUse, Remat, Split } from 'tpu-toolkit/model'
import type { PlanFinding } from 'tpu-toolkit/plan'
import type { OperationRow, TrainingStep } from 'tpu-toolkit/roofline'
import type { Coordinates, DeviceSlice, ParameterSharding } from 'tpu-toolkit/sharding'

/** What is planned: a model on a slice, and what bounds its operations on one chip. */
export interface PlanAsked {
  readonly config: ModelConfig
  readonly chip: ChipName
  readonly topology: readonly number[]
  /** Sequences of a step; 0 for the most that fit. */
  readonly batch: number
  readonly sequence: number
  readonly split: Split
  readonly paramsDtype: 'bfloat16' | 'float32'
  /** Undefined: 'block' for memory, and no recomputation counted as time. */
  readonly remat: Remat
  /** The parameter that is drawn on the torus. */
  readonly parameter: string
  /** Of the roofline: sequences on one chip, tokens of each, tokens attended to (0: the sequence). */
  readonly rows: number
  readonly tokens: number
  readonly context: number
  readonly pass: 'forward' | 'both'
}

/** The plan, as far as there is one. */
export interface Planned {
  readonly parameters: ParameterUse
  readonly batch: number
  readonly largest: boolean
  readonly memory: Omit<MemoryEstimate, 'slice'>
  readonly step: Omit<TrainingStep, 'slice'>
  readonly tokensPerChip: number
  readonly criticalTokensPerChip: number
  readonly sharding: readonly ParameterSharding[] | string
  /** What the rules of the toolkits say; a text where they cannot be asked. */
  readonly findings: readonly PlanFinding[] | string
  /** The parameter drawn on the torus; a text where the mesh does not lie on it. */
  readonly drawn: Drawn | string
}

/** Where the parts of one parameter are, by device number. */
export interface Drawn {
  readonly parameter: string
  readonly shape: readonly number[]
  readonly axisNames: readonly string[]
  readonly meshShape: readonly number[]
  readonly coordinates: readonly Coordinates[]
  /** What each device holds, and the number of that part. */
  readonly slices: readonly DeviceSlice[]
  readonly parts: readonly number[]
}

/** The slice, as far as it is drawn and said. */
export interface ShownSlice {
  readonly name: string
  readonly topology: readonly number[]
  readonly wrap: readonly boolean[]
  readonly chips: number
  readonly devices: number
  readonly hosts: number
}

/** What came of it: a text where there is no plan. */
export interface PlanAnswer {
  readonly slice: ShownSlice
  readonly plan: Planned | string
  readonly roofline: { readonly critical: number; readonly rows: readonly OperationRow[] } | string
}

/** What the worker says. */
export type PlanTold = { readonly answer: PlanAnswer } | { readonly failed: string }
