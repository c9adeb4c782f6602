import { shown } from './shown.js'

/**
 * Throws a TypeError unless `value` is an array, plain or typed.
 *
 * @example checkArray('csv', 'rows', 3) // throws csv: rows is not an array [3]
 */
export function checkArray(op: string, what: string, value: unknown): void {
  if (!(Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView)))) {
    throw new TypeError(`${op}: ${what} is not an array [${shown(value)}]`)
  }
}

/** Throws a TypeError unless `value` is a string. */
export function checkText(op: string, what: string, value: unknown): void {
  if (typeof value !== 'string') throw new TypeError(`${op}: ${what} is not a text [${shown(value)}]`)
}

/**
 * Throws a TypeError unless `value` is an object, no array, that has these fields: what another function made, or a user's
 * own record of that form.
 *
 * @example checkRecord('auditText', 'audit', { config: 1 }, ['config', 'findings']) // throws auditText: audit has no findings [an object]
 */
export function checkRecord(op: string, what: string, value: unknown, fields: readonly string[] = []): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`${op}: ${what} is not an object [${shown(value)}]`)
  }
  const missing = fields.find((field) => !(field in value))
  if (missing !== undefined) throw new TypeError(`${op}: ${what} has no ${missing} [${shown(value)}]`)
}

/** Throws a TypeError unless `value` names a file: a string or a URL. */
export function checkPath(op: string, value: unknown): void {
  if (typeof value !== 'string' && !(value instanceof URL)) {
    throw new TypeError(`${op}: path is neither a text nor a URL [${shown(value)}]`)
  }
}

/** Throws a TypeError unless `value` can be walked by for ... of, and is no string. */
export function checkIterable(op: string, what: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || !(Symbol.iterator in value)) {
    throw new TypeError(`${op}: ${what} cannot be iterated [${shown(value)}]`)
  }
}
