import { shown } from '../base/options/index.js'
import { type FormatName, format, formatNames } from '../numbers/formats/index.js'
import type { PlanJson } from './plan.js'
import type { ReplayState, StateFacts } from './replayState.js'

/** Says what of a file is wrong. */
export type RefuseReplay = (why: string) => never

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Throws for facts that no buffer of these settings can have. A digest detects damage, not intent: anybody may write a file,
 * and numbers that do not fit together would be drawn from, and looped over, for ever.
 */
export function checkFacts(
  state: ReplayState,
  facts: unknown,
  refuse: RefuseReplay,
): asserts facts is StateFacts {
  if (!isRecord(facts)) return refuse('no facts of a buffer')
  const { added, draws, maxPriority, limiter, nanRewards, counters, pending } = facts
  const count = (name: string, value: unknown): void => {
    if (!isCount(value)) refuse(`${name} is no count, ${shown(value)}`)
  }
  count('added', added)
  count('draws', draws)
  count('nanRewards', nanRewards)
  if (!isRecord(counters)) return refuse('no counters')
  for (const name of ['sampled', 'batches', 'stale']) count(name, counters[name])
  if (
    state.priorities === undefined
      ? maxPriority !== null
      : !(typeof maxPriority === 'number' && maxPriority >= 1)
  ) {
    refuse(`maxPriority is ${shown(maxPriority)}`)
  }
  if (state.priorities && typeof maxPriority === 'number') state.priorities.massOf(maxPriority)
  if (state.limiter === undefined ? limiter !== null : !isRecord(limiter)) {
    refuse('a rate limiter that is none')
  }
  if (isRecord(limiter)) for (const name of ['inserts', 'samples']) count(name, limiter[name])
  if (pending !== null) checkPlan(state, Number(added), pending, refuse)
}

function checkPlan(
  state: ReplayState,
  added: number,
  plan: unknown,
  refuse: RefuseReplay,
): asserts plan is PlanJson {
  if (!isRecord(plan)) return refuse('a batch drawn ahead that is none')
  const { replacement, indices, lasts, relative } = plan
  const { capacity, environments, nStep } = state.settings
  const n = nStep?.n ?? 1
  const rows = Math.min(added, capacity)
  const isRow = (value: unknown): value is number => isCount(value) && value < added
  if (typeof replacement !== 'boolean' || !Array.isArray(indices) || !indices.every(isRow)) {
    return refuse('a prefetched batch of rows that do not exist')
  }
  if (indices.length === 0 || indices.length > rows) {
    return refuse(`a batch drawn ahead of ${indices.length} rows`)
  }
  if (!replacement && (state.priorities || new Set(indices).size < indices.length)) {
    return refuse('a batch drawn ahead with a row twice')
  }
  const ahead = (last: unknown, i: number): boolean => {
    const steps = isRow(last) ? (last - Number(indices[i])) / environments : -1
    return Number.isInteger(steps) && steps >= 0 && steps < n
  }
  if (
    n > 1 ? !(Array.isArray(lasts) && lasts.length === indices.length && lasts.every(ahead)) : lasts !== null
  ) {
    return refuse('a batch drawn ahead with other ends than its rows have')
  }
  const isShare = (value: unknown): boolean =>
    typeof value === 'number' && value > 0 && Number.isFinite(value)
  const shares = Array.isArray(relative) && relative.length === indices.length && relative.every(isShare)
  if (state.priorities ? !shares : relative !== null) {
    return refuse('a batch drawn ahead with other shares than rows')
  }
}

/** Refuses sections that no buffer writes, once they have been read into the state. */
export function checkSections(state: ReplayState, priorities: Float64Array, refuse: RefuseReplay): void {
  const { episodes, columns } = state
  const { size, oldest, environments, total } = episodes
  for (let index = oldest; index < total; index++) {
    const slot = episodes.slotOf(index)
    if (episodes.flags[slot]! > 3) refuse(`row ${index} ends with flags ${episodes.flags[slot]}`)
    const before = index - environments
    const age = before < 0 || (before >= oldest && episodes.ends(before)) ? 0 : undefined
    const expected = age ?? (before >= oldest ? episodes.ages[episodes.slotOf(before)]! + 1 : undefined)
    if (
      expected !== undefined ? episodes.ages[slot] !== expected : episodes.ages[slot]! * environments > index
    ) {
      refuse(`row ${index} is number ${episodes.ages[slot]} of its episode`)
    }
  }
  if (priorities.some((mass) => !(mass > 0 && mass <= Number.MAX_VALUE / (2 * state.settings.capacity)))) {
    refuse('a priority that is no positive number')
  }
  for (const { place, source, errors } of columns) {
    const { name, dtype, width } = place
    const isFormat = (formatNames as readonly string[]).includes(dtype)
    const codes = dtype === 'bool' ? 2 : isFormat ? 2 ** format(dtype as FormatName).bits : undefined
    const whole = codes !== undefined && codes === 2 ** (8 * place.elementBytes)
    if (codes !== undefined && !whole) {
      for (let slot = 0; slot < size; slot++) {
        for (let j = 0; j < width; j++) {
          if (source.array[slot * source.stride + source.offset + j]! >= codes) {
            refuse(`${name} holds no code of ${dtype}`)
          }
        }
      }
    }
    if (
      source.scales?.some((scale) => !(scale > 0 && Number.isFinite(scale) && Math.log2(scale) % 1 === 0))
    ) {
      refuse(`${name} has a scale that is no power of two`)
    }
    if (errors?.state.some((sum) => !(sum >= 0))) refuse(`${name} has sums of errors that are no numbers`)
  }
}
