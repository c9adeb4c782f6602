/**
 * All subsets that cost less than a bound, cheapest first, the order of the items deciding between equals; undefined where
 * there are more than `most`. No set may cost less than one that it holds.
 */
export function cheaperSets<T>(
  items: readonly T[],
  costOf: (subset: readonly T[]) => number,
  bound: number,
  most: number,
): T[][] | undefined {
  const found: { readonly set: T[]; readonly cost: number }[] = []
  const visit = (set: T[], from: number): boolean => {
    const cost = costOf(set)
    if (!(cost < bound)) return true
    found.push({ set, cost })
    if (found.length > most) return false
    for (let i = from; i < items.length; i++) if (!visit([...set, items[i]!], i + 1)) return false
    return true
  }
  if (!visit([], 0)) return undefined
  // The sort is stable, and sets were found in the order of the items.
  return found.sort((a, b) => a.cost - b.cost || a.set.length - b.set.length).map(({ set }) => set)
}
