import { checkFlag, type OptionTable } from '../../../base/options/index.js'

/** Which axes an operation runs over. */
export interface AxisOptions {
  /** One axis or several, negative ones from the end. Default: all. */
  readonly axis?: number | readonly number[]
  /** Keep reduced axes with length 1. Default false. */
  readonly keepDims?: boolean
}

export const axisNames: OptionTable<AxisOptions> = { axis: 'optional', keepDims: 'optional' }

/** Whether reduced axes stay, with length 1. */
export function keepsDims(op: string, options: AxisOptions | undefined): boolean {
  const keepDims = options?.keepDims
  if (keepDims === undefined) return false
  checkFlag(op, 'keepDims', keepDims)
  return keepDims
}
