/** What a way comes to: bits of an element, and signal to noise in dB. */
interface Way {
  readonly bits: number
  readonly sqnr: number
}

/** The way with the most signal to noise of those with elements of 4 bits, of 6, and so on: those that a plot names. */
export function bestByBits<W extends Way>(ways: readonly W[]): ReadonlySet<W> {
  const best = new Map<number, W>()
  for (const way of ways) {
    const known = best.get(Math.floor(way.bits))
    if (!known || way.sqnr > known.sqnr) best.set(Math.floor(way.bits), way)
  }
  return new Set(best.values())
}
