import { shown } from '../base/options/index.js'
import { joinSchedules } from './joinSchedules.js'
import { checked, type Schedule } from './schedule.js'
import { type WarmupCosineDecayOptions, warmupCosine } from './warmupCosineDecaySchedule.js'

/**
 * Warm restarts: `warmupCosineDecaySchedule`s one after the other, each of its own `decaySteps`. A cycle's end value is
 * not reached, the next cycle begins at that step; the last cycle's is held.
 *
 * Source    optax 0.2.8, sgdr_schedule; I. Loshchilov, F. Hutter, SGDR, arXiv:1608.03983
 *
 * @example const cycle = { initValue: 0, peakValue: 1, warmupSteps: 0 }
 * const rate = sgdrSchedule([{ ...cycle, decaySteps: 10 }, { ...cycle, decaySteps: 20 }])
 * [0, 5, 10, 20, 30].map(rate) // [1, 0.5, 1, 0.5, 0]
 */
export function sgdrSchedule(cycles: readonly WarmupCosineDecayOptions[]): Schedule {
  const op = 'sgdrSchedule'
  if (!Array.isArray(cycles)) throw new TypeError(`${op}: needs an array of cycles [${shown(cycles)}]`)
  if (cycles.length === 0) throw new RangeError(`${op}: needs at least one cycle [0]`)
  const parts = cycles.map((cycle, i) => warmupCosine(`${op}: cycle ${i}`, cycle))
  const restarts: number[] = []
  for (const { decaySteps } of cycles.slice(0, -1)) restarts.push((restarts.at(-1) ?? 0) + decaySteps)
  return checked(op, joinSchedules(parts, restarts))
}
