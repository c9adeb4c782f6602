import { cheaperSets } from './cheaperSets.js'
import { deltaDebug, last, without } from './deltaDebug.js'

/** Which part of the search asked for a trial. */
export type TuneStage = 'ends' | 'prefix' | 'delta debugging' | 'drop one' | 'cheaper'

/** What a search over sets works with; `passes` remembers what it was asked. */
export interface TuneSearch<T> {
  /** Best cure first. */
  readonly items: readonly T[]
  readonly passes: (subset: readonly T[], stage: TuneStage) => boolean
  readonly costOf: (subset: readonly T[]) => number
  /** How many cheaper sets may be tried in the end. */
  readonly exhaustive: number
}

/**
 * A set that passes and from which no single item can go, cheap if not the cheapest: the shortest run of first items that
 * passes, then delta debugging, then drop-one, then every cheaper set if there are few. `least` says that none of these
 * passes. No set where neither a run of first items nor one tried at the end passes; with `least`, none does.
 */
export function searchSets<T>(search: TuneSearch<T>): { set: T[] | undefined; least: boolean } {
  const { items, passes, costOf, exhaustive } = search
  if (passes([], 'ends')) return { set: [], least: true }
  const first = shortestPrefix(search)
  let set =
    first &&
    dropOne(
      deltaDebug(first, (subset) => passes(subset, 'delta debugging')),
      search,
    )
  // The empty set is among them, and was tried.
  const cheaper = cheaperSets(items, costOf, set ? costOf(set) : Infinity, exhaustive + 1)
  const better = cheaper?.find((subset) => passes(subset, 'cheaper'))
  // What a better set could lose would make it cheaper yet, if the cost sees it.
  set = better ? dropOne(better, search) : set
  return { set, least: cheaper !== undefined }
}

/** Lengths doubled until one passes, then halved in between. */
function shortestPrefix<T>({ items, passes }: TuneSearch<T>): T[] | undefined {
  let low = 0
  let high = Math.min(1, items.length)
  const fits = (length: number): boolean => passes(items.slice(0, length), 'prefix')
  while (!fits(high)) {
    if (high >= items.length) return undefined
    low = high
    high = Math.min(2 * high, items.length)
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (fits(middle)) high = middle
    else low = middle
  }
  return items.slice(0, high)
}

/** Leaves out single items, the weakest cure first, until none can go. */
function dropOne<T>(from: readonly T[], { passes }: TuneSearch<T>): T[] {
  let set = [...from]
  for (;;) {
    const lost = last(set, (item) => passes(without(set, [item]), 'drop one'))
    if (lost === undefined) return set
    set = without(set, [lost])
  }
}
