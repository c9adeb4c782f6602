import { type AnyStorage, type DType, isFloat, roundingTo } from './dtype.js'
import { type Shape, sizeOf } from './shape.js'

const longestWhole = 1000
const edge = 3
const width = 100

/**
 * A readable picture of a tensor: `bfloat16 [2, 2]`, then the elements in nested brackets, columns aligned. Each
 * number has the fewest digits that round back to it in its dtype. Above 1,000 elements only the three
 * at each end of a long axis are shown.
 */
export function print(dtype: DType, shape: Shape, values: AnyStorage): string {
  const title = `${dtype} [${shape.join(', ')}]`
  if (values.length === 0) return `${title} (empty)`
  const text = textOf(dtype)
  const cut = sizeOf(shape) > longestWhole
  const rows: string[][] = []
  collect(0, 0, sizeOf(shape), [])

  const column = Math.max(...rows.flat().map((cell) => cell.length))
  const lines = rows.map((row) => row.map((cell) => cell.padStart(column)))
  return shape.length === 0 ? `${title} ${rows[0]![0]!}` : `${title}\n${brackets(lines, shape, cut)}`

  function collect(axis: number, start: number, span: number, row: string[]): void {
    if (axis === shape.length) {
      row.push(text(values[start]!))
      if (shape.length === 0) rows.push(row)
      return
    }
    const last = axis === shape.length - 1
    const own: string[] = []
    const step = span / shape[axis]!
    for (const i of shown(shape[axis]!, cut)) {
      if (i < 0) {
        if (last) own.push('...')
      } else {
        collect(axis + 1, start + i * step, step, last ? own : [])
      }
    }
    if (last) rows.push(own)
  }
}

/** The positions of an axis that are printed; -1 stands for the ones left out. */
function shown(length: number, cut: boolean): number[] {
  if (!cut || length <= 2 * edge) return Array.from({ length }, (_, i) => i)
  return [0, 1, 2, -1, length - 3, length - 2, length - 1]
}

/** Wraps printed rows in the brackets of all axes. */
function brackets(rows: readonly string[][], shape: Shape, cut: boolean): string {
  let next = 0
  return open(0)

  function open(axis: number): string {
    const indent = ' '.repeat(axis + 1)
    if (axis === shape.length - 1) return `[${wrap(rows[next++]!, indent)}]`
    const gap = `,${'\n'.repeat(shape.length - 1 - axis)}${indent}`
    return `[${shown(shape[axis]!, cut)
      .map((i) => (i < 0 ? '...' : open(axis + 1)))
      .join(gap)}]`
  }
}

/** Joins cells with commas, breaking lines that grow past the page width. */
function wrap(cells: readonly string[], indent: string): string {
  let line = ''
  let text = ''
  for (const [i, cell] of cells.entries()) {
    const piece = i === 0 ? cell : `, ${cell}`
    if (line.length + piece.length > width) {
      text += `${line},\n${indent}`
      line = cell
    } else {
      line += piece
    }
  }
  return text + line
}

function textOf(dtype: DType): (value: number) => string {
  if (dtype === 'bool') return (value) => (value === 1 ? 'true' : 'false')
  if (!isFloat(dtype)) return String
  const round = roundingTo(dtype)
  return (value) => shortest(value, round)
}

/** The decimal with the fewest digits that rounds to `value`, itself a value of the dtype. */
function shortest(value: number, round: (value: number) => number): string {
  if (Object.is(value, -0)) return '-0'
  if (!Number.isFinite(value)) return String(value)
  for (let digits = 1; digits < 17; digits++) {
    const candidate = Number(value.toPrecision(digits))
    if (round(candidate) === value) return String(candidate)
  }
  return String(value)
}
