import { checkOptions } from '../base/options/index.js'
import { checkFinite } from './checkNumbers.js'
import { checked, type Schedule } from './schedule.js'

/**
 * A constant rate.
 *
 * @example constantSchedule(0.25)(1000) // 0.25
 * constantSchedule(NaN) // throws constantSchedule: value is not a finite number [NaN]
 */
export function constantSchedule(value: number | { readonly value: number }): Schedule {
  if (typeof value === 'object') checkOptions('constantSchedule', value, { value: 'required' })
  const rate = typeof value === 'object' ? value.value : value
  checkFinite('constantSchedule', { value: rate })
  return checked('constantSchedule', () => rate)
}
