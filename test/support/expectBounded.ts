import { expect } from 'vitest'

/** Collects error / bound over many computations, per kind, to show that a bound holds and is not idle. */
export class WorstRatios {
  readonly #worst: Map<string, number> = new Map()

  /** Asserts error <= bound and remembers the ratio. An infinite bound promises nothing. */
  expectBounded(kind: string, error: number, bound: number, where: () => string): void {
    if (bound === Infinity) return
    if (!(error <= bound)) expect.fail(`${kind}: error ${error} above its bound ${bound}, ${where()}`)
    if (bound > 0) this.#worst.set(kind, Math.max(this.of(kind), error / bound))
  }

  /** The worst ratio seen of a kind. */
  of(kind: string): number {
    return this.#worst.get(kind) ?? 0
  }

  /** All kinds with their worst ratio, three digits. */
  report(): Record<string, number> {
    return Object.fromEntries([...this.#worst].map(([kind, ratio]) => [kind, Number(ratio.toPrecision(3))]))
  }
}
