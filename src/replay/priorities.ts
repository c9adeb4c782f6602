import { SumTree } from './sumTree.js'

/** Prioritized replay: P(i) = p_i^alpha / sum, p_i = |priority| + eps; weights (size P(i))^-beta over the largest of a batch. */
export interface Prioritized {
  /** How much priorities count: 0 not at all. Default 0.6. */
  readonly alpha?: number
  /** How much of the bias the weights take back, 1 all of it. `sample` can say another. Default 0.4. */
  readonly beta?: number
  /** Added to every priority, so that none is never drawn. Default 1e-6. */
  readonly eps?: number
}

/** The priorities of a ring's slots. */
export class Priorities {
  readonly alpha: number
  readonly beta: number
  readonly eps: number
  /** The largest priority ever given, at first 1: what new rows have. */
  max = 1
  readonly tree: SumTree
  readonly #most: number

  constructor(capacity: number, { alpha = 0.6, beta = 0.4, eps = 1e-6 }: Prioritized) {
    if (!(alpha >= 0 && alpha < Infinity)) {
      throw new RangeError(`ReplayBuffer: prioritized.alpha is not a number of at least 0 [${String(alpha)}]`)
    }
    checkBeta('ReplayBuffer', beta)
    if (!(eps > 0 && eps < Infinity)) {
      throw new RangeError(`ReplayBuffer: prioritized.eps is not a positive number [${String(eps)}]`)
    }
    this.alpha = alpha
    this.beta = beta
    this.eps = eps
    this.tree = new SumTree(capacity)
    this.#most = Number.MAX_VALUE / (2 * capacity)
    const mass = (this.max + eps) ** alpha
    if (!(mass <= this.#most)) {
      throw new RangeError(`ReplayBuffer: prioritized.eps is too large for a sum of priorities [${eps}]`)
    }
  }

  /** What a priority counts in the sum. Throws where it is negative, NaN, or too large for a sum of them. */
  massOf(priority: number): number {
    const mass = (priority + this.eps) ** this.alpha
    if (!(priority >= 0 && mass > 0 && mass <= this.#most)) {
      throw new RangeError(
        `updatePriorities: priority is not a finite number of at least 0 [${String(priority)}]`,
      )
    }
    return mass
  }

  /** Gives the slot of a new row the largest priority. */
  add(slot: number): void {
    this.tree.set(slot, (this.max + this.eps) ** this.alpha)
  }

  /** One slot of each of as many equal parts of the sum as `uniforms` has numbers; as slots, into `uniforms`. */
  draw(uniforms: Float64Array): void {
    const { tree } = this
    const n = uniforms.length
    const { total } = tree
    // Rounding may reach the total itself; the tree then finds the last number.
    for (let i = 0; i < n; i++) uniforms[i] = ((i + uniforms[i]!) / n) * total
    tree.find(uniforms)
  }

  /** size P(slot): 1 for a row that is drawn as often as it would be uniformly. */
  relative(slot: number, size: number): number {
    return (size * this.tree.get(slot)) / this.tree.total
  }
}

export function checkBeta(op: string, beta: number): void {
  if (!(beta >= 0 && beta <= 1)) throw new RangeError(`${op}: beta is outside 0..1 [${String(beta)}]`)
}
