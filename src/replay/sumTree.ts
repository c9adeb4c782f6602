/** Children of a node: eight numbers fill a cache line, and memory is what finding waits for. */
const fan = 8

/**
 * Sums of non-negative numbers over a tree: replacing one and finding the one in which a running sum lies take log8(n)
 * steps. Every node is the sum of its children as they are now, added in order, so rounding errors do not pile up.
 */
export class SumTree {
  /** The numbers, the sums of eight of them, and so on up to the one sum of all; each level padded to groups with 0. */
  readonly #levels: readonly Float64Array[]
  readonly #top: Float64Array = new Float64Array(1)
  /** Where each mass is on its way down; kept for the next call. */
  #nodes = new Uint32Array(0)

  constructor(n: number) {
    const levels: Float64Array[] = []
    let count = Math.max(n, 1)
    do {
      count = Math.ceil(count / fan)
      levels.push(new Float64Array(count * fan))
    } while (count > 1)
    this.#levels = [...levels, this.#top]
  }

  get total(): number {
    return this.#top[0]!
  }

  get(index: number): number {
    return this.#levels[0]![index]!
  }

  set(index: number, value: number): void {
    this.#levels[0]![index] = value
    let node = index
    for (let k = 1; k < this.#levels.length; k++) {
      node = Math.floor(node / fan)
      this.#levels[k]![node] = groupSum(this.#levels[k - 1]!, node)
    }
  }

  /**
   * Replaces each mass by the index whose share of the running sum holds it, never one whose number is 0. Masses ascend,
   * 0 <= mass <= total, and the total is not 0.
   */
  find(masses: Float64Array): void {
    const n = masses.length
    const levels = this.#levels
    let k = levels.length - 1
    while (k > 0 && levels[k - 1]!.length <= fan * n) k--
    if (this.#nodes.length !== n) this.#nodes = new Uint32Array(n)
    const nodes = this.#nodes
    // A level that is not much longer than the list is walked once for all masses.
    const walked = levels[k]!
    let before = 0
    let node = 0
    for (let i = 0; i < n; i++) {
      const mass = masses[i]!
      while (node < walked.length - 1 && mass - before >= walked[node]!) before += walked[node++]!
      nodes[i] = node
      masses[i] = mass - before
    }
    for (let i = n - 1; i >= 0; i--) settle(walked, i, nodes, masses)
    // Below it, all go down a level together, so that they wait for memory together.
    while (k-- > 0) descend(levels[k]!, nodes, masses)
    masses.set(nodes)
  }

  /** The numbers 0 .. n - 1, to be kept in a file. */
  numbers(n: number): Float64Array {
    return this.#levels[0]!.slice(0, n)
  }

  /** Replaces the first numbers, the others become 0, and sums everything anew. */
  fill(numbers: Float64Array): void {
    const [leaves, ...sums] = this.#levels
    leaves!.fill(0)
    leaves!.set(numbers)
    let below = leaves!
    for (const level of sums) {
      for (let node = 0; node < below.length / fan; node++) level[node] = groupSum(below, node)
      below = level
    }
  }
}

function groupSum(level: Float64Array, group: number): number {
  const begin = group * fan
  let sum = 0
  for (let i = begin; i < begin + fan; i++) sum += level[i]!
  return sum
}

function descend(level: Float64Array, nodes: Uint32Array, masses: Float64Array): void {
  // Reads that depend on nothing overlap; those of the search below would wait for one another, branch by branch.
  let read = 0
  for (let i = 0; i < nodes.length; i++) read += level[nodes[i]! * fan]! + level[nodes[i]! * fan + fan - 1]!
  if (Number.isNaN(read)) throw new RangeError('SumTree: a number is NaN [NaN]')
  for (let i = 0; i < nodes.length; i++) {
    const begin = nodes[i]! * fan
    const end = begin + fan - 1
    let node = begin
    let rest = masses[i]!
    while (node < end && rest >= level[node]!) rest -= level[node++]!
    nodes[i] = node
    masses[i] = rest
    settle(level, i, nodes, masses)
  }
}

/** Rounding may leave a little mass behind the last number: it belongs to that number, and to the last one of its children. */
function settle(level: Float64Array, i: number, nodes: Uint32Array, masses: Float64Array): void {
  let node = nodes[i]!
  if (level[node] !== 0) return
  while (node > 0 && level[node] === 0) node--
  nodes[i] = node
  masses[i] = Infinity
}
