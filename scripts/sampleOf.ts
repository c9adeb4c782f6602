import seedrandom from 'seedrandom'

/** The first `count` in an order drawn from a seed. */
export function sampleOf<T>(all: readonly T[], count: number, seed: string): T[] {
  const draw = seedrandom(seed)
  return all
    .map((one) => ({ one, at: draw() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ one }) => one)
}
