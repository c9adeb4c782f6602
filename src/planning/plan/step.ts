import {
  checkInteger,
  checkName,
  checkOptions,
  checkRecord,
  type OptionTable,
} from '../../base/options/index.js'
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
  /** Batches that are prepared ahead. */
  readonly prefetch?: number
  /** Cores of one host. Default: the rule of the toolkit, 32 workers at most. */
  readonly hostCores?: number
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
  /** Devices along each axis of the mesh that the program makes. */
  readonly axes?: Readonly<Record<string, number>>
  /** Default 'jax'. */
  readonly framework?: 'jax' | 'pytorch-xla'
  /** Of PyTorch/XLA: whether anything ends the graph of a step, mark_step, sync or a loader that does. */
  readonly markStep?: boolean
  /** How the step is spread over devices. */
  readonly mapping?: 'jit' | 'shard_map' | 'pmap'
  /** What `jax.config.update` sets, by the names that it is given. */
  readonly jaxConfig?: Readonly<Record<string, boolean | number | string>>
  /** Where compiled programs are kept; 'none' where they are not. */
  readonly compilationCache?: string
  /** What `jax.devices()` lists. */
  readonly visibleDevices?: { readonly platform: string; readonly count: number }
  readonly storage?: StorageDescription
}

const stepNames: OptionTable<StepDescription> = {
  pipeline: 'optional',
  ...{ batch: 'optional', sequence: 'optional', batchAxes: 'optional', parameterSpecs: 'optional' },
  ...{ accumulateDtype: 'optional', allReduceDtype: 'optional', beta2: 'optional', beta2Dtype: 'optional' },
  ...{ cumsumDtype: 'optional', covarianceDtype: 'optional', clockBias: 'optional', donate: 'optional' },
  ...{ batchShapes: 'optional', flagsSet: 'optional', environment: 'optional', stepSeconds: 'optional' },
  ...{ hostBytesPerStepPerChip: 'optional', input: 'optional', storage: 'optional' },
  ...{ axes: 'optional', framework: 'optional', markStep: 'optional', mapping: 'optional' },
  ...{ jaxConfig: 'optional', compilationCache: 'optional', visibleDevices: 'optional' },
}

const inputNames: OptionTable<InputDescription> = {
  ...{ bytesPerExample: 'required', examplesPerStep: 'required' },
  ...{ examplesPerSecondPerWorker: 'required', workers: 'required' },
  ...{ prefetch: 'optional', hostCores: 'optional' },
}

const storageNames: OptionTable<StorageDescription> = {
  ...{ region: 'required', computeRegion: 'required', bytes: 'required', pricePerGB: 'required' },
}

const deviceNames: OptionTable<NonNullable<StepDescription['visibleDevices']>> = {
  ...{ platform: 'required', count: 'required' },
}

/** Throws for a description that is none. */
export function checkStep(op: string, step: StepDescription): void {
  checkOptions(op, step, stepNames, { positional: 'batch' })
  if (step.input !== undefined) checkOptions(op, step.input, inputNames)
  if (step.storage !== undefined) checkOptions(op, step.storage, storageNames)
  const { input, axes, framework, mapping, jaxConfig, visibleDevices } = step
  if (input?.prefetch !== undefined) checkInteger(op, 'prefetch', input.prefetch, 0)
  if (input?.hostCores !== undefined) checkInteger(op, 'hostCores', input.hostCores, 1)
  if (axes !== undefined) {
    checkRecord(op, 'axes', axes)
    for (const [name, size] of Object.entries(axes)) checkInteger(op, `axis ${name}`, size, 1)
  }
  if (framework !== undefined) checkName(op, 'framework', framework, ['jax', 'pytorch-xla'])
  if (mapping !== undefined) checkName(op, 'mapping', mapping, ['jit', 'shard_map', 'pmap'])
  if (jaxConfig !== undefined) checkRecord(op, 'jaxConfig', jaxConfig)
  if (visibleDevices !== undefined) {
    checkOptions(op, visibleDevices, deviceNames)
    checkInteger(op, 'count', visibleDevices.count, 0)
  }
}
