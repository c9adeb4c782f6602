import { checkArray, checkFunction } from '../../base/options/index.js'
/** What a search asks of a set: whether it will do. Called once for a set at most, if the caller caches. */
export type Passes<T> = (subset: readonly T[]) => boolean

/**
 * A 1-minimal subset that passes: none of its elements can go. Not the smallest one, where passing sets do not lie in each
 * other. `items` as a whole must pass; earlier ones are tried first, and the order is kept.
 *
 * Cost      some 2 log2 n tests where one element is enough, of the order of n^2 at worst.
 * Source    Zeller, Hildebrandt, Simplifying and isolating failure-inducing input, doi:10.1109/32.988498
 *
 * @example deltaDebug([1, 2, 3, 4, 5, 6, 7, 8], (set) => set.includes(3) && set.includes(6)) // [3, 6]
 */
export function deltaDebug<T>(items: readonly T[], passes: Passes<T>): T[] {
  checkArray('deltaDebug', 'items', items)
  checkFunction('deltaDebug', 'passes', passes)
  let current = [...items]
  if (current.length > 0 && passes([])) return []
  let parts = 2
  while (current.length >= 2) {
    const chunks = split(current, parts)
    const alone = chunks.find((chunk) => passes(chunk))
    if (alone) {
      current = alone
      parts = 2
      continue
    }
    // Late elements are the ones to lose first; of two parts each is the complement of the other.
    const lost = parts > 2 ? last(chunks, (chunk) => passes(without(current, chunk))) : undefined
    if (lost) {
      current = without(current, lost)
      parts = Math.max(parts - 1, 2)
      continue
    }
    if (parts >= current.length) break
    parts = Math.min(2 * parts, current.length)
  }
  return current
}

/** The last item that will do; nothing before it is looked at. */
export function last<T>(items: readonly T[], will: (item: T) => boolean): T | undefined {
  for (let i = items.length - 1; i >= 0; i--) if (will(items[i]!)) return items[i]
  return undefined
}

/** The items without some of them. */
export function without<T>(items: readonly T[], some: readonly T[]): T[] {
  return items.filter((item) => !some.includes(item))
}

function split<T>(items: readonly T[], parts: number): T[][] {
  return Array.from({ length: parts }, (_, k) =>
    items.slice(Math.floor((k * items.length) / parts), Math.floor(((k + 1) * items.length) / parts)),
  )
}
