import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { checkProblem, mappingOf, type Problem } from './dataflow.js'

/** An array and the product to be made in it: A is m x k, B is k x n. */
export interface CyclesOptions extends Problem {}

export const cyclesNames: OptionTable<CyclesOptions> = {
  dataflow: 'required',
  rows: 'required',
  columns: 'required',
  m: 'required',
  n: 'required',
  k: 'required',
}

/** How long a product takes, and how much of the array works. */
export interface CycleCount {
  /** Pieces that the array's rows cut the product into. */
  readonly rowFolds: number
  /** Pieces that the array's columns cut the product into. */
  readonly columnFolds: number
  /** Cycles of one piece, filling and draining included; a piece at the edge takes as many. */
  readonly cyclesPerFold: number
  /** The number of the last cycle, the first being 0: folds times cycles per fold, less one. */
  readonly totalCycles: number
  /** Percent of the cells that hold work, averaged over the folds. */
  readonly mappingEfficiency: number
  /** Percent of the cells' cycles that are multiply-adds: 100 m n k / (totalCycles rows columns). */
  readonly overallUtil: number
}

/**
 * The cycles of a matrix product on a systolic array, operands always there in time: one fold after the other, none
 * overlapping. What stays is shifted in first ('ws', 'is'), then the moving operand passes, each row and column a cycle
 * later than the one before: rows + columns + time - 2 cycles, and `rows` more for the shifting.
 * totalCycles is counted as SCALE-Sim does, from 0: a product of one cycle has 0, and overallUtil, which divides by it, is
 * taken over one cycle there. A real MXU shifts the next weights in behind the present ones, so that a long m hides it.
 *
 * Source    SCALE-Sim v3, "Total Cycles" without prefetch (github.com/scalesim-project/SCALE-Sim, commit fab89b7)
 * Throws    RangeError for an unknown dataflow and for sizes below 1.
 *
 * @example cycles({ dataflow: 'os', rows: 8, columns: 8, m: 64, n: 48, k: 40 }).totalCycles // 2591
 * @example cycles({ dataflow: 'ws', rows: 8, columns: 8, m: 64, n: 48, k: 40 }).totalCycles // 2579
 * @example cycles({ dataflow: 'sw', rows: 8, columns: 8, m: 64, n: 48, k: 40 }) // throws cycles: unknown dataflow, there are os, ws, is [sw]
 */
export function cycles(options: CyclesOptions): CycleCount {
  checkOptions('cycles', options, cyclesNames)
  checkProblem('cycles', options)
  return count(options)
}

/** The same, for checked arguments. */
export function count(problem: Problem): CycleCount {
  const { rows, columns, m, n, k } = problem
  const { alongRows, alongColumns, alongTime, loadCycles } = mappingOf(problem)
  const rowFolds = Math.ceil(alongRows / rows)
  const columnFolds = Math.ceil(alongColumns / columns)
  const cyclesPerFold = loadCycles + rows + columns + alongTime - 2
  const totalCycles = rowFolds * columnFolds * cyclesPerFold - 1
  return {
    rowFolds,
    columnFolds,
    cyclesPerFold,
    totalCycles,
    mappingEfficiency: (100 * alongRows * alongColumns) / (rowFolds * columnFolds * rows * columns),
    overallUtil: (100 * m * n * k) / (Math.max(totalCycles, 1) * rows * columns),
  }
}
