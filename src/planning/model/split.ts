import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { Slice } from '../hardware/index.js'
import type { Architecture } from './architecture.js'
import { checkSizes, nearestDivisor } from './sizes.js'

/** Ways of each kind of parallelism; their product is the number of JAX devices. */
export interface Split {
  /** Copies of the model that share the batch. */
  readonly data?: number
  /** Ways that share the batch, the parameters and the optimizer's state. */
  readonly fsdp?: number
  /** Ways that share heads and the inside of MLPs. */
  readonly tensor?: number
  /** Ways that share the experts, and the batch. */
  readonly expert?: number
  /** Ways that share the positions of each sequence, and the parameters as fsdp does (as in MaxText). */
  readonly context?: number
}

/** The ways of a split, those of positions only where they are given. */
export type Ways = Required<Omit<Split, 'context'>> & Pick<Split, 'context'>

const splitNames: OptionTable<Split> = {
  ...{ data: 'optional', fsdp: 'optional', tensor: 'optional', expert: 'optional' },
  context: 'optional',
}

/** The ways of a split, with missing ones inferred from the number of devices. */
export function readSplit(
  op: string,
  model: Architecture,
  made: Slice,
  given: Split | undefined,
  mode: 'train' | 'serve',
  stages: number = 1,
): Ways {
  checkOptions(op, given, splitNames)
  const asked = { data: 1, fsdp: 1, tensor: 1, expert: 1, ...given }
  checkSizes(op, asked)
  const { context = 1 } = asked
  const product = asked.data * asked.fsdp * asked.tensor * asked.expert * context
  const devices = devicesOfStage(op, made, stages)
  if (product === devices) return asked
  const left = devices / product
  if (Number.isInteger(left)) {
    if (mode === 'train' && given?.fsdp === undefined) return { ...asked, fsdp: left }
    const heads = model.attention?.N ?? model.scan?.H ?? 1
    const tensor = given?.tensor ?? commonDivisor(left, heads)
    const data = devices / (asked.fsdp * asked.expert * tensor * context)
    if (mode === 'serve' && (given?.data === undefined || data === asked.data)) {
      return { ...asked, tensor, data }
    }
  }
  throw new RangeError(
    `${op}: the split multiplies to ${product} devices and ${made.name} has ${devices}${stages > 1 ? ` in each of ${stages} stages` : ''}, nearest ${nearestSplit(asked, devices)} [${Object.values(asked).join(' x ')}]`,
  )
}

/** The JAX devices of each stage of a pipeline, which have to be whole ones. */
export function devicesOfStage(op: string, made: Slice, stages: number): number {
  if (made.jaxDevices % stages === 0) return made.jaxDevices / stages
  throw new RangeError(
    `${op}: the stages do not divide the devices of ${made.name}, nearest ${nearestDivisor(made.jaxDevices, stages)} [${stages} of ${made.jaxDevices}]`,
  )
}

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b))

function nearestSplit(asked: Ways, devices: number): string {
  const others = asked.data * asked.tensor * asked.expert * (asked.context ?? 1)
  if (devices % others === 0) return `fsdp ${devices / others}`
  return `fsdp ${devices} alone`
}

/** Throws where tensor or expert ways do not divide what they split. */
export function checkSplit(
  op: string,
  { attention, mlp, scan }: Architecture,
  { tensor, expert }: Ways,
): void {
  const heads = attention?.N ?? scan?.H ?? tensor
  if (heads % tensor !== 0) {
    throw new RangeError(
      `${op}: tensor ways do not divide the heads, nearest ${nearestDivisor(heads, tensor)} [${tensor} of ${heads}]`,
    )
  }
  const experts = mlp?.experts ?? 0
  if (expert > 1 && (experts === 0 || experts % expert !== 0)) {
    throw new RangeError(
      `${op}: expert ways do not divide the experts, nearest ${nearestDivisor(Math.max(1, experts), expert)} [${expert} of ${experts}]`,
    )
  }
}
