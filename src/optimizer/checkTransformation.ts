import { shown } from '../base/options/index.js'

/** Throws a TypeError unless a value is a transformation: init and update. */
export function checkTransformation(op: string, what: string, value: unknown): void {
  const given = typeof value === 'object' && value !== null ? value : {}
  if (
    !(
      'init' in given &&
      typeof given.init === 'function' &&
      'update' in given &&
      typeof given.update === 'function'
    )
  ) {
    throw new TypeError(`${op}: ${what} is not a transformation with init and update [${shown(value)}]`)
  }
}
