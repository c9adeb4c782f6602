import type { FloatDType } from 'tpu-toolkit/tensor'

/** What an automaton is computed with, what its state is kept in, and how that is rounded. */
export interface Arithmetic {
  readonly name: string
  readonly dtype: FloatDType
  readonly stateDtype: FloatDType
  readonly rounding: 'nearest-even' | 'stochastic'
}

const nearest = { rounding: 'nearest-even' } as const
const random = { rounding: 'stochastic' } as const
const fp8 = 'float8_e4m3fn'

/** The arithmetics beside each other: ever fewer bits, each followed by its cures. */
export const arithmetics: readonly Arithmetic[] = [
  { name: 'float32', dtype: 'float32', stateDtype: 'float32', ...nearest },
  { name: 'bfloat16', dtype: 'bfloat16', stateDtype: 'bfloat16', ...nearest },
  { name: 'bfloat16, state float32', dtype: 'bfloat16', stateDtype: 'float32', ...nearest },
  { name: 'bfloat16, state at random', dtype: 'bfloat16', stateDtype: 'bfloat16', ...random },
  { name: fp8, dtype: fp8, stateDtype: fp8, ...nearest },
  { name: `${fp8}, state float32`, dtype: fp8, stateDtype: 'float32', ...nearest },
  { name: `${fp8}, state at random`, dtype: fp8, stateDtype: fp8, ...random },
  { name: `bfloat16, state ${fp8}`, dtype: 'bfloat16', stateDtype: fp8, ...nearest },
]

/** Cells along each side of the flower's field. */
export const side = 24

/** A wound: after so many steps, a circle in units of half the field. */
export interface Wound {
  readonly step: number
  readonly x: number
  readonly y: number
  readonly radius: number
}

/** A growth from its seed on: it goes to a step, and the wounds on the way are inflicted. */
export interface GrowAsked {
  readonly seed: number
  /** What every update is multiplied by: 1 as it was learned; a power of two, so that the product is exact. */
  readonly scale: number
  readonly wounds: readonly Wound[]
  readonly to: number
}

/** An automaton at a step. */
export interface Grown {
  /** Red, green, blue times opacity, and opacity of every cell. */
  readonly cells: Float32Array
  /** The mean square of what these are off the flower. */
  readonly loss: number
  /** The share of the updates that rounding to nearest would take. */
  readonly lost: number
}

/** What the last wound did: how far each was off the flower before it and after it. */
export interface Hurt {
  readonly step: number
  readonly before: readonly number[]
  readonly after: readonly number[]
}

/** All of them at a step. */
export interface GrowAnswer {
  readonly seed: number
  readonly scale: number
  readonly step: number
  readonly grown: readonly Grown[]
  /** Undefined where nothing has hurt them. */
  readonly hurt?: Hurt
}

/** Random automata of small updates on a torus. */
export interface StandAsked {
  readonly kind: 'stand'
  /** The deviation of the weights that make the updates. */
  readonly deviation: number
  readonly steps: number
}

/** How far the three states are off by the step, over how far the state moved in float64. */
export interface StandAnswer {
  readonly asked: StandAsked
  readonly ways: readonly { readonly name: string; readonly off: readonly number[] }[]
  /** The share of the updates that a bfloat16 state loses, over the run. */
  readonly lost: number
}

export type AutomatonAsked = (GrowAsked & { readonly kind: 'grow' }) | StandAsked

/** What the worker says. */
export type AutomatonTold =
  | { readonly part: GrowAnswer }
  | { readonly answer: GrowAnswer | StandAnswer }
  | { readonly failed: string }
