import { inspect } from 'node:util'

/** One thing to time: its inputs are made once, its result is checked once, then it runs many times. */
export interface Operation {
  /** The name, as `--json` and `--only` have it. */
  readonly op: string
  /** What a time is divided by: elements, or multiply-adds for matmul. */
  readonly n: number
  /** Bytes read and written per element; the copy beside it moves half as many each way. Left off: no copy. */
  readonly bytes?: number
  /** What is to be reached: a multiple of the time of the peer or of another operation (`of`), or nanoseconds. */
  readonly goal?: { readonly ratio: number; readonly of?: string } | { readonly ns: number }
  /** Is of this size only: a matrix product. */
  readonly whole?: true
  /** For as many elements: `n`, or fewer. */
  prepare(n: number): Prepared
}

export interface Prepared {
  run(): void
  /** After one run: throws where the result is not exactly what it has to be. */
  check(): void
}

/** Throws with the first place where two results differ. */
export function checkEqual(op: string, actual: ArrayLike<number>, expected: (index: number) => number): void {
  for (let i = 0; i < actual.length; i++) {
    const value = expected(i)
    if (!Object.is(actual[i], value)) {
      throw new Error(`${op}: wrong result [element ${i}: ${inspect(actual[i])}, not ${inspect(value)}]`)
    }
  }
}
