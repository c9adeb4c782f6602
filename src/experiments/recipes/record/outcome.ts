/** The three products that training makes of one layer's product, and an optimizer's direction of its weights. */
export type ProductKind = 'forward' | 'dgrad' | 'wgrad' | 'update'

/** How far one product or direction is from that of the same operands in float64. */
export interface BitsLost {
  /** Such as 'block 1, down'. */
  readonly layer: string
  /** x w, its gradient with respect to x, or to w; the direction in which w is moved. */
  readonly kind: ProductKind
  /** The Frobenius norm of the difference over that of the exact product. */
  readonly error: number
}

/** What one run of an arm came to. */
export interface Outcome {
  /** What the recipe measures, lower is better. Not finite where the run did not stay finite. */
  readonly loss: number
  /** The means of the training measure over the parts of the run, in order. */
  readonly curve: readonly number[]
  /** Of every product of the arm, at the parameters it ended with; empty where none is quantised. */
  readonly bits: readonly BitsLost[]
  /** The first step whose loss was not finite; the run ends there. */
  readonly nonFiniteStep: number | null
}

/** Receives the step a run is at and its measure there. */
export type StepReport = (step: number, loss: number) => void

/** Points of a curve: a run of fewer steps has one a step. */
export const curvePoints = 40

/** The values of a run's steps as means over `curvePoints` parts of it. */
export function curveOf(values: readonly number[]): number[] {
  const points = Math.min(curvePoints, values.length)
  return Array.from({ length: points }, (_, i) => {
    const from = Math.floor((i * values.length) / points)
    const to = Math.floor(((i + 1) * values.length) / points)
    return values.slice(from, to).reduce((total, value) => total + value, 0) / (to - from)
  })
}
