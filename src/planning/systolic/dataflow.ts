import { checkInteger, checkName } from '../../base/options/index.js'

/**
 * Which operand of C = A B stays in the cells; A is m x k, B is k x n.
 * 'os' output stationary: cell (r, c) gathers one element of C; A comes from the left, B from above.
 * 'ws' weight stationary: cell (r, c) keeps one element of B; A comes from the left, sums go down.
 * 'is' input stationary: cell (r, c) keeps one element of A; B comes from the left, sums go down.
 */
export type Dataflow = 'os' | 'ws' | 'is'

/** Every dataflow: output, weights or inputs stay in their cells. */
export const dataflows: readonly Dataflow[] = ['os', 'ws', 'is']

/** An array and the product to be made in it. */
export interface Problem {
  readonly dataflow: Dataflow
  /** Cells from top to bottom. */
  readonly rows: number
  /** Cells from left to right. */
  readonly columns: number
  /** Rows of A and of C. */
  readonly m: number
  /** Columns of B and of C. */
  readonly n: number
  /** Columns of A, rows of B: what is summed over. */
  readonly k: number
}

/** The sizes along the array's rows, along its columns, and along time. */
export interface Mapping {
  readonly alongRows: number
  readonly alongColumns: number
  readonly alongTime: number
  /** Cycles in which the operand that stays is shifted in, one row of it in each; none where outputs stay. */
  readonly loadCycles: number
}

/** The mapping of a product's three sizes to the array. */
export function mappingOf({ dataflow, rows, m, n, k }: Problem): Mapping {
  switch (dataflow) {
    case 'os':
      return { alongRows: m, alongColumns: n, alongTime: k, loadCycles: 0 }
    case 'ws':
      return { alongRows: k, alongColumns: n, alongTime: m, loadCycles: rows }
    case 'is':
      return { alongRows: k, alongColumns: m, alongTime: n, loadCycles: rows }
    default:
      return dataflow satisfies never
  }
}

/** Throws for a dataflow that is none and for sizes that are not integers from 1. */
export function checkProblem(op: string, problem: Problem): void {
  checkName(op, 'dataflow', problem.dataflow, dataflows)
  for (const name of ['rows', 'columns', 'm', 'n', 'k'] as const) checkInteger(op, name, problem[name], 1)
}
