import { closestMatch } from 'leven'

/**
 * The known name that a name was most likely meant to be: the one with the fewest changed characters, capitals and
 * separators not counted, where fewer than half of them changed; undefined where there is none so near.
 *
 * @example nearestName('accumlate', ['axis', 'order', 'accumulate']) // 'accumulate'
 * @example nearestName('weight_decay', ['weightDecay', 'mask']) // 'weightDecay'
 * @example nearestName('banana', ['axis', 'order']) // undefined
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const byPlain = new Map<string, string>()
  for (const candidate of known) if (!byPlain.has(plain(candidate))) byPlain.set(plain(candidate), candidate)
  const given = plain(name)
  const exact = byPlain.get(given)
  if (exact !== undefined) return exact
  const match = closestMatch(given, [...byPlain.keys()], { maxDistance: Math.floor((given.length - 1) / 2) })
  return match === undefined ? undefined : byPlain.get(match)
}

const plain = (name: string): string =>
  name
    .slice(0, 100)
    .toLowerCase()
    .replace(/[-_ .]/g, '')
