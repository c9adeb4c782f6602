/** One way to hold one layer: what it costs, and what it harms. */
export interface Candidate {
  /** All bits of the layer. */
  readonly bits: number
  /** Noise over signal. */
  readonly noise: number
}

/** A step from one candidate of a layer to a better one. */
interface Upgrade {
  readonly layer: number
  readonly to: number
  readonly bits: number
  /** How much noise goes for a bit. */
  readonly gain: number
}

/**
 * The orders in which layers are given more bits: from the cheapest candidate of each along the lower convex hull of noise by
 * bits, the step that takes away the most noise a bit first. Every prefix is a choice for a budget of its own.
 */
export function upgradesOf(layers: readonly (readonly Candidate[])[]): {
  readonly start: readonly number[]
  readonly upgrades: readonly Upgrade[]
} {
  const hulls = layers.map(hullOf)
  const upgrades = hulls.flatMap((hull, layer) =>
    hull.slice(1).map((to, i): Upgrade => {
      const [before, after] = [layers[layer]![hull[i]!]!, layers[layer]![to]!]
      const bits = after.bits - before.bits
      return { layer, to, bits, gain: (before.noise - after.noise) / bits }
    }),
  )
  // Steps of a layer have falling gains, so the order keeps them in theirs.
  upgrades.sort((a, b) => b.gain - a.gain || a.layer - b.layer)
  return { start: hulls.map((hull) => hull[0]!), upgrades }
}

/** The candidates that no mixture of two others beats, the cheapest first. */
function hullOf(candidates: readonly Candidate[]): number[] {
  const order = candidates.map((_, i) => i)
  order.sort((i, j) => {
    const [a, b] = [candidates[i]!, candidates[j]!]
    return a.bits - b.bits || a.noise - b.noise || i - j
  })
  const hull: number[] = []
  for (const i of order) {
    const { bits, noise } = candidates[i]!
    if (hull.length > 0 && noise >= candidates[hull.at(-1)!]!.noise) continue
    while (hull.length > 1) {
      const [a, b] = [candidates[hull.at(-2)!]!, candidates[hull.at(-1)!]!]
      if ((a.noise - b.noise) * (bits - b.bits) > (b.noise - noise) * (b.bits - a.bits)) break
      hull.pop()
    }
    hull.push(i)
  }
  return hull
}

/** The choice after as many upgrades as `budget` bits allow; one that does not fit ends its layer's. */
export function chooseWithin(
  layers: readonly (readonly Candidate[])[],
  budget: number,
): { readonly chosen: readonly number[]; readonly bits: number } {
  const { start, upgrades } = upgradesOf(layers)
  const chosen = [...start]
  let bits = start.reduce((sum, candidate, layer) => sum + layers[layer]![candidate]!.bits, 0)
  const ended = new Set<number>()
  for (const { layer, to, bits: more } of upgrades) {
    if (ended.has(layer)) continue
    if (bits + more > budget) {
      ended.add(layer)
      continue
    }
    chosen[layer] = to
    bits += more
  }
  return { chosen, bits }
}
