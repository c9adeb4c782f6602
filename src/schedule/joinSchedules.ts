import { checkFunction, shown } from '../base/options/index.js'
import { checkNotNegative } from './checkNumbers.js'
import { checked, type Schedule } from './schedule.js'

/**
 * Schedules one after the other, each counting its steps from its own boundary: before boundaries[0] the first, from
 * boundaries[i] on the one with index i + 1. Where two boundaries are equal the schedule between them has no steps.
 *
 * Special   optax takes boundaries in any order, and the last one in the list that was passed wins.
 * Throws    RangeError unless boundaries are one fewer than schedules, not negative, and do not descend.
 * Cost      one comparison per boundary; only the active schedule is evaluated.
 * Source    optax 0.2.8, join_schedules
 *
 * @example const rate = joinSchedules([constantSchedule(1), linearSchedule({ initValue: 4, endValue: 0, transitionSteps: 4 })], [10])
 * [0, 9, 10, 11, 14].map(rate) // [1, 1, 4, 3, 0]
 */
export function joinSchedules(schedules: readonly Schedule[], boundaries: readonly number[]): Schedule {
  const op = 'joinSchedules'
  if (!Array.isArray(schedules) || !Array.isArray(boundaries)) {
    throw new TypeError(
      `${op}: needs an array of schedules and one of boundaries [${shown(schedules)} and ${shown(boundaries)}]`,
    )
  }
  schedules.forEach((schedule, i) => {
    checkFunction(op, `schedules[${i}]`, schedule)
  })
  if (schedules.length === 0) throw new RangeError(`${op}: needs at least one schedule [0]`)
  if (boundaries.length !== schedules.length - 1) {
    throw new RangeError(
      `${op}: boundaries are not one fewer than schedules [${boundaries.length} and ${schedules.length}]`,
    )
  }
  boundaries.forEach((boundary, i) => {
    checkNotNegative(op, { [`boundaries[${i}]`]: boundary })
    if (i > 0 && boundary < boundaries[i - 1]!) {
      throw new RangeError(`${op}: boundaries descend [${boundaries.join(', ').slice(0, 50)}]`)
    }
  })
  const [parts, starts] = [[...schedules], [0, ...boundaries]]
  return checked(op, (step) => {
    let i = starts.length - 1
    while (step < starts[i]!) i--
    return parts[i]!(step - starts[i]!)
  })
}
