/** A record with an entry for every one of some names. */
export function recordOf<K extends string, V>(names: readonly K[], entry: (name: K) => V): Record<K, V> {
  return Object.fromEntries(names.map((name) => [name, entry(name)])) as Record<K, V>
}
