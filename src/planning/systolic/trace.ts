import { checkOptions, type OptionTable, shown } from '../../base/options/index.js'
import { count } from './cycles.js'
import { checkProblem, type Dataflow, mappingOf, type Problem } from './dataflow.js'

/** What is multiplied, in which array. */
export interface TraceOptions {
  readonly dataflow: Dataflow
  /** Cells from top to bottom. */
  readonly rows: number
  /** Cells from left to right. */
  readonly columns: number
  /** A, by rows. */
  readonly a: readonly (readonly number[])[]
  /** B, by rows. */
  readonly b: readonly (readonly number[])[]
}

const traceNames: OptionTable<TraceOptions> = {
  dataflow: 'required',
  rows: 'required',
  columns: 'required',
  a: 'required',
  b: 'required',
}

/** One cell in one cycle. */
export interface Cell {
  /** 'load': what stays is on its way in; 'multiply': a multiply-add; 'pass': a sum goes by; 'idle': nothing. */
  readonly does: 'idle' | 'load' | 'multiply' | 'pass'
  /** Row and column of the element of A in the cell; null for none. */
  readonly a: readonly [number, number] | null
  /** Row and column of the element of B in the cell; null for none. */
  readonly b: readonly [number, number] | null
  /** The sum after this cycle: what the cell gathers ('os'), or what it hands to the one below; null for none. */
  readonly sum: number | null
}

/** The array in one cycle. */
export interface Frame {
  /** From 0 to totalCycles. */
  readonly cycle: number
  /** Which piece of the product, by its place along the rows and along the columns. */
  readonly fold: readonly [number, number]
  readonly phase: 'load' | 'compute'
  /** By row, then column. */
  readonly cells: readonly (readonly Cell[])[]
}

/** A product, cycle by cycle. */
export interface Trace {
  readonly frames: readonly Frame[]
  /** A B, as the array has it at the end. */
  readonly product: readonly (readonly number[])[]
  /** As `cycles` counts them: the number of the last frame. */
  readonly totalCycles: number
}

const idle: Cell = { does: 'idle', a: null, b: null, sum: null }
const mostCells = 2 ** 20

/**
 * Records a small systolic array (`optimizer.trace` is momentum): for every cycle what each cell holds and does, as plain data
 * to draw from. It is simulated cell by cell, each passing its values to its neighbours, and does not use the formula of
 * `cycles`; the product is what the cells hold at the end.
 *
 * Rounding  float64: products and sums each once; along k in order within a fold, then the folds' sums in order.
 * Throws    RangeError for matrices that do not fit together, and for more than 2^20 cells in all frames.
 * Source    the skewed feeding of Kung and Leiserson, Systolic arrays (for VLSI), 1978
 *
 * @example const small = trace({ dataflow: 'ws', rows: 2, columns: 2, a: [[1, 2]], b: [[3], [4]] })
 * small.product // [[11]]
 * small.frames.length // 5
 * small.frames[2].cells[0][0] // { does: 'multiply', a: [0, 0], b: [0, 0], sum: 3 }
 */
export function trace(options: TraceOptions): Trace {
  checkOptions('trace', options, traceNames)
  const problem = problemOf(options)
  const { rows, columns } = problem
  const { rowFolds, columnFolds, cyclesPerFold, totalCycles } = count(problem)
  const folds = rowFolds * columnFolds
  if (folds * cyclesPerFold * rows * columns > mostCells) {
    throw new RangeError(
      `trace: more than 2^20 cells in all frames, take a smaller product [${folds * cyclesPerFold} frames of ${rows * columns}]`,
    )
  }
  const product = Array.from({ length: problem.m }, () => Array<number>(problem.n).fill(0))
  const frames: Frame[] = []
  for (let i = 0; i < rowFolds; i++) {
    for (let j = 0; j < columnFolds; j++) runFold(problem, options, [i, j], cyclesPerFold, frames, product)
  }
  return { frames, product, totalCycles }
}

function problemOf({ dataflow, rows, columns, a, b }: TraceOptions): Problem {
  const k = widthOf('a', a)
  const n = widthOf('b', b)
  const problem = { dataflow, rows, columns, m: a.length, n, k }
  checkProblem('trace', problem)
  if (b.length !== k) {
    throw new RangeError(`trace: inner dimensions differ [${a.length}, ${k}] x [${b.length}, ${n}]`)
  }
  return problem
}

