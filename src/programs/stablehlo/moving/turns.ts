/**
 * Turns in which every place is written at most once: the numbers of the updates of each, in their own order. A negative place is
 * none.
 */
export function turnsOf(places: Int32Array): number[][] {
  const seen = new Map<number, number>()
  const turns: number[][] = []
  for (let i = 0; i < places.length; i++) {
    if (places[i]! < 0) continue
    const turn = seen.get(places[i]!) ?? 0
    seen.set(places[i]!, turn + 1)
    if (turn === turns.length) turns.push([])
    turns[turn]!.push(i)
  }
  return turns
}
