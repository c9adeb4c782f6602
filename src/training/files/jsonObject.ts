import { checkText } from '../../base/options/index.js'

/**
 * The object in a JSON text; undefined if it is not JSON, or not an object.
 *
 * @example jsonObject('{"step": 3}') // { step: 3 }
 * @example jsonObject('{"step": 3') // undefined
 */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  checkText('jsonObject', 'text', text)
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