function widthOf(name: string, matrix: readonly (readonly number[])[]): number {
  if (!Array.isArray(matrix) || !matrix.every(Array.isArray)) {
    throw new TypeError(`trace: ${name} is not an array of rows [${shown(matrix)}]`)
  }
  const width = matrix[0]?.length ?? 0
  for (const row of matrix) {
    if (row.length !== width) {
      throw new RangeError(`trace: rows of ${name} differ in length [${width} and ${row.length}]`)
    }
    for (const value of row) {
      if (typeof value !== 'number') {
        throw new TypeError(`trace: ${name} has an element that is not a number [${shown(value)}]`)
      }
    }
  }
  return width
}

/** The frames of one fold, and what it adds to the product. */
function runFold(
  problem: Problem,
  { a, b }: TraceOptions,
  fold: readonly [number, number],
  cyclesPerFold: number,
  frames: Frame[],
  product: number[][],
): void {
  const { dataflow, rows, columns } = problem
  const { alongRows, alongColumns, alongTime, loadCycles } = mappingOf(problem)
  const firstRow = fold[0] * rows
  const firstColumn = fold[1] * columns
  const usedRows = Math.min(rows, alongRows - firstRow)
  const usedColumns = Math.min(columns, alongColumns - firstColumn)
  let before: readonly (readonly Cell[])[] = []
  for (let local = 0; local < cyclesPerFold; local++) {
    const cells = Array.from({ length: rows }, (_, r) =>
      Array.from({ length: columns }, (_, c): Cell => {
        if (c >= usedColumns) return idle
        if (local < loadCycles) {
          // The bottom row's element comes in first and moves down one row in each cycle.
          const row = rows - 1 - local + r
          if (r > local || row >= usedRows) return idle
          return { does: 'load', ...stays(dataflow, firstRow + row, firstColumn + c), sum: null }
        }
        const time = local - loadCycles - r - c
        const held =
          dataflow === 'os' || r >= usedRows ? nothing : stays(dataflow, firstRow + r, firstColumn + c)
        if (time < 0 || time >= alongTime || (dataflow === 'os' && r >= usedRows)) {
          const sum = dataflow === 'os' ? (before[r]?.[c]?.sum ?? null) : null
          return { does: 'idle', ...held, sum }
        }
        // Below the last row in use, and where outputs stay in the cell itself, the sum is what the neighbour had.
        const coming = (dataflow === 'os' ? before[r]?.[c]?.sum : r === 0 ? 0 : before[r - 1]?.[c]?.sum) ?? 0
        if (r >= usedRows) return { does: 'pass', a: null, b: null, sum: coming }
        const pair = meets(dataflow, firstRow + r, firstColumn + c, time)
        return {
          does: 'multiply',
          ...pair,
          sum: coming + a[pair.a[0]]![pair.a[1]]! * b[pair.b[0]]![pair.b[1]]!,
        }
      }),
    )
    frames.push({
      cycle: frames.length,
      fold,
      phase: local < loadCycles ? 'load' : 'compute',
      cells,
    })
    before = cells
    if (dataflow !== 'os') {
      collect(dataflow, local - loadCycles - (rows - 1), firstColumn, alongTime, cells, product)
    }
  }
  if (dataflow === 'os') {
    for (let r = 0; r < usedRows; r++) {
      for (let c = 0; c < usedColumns; c++) product[firstRow + r]![firstColumn + c] = before[r]![c]!.sum!
    }
  }
}

const nothing = { a: null, b: null } as const

/** The element that stays in a cell. */
function stays(dataflow: Dataflow, row: number, column: number): Pick<Cell, 'a' | 'b'> {
  return dataflow === 'ws' ? { a: null, b: [row, column] } : { a: [column, row], b: null }
}

/** The elements that meet in a cell. */
function meets(
  dataflow: Dataflow,
  row: number,
  column: number,
  time: number,
): { readonly a: readonly [number, number]; readonly b: readonly [number, number] } {
  if (dataflow === 'os') return { a: [row, time], b: [time, column] }
  if (dataflow === 'ws') return { a: [time, row], b: [row, column] }
  return { a: [column, row], b: [row, time] }
}

/** The sums that leave the bottom row in this cycle, added to what earlier folds along k left. */
function collect(
  dataflow: Dataflow,
  sinceFirst: number,
  firstColumn: number,
  alongTime: number,
  cells: readonly (readonly Cell[])[],
  product: number[][],
): void {
  cells.at(-1)!.forEach(({ does, sum }, c) => {
    const time = sinceFirst - c
    if (sum === null || does === 'idle' || does === 'load' || time < 0 || time >= alongTime) return
    if (dataflow === 'ws') product[time]![firstColumn + c]! += sum
    else product[firstColumn + c]![time]! += sum
  })
}
