import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { PipelineOptions } from '../model/index.js'
import type { PartitionSpec } from '../sharding/index.js'
import type { Environment } from '../xla/index.js'

/** A dtype in which a training step may compute or keep something. */
export type StepDType = 'float32' | 'bfloat16' | 'float16' | 'float64'

/** Data that are read while training. */
export interface InputDescription {
  readonly bytesPerExample: number
  readonly examplesPerStep: number
  /** Examples that one worker prepares in a second. */
  readonly examplesPerSecondPerWorker: number
  readonly workers: number
}

/** Data that are stored. */
export interface StorageDescription {
  readonly region: string
  readonly computeRegion: string
  /** Bytes that are read over the whole run. */
  readonly bytes: number
  /** The price of traffic between the regions, in the money of one's choice for 10^9 bytes. */
  readonly pricePerGB: number
}

/** Facts about a training step. Rules about missing facts are not checked. */
export interface StepDescription {
  /** Sequences of a step, on all devices together. */
  readonly batch?: number
  readonly sequence?: number
  /** The axes over which rows of the batch are split. */
  readonly batchAxes?: readonly string[]
  /** 'first-dimension': every array by P('fsdp'), as the Python toolkit does; or a spec by parameter name. */
  readonly parameterSpecs?: 'first-dimension' | Readonly<Record<string, PartitionSpec>>
  /** Stages that share the layers, on the mesh's axis pipeline or stage. */
  readonly pipeline?: PipelineOptions
  /** The dtype in which products and sums accumulate. */
  readonly accumulateDtype?: StepDType
  /** The dtype in which gradients are summed over devices. */
  readonly allReduceDtype?: StepDType
  /** Adam's second decay, and the dtype that holds it. */
  readonly beta2?: number
  readonly beta2Dtype?: StepDType
  readonly cumsumDtype?: StepDType
  readonly covarianceDtype?: StepDType
  /** The largest step of a clock that a model learns a bias for; 'unbounded' where there is none. */
  readonly clockBias?: number | 'unbounded'
  /** Whether the training state is donated to the step. */
  readonly donate?: boolean
  /** The shapes of the batches that the step saw. */
  readonly batchShapes?: readonly (readonly number[])[]
  /** When the flags are set. */
  readonly flagsSet?: 'before-import' | 'after-import'
  /** The current environment. */
  readonly environment?: Environment
  /** The time of one step, measured or estimated. */
  readonly stepSeconds?: number
  /** Bytes from host to devices and back in a step, on one chip. */
  readonly hostBytesPerStepPerChip?: number
  readonly input?: InputDescription
  readonly storage?: StorageDescription
}

const stepNames: OptionTable<StepDescription> = {
  pipeline: 'optional',
  ...{ batch: 'optional', sequence: 'optional', batchAxes: 'optional', parameterSpecs: 'optional' },
  ...{ accumulateDtype: 'optional', allReduceDtype: 'optional', beta2: 'optional', beta2Dtype: 'optional' },
  ...{ cumsumDtype: 'optional', covarianceDtype: 'optional', clockBias: 'optional', donate: 'optional' },
  ...{ batchShapes: 'optional', flagsSet: 'optional', environment: 'optional', stepSeconds: 'optional' },
  ...{ hostBytesPerStepPerChip: 'optional', input: 'optional', storage: 'optional' },
}

const inputNames: OptionTable<InputDescription> = {
  ...{ bytesPerExample: 'required', examplesPerStep: 'required' },
  ...{ examplesPerSecondPerWorker: 'required', workers: 'required' },
}

const storageNames: OptionTable<StorageDescription> = {
  ...{ region: 'required', computeRegion: 'required', bytes: 'required', pricePerGB: 'required' },
}

/** Throws for a description that is none. */
export function checkStep(op: string, step: StepDescription): void {
  checkOptions(op, step, stepNames, { positional: 'batch' })
  if (step.input !== undefined) checkOptions(op, step.input, inputNames)
  if (step.storage !== undefined) checkOptions(op, step.storage, storageNames)
}
