import { checkInteger, checkNumber, checkOptions, type OptionTable } from '../../base/options/index.js'

/** Options of `safeBatchSize`; bytes are bytes, and a gigabyte is 1e9 of them. */
export interface SafeBatchSizeOptions {
  /** Bytes of one device. */
  readonly memory: number
  /** The share of it that stays free. Default 0.1. */
  readonly reserve?: number
  /** Devices that share a batch. Default 1. */
  readonly devices?: number
  /** The batch is a multiple of devices x microBatch. Default 1. */
  readonly microBatch?: number
  /** Numbers of the network. */
  readonly parameters: number
  /** Bytes for each: itself, a master copy, the gradient, two moments. Default 16: all float32, no copy. */
  readonly bytesPerParameter?: number
  /** Bytes of an observation. */
  readonly observation: number
  /** Bytes that a row keeps for its gradient. */
  readonly savedPerRow: number
  /** Rows whose gradients are computed at once on a device, and keep something. Default: all of its rows. */
  readonly savedRows?: number
  /** Bytes that are there whatever the batch: a rollout. Default 0. */
  readonly rollout?: number
}

/** A batch, and what each of its parts takes on a device. */
export interface SafeBatchSize {
  readonly batchSize: number
  readonly perDevice: number
  readonly bytes: {
    readonly parameters: number
    readonly observations: number
    readonly saved: number
    readonly rollout: number
    readonly total: number
    /** What there is, less the reserve. */
    readonly limit: number
  }
}

const names: OptionTable<SafeBatchSizeOptions> = {
  memory: 'required',
  reserve: 'optional',
  devices: 'optional',
  microBatch: 'optional',
  parameters: 'required',
  bytesPerParameter: 'optional',
  observation: 'required',
  savedPerRow: 'required',
  savedRows: 'optional',
  rollout: 'optional',
}

/**
 * The largest batch that fits: parameters and what belongs to them, observations, and what gradients keep, on each device.
 *
 * Throws    RangeError where not even one micro-batch on each device fits: 0 is no batch; for sizes that are none.
 * Cost      none: a division.
 *
 * @example safeBatchSize({ memory: 1e9, parameters: 4600, observation: 4800, savedPerRow: 276_480, microBatch: 256 }).batchSize // 3072
 */
export function safeBatchSize(options: SafeBatchSizeOptions): SafeBatchSize {
  const op = 'safeBatchSize'
  checkOptions(op, options, names)
  const { memory, reserve = 0.1, devices = 1, microBatch = 1, parameters, bytesPerParameter = 16 } = options
  const { observation, savedPerRow, savedRows = Number.POSITIVE_INFINITY, rollout = 0 } = options
  checkNumber(op, 'memory', memory, 0)
  checkNumber(op, 'reserve', reserve, 0, 1)
  checkInteger(op, 'devices', devices, 1)
  checkInteger(op, 'microBatch', microBatch, 1)
  for (const [name, value] of Object.entries({
    parameters,
    bytesPerParameter,
    observation,
    savedPerRow,
    rollout,
  })) {
    checkNumber(op, name, value, 0)
  }
  if (savedRows !== Number.POSITIVE_INFINITY) checkInteger(op, 'savedRows', savedRows, 1)
  const limit = memory * (1 - reserve)
  const fixed = parameters * bytesPerParameter + rollout
  const total = (rows: number): number => fixed + rows * observation + Math.min(rows, savedRows) * savedPerRow
  // Up to savedRows every row costs both, beyond it its observation alone.
  const both = (limit - fixed) / (observation + savedPerRow)
  const fits = both <= savedRows ? both : (limit - fixed - savedRows * savedPerRow) / observation
  const groups = Math.floor(fits / microBatch)
  if (!(groups >= 1)) {
    throw new RangeError(
      `${op}: not even one micro-batch fits, ${Math.ceil(total(microBatch))} bytes of ${Math.floor(limit)} [${microBatch}]`,
    )
  }
  if (groups === Number.POSITIVE_INFINITY) {
    throw new RangeError(`${op}: rows take no memory at all [${observation}]`)
  }
  const perDevice = groups * microBatch
  return {
    batchSize: perDevice * devices,
    perDevice,
    bytes: {
      parameters: parameters * bytesPerParameter,
      observations: perDevice * observation,
      saved: Math.min(perDevice, savedRows) * savedPerRow,
      rollout,
      total: total(perDevice),
      limit,
    },
  }
}
