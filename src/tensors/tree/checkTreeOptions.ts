import { checkFunction, checkOptions, type OptionTable, shown } from '../../base/options/index.js'
import type { TreeOptions } from './tree.js'

const names: OptionTable<TreeOptions> = { op: 'optional', isLeaf: 'optional' }

/** The options of a walk, checked. */
export function checkTreeOptions<T>(op: string, options: TreeOptions<T>): TreeOptions<T> {
  checkOptions(op, options, names)
  if (options.isLeaf !== undefined) checkFunction(op, 'isLeaf', options.isLeaf)
  if (options.op !== undefined && typeof options.op !== 'string') {
    throw new TypeError(`${op}: op is not a string [${shown(options.op)}]`)
  }
  return options
}
