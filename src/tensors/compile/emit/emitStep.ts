import { sizeOf } from '../../tensor/index.js'
import * as code from '../engine/opcodes.js'
import type { Node } from '../graph/graph.js'
import { roundingOf, widthOf } from '../graph/values.js'
import { broadcastView, collapsed, placesOf, type View } from '../graph/view.js'
import type { WorkRange } from './instructionBuffer.js'
import { type Lanes, type NodeStep, type Place, stepsOf } from './schedule.js'
import { type Address, plus, type Relative } from './slots.js'

/** Elements of a block of a loop: what a few values of one take stays in the first-level cache. */
export const blockElements = 1024

/** Elements of a block of a loop whose rows have so many: about `most`. */
export function blockOf(row: number, most: number, threads: number): number {
  return threads > 1 ? evenBlock(row, most) : wholeRows(row, most)
}

/** As many rows as there is room for, or a part of one. */
function wholeRows(row: number, most: number): number {
  return row <= most ? Math.floor(most / row) * row : most
}

/**
 * The same where threads write blocks next to each other: vectors of up to 16 write behind the last element of a block, so blocks end
 * where vectors do. Rows of odd lengths make long ones; too long ones are cut as they come.
 */
function evenBlock(row: number, most: number): number {
  let even = row
  while (even % 16 !== 0) even *= 2
  return even <= 4 * most ? Math.max(even, wholeRows(even, most)) : most
}

/** Elements of the blocks of a matrix product in a direction: wasm/program/gemm.ts. */
const side = 256

/** Where the words of a program go, and where what they name lies. */
export interface Writer {
  write(...words: readonly Address[]): void
  /** Words among the constants, once for each key. */
  constant(key: string, make: () => Iterable<number>): Relative
  /** A value's first element. */
  at(node: Node): Address
  /** What rounding to a dtype reads. */
  record(dtype: Node['dtype'] | undefined): Address
  viewRecord(view: View): Address
  /** Memory that a step may use while it runs. */
  readonly roomAt: number
}

/** Bytes of memory that a step uses beside its values. */
export function roomOf({ does }: NodeStep): number {
  if (does.kind === 'matmul') return side * side * 12
  return does.kind === 'scatter' ? does.lanes.length * 4 : 0
}

/** The address of the first element of a contiguous place. */
export function firstOf(to: Writer, { stored, view }: Place): Address {
  return plus(to.at(stored), view.start * widthOf(stored.dtype))
}

/** Rows of a product that are computed together, and lanes that are summed side by side. */
const band = 4

/** Lanes that begin side by side and are summed at once, and about what one element of them takes. */
const sideBySide = 16
const perColumn = 0.2

/** Into how many units a step may be split, none of which shares a sum with another, and about how long it takes in all. */
export function unitsOf({ node, reads, does }: NodeStep): {
  readonly units: number
  readonly nanoseconds: number
} {
  switch (does.kind) {
    case 'matmul': {
      const { count, height } = rowsOf(node, reads)
      const units = count === 1 ? Math.ceil(height / band) : count
      return { units, nanoseconds: node.size * reads[0]!.view.shape.at(-1)! * 0.06 }
    }
    case 'sum':
    case 'cumsum':
    case 'extremum': {
      const { outer, length, inner } = does.lanes
      if (does.kind === 'sum' && outer === 1) {
        return { units: Math.ceil(inner / sideBySide), nanoseconds: length * inner * perColumn }
      }
      return { units: Math.ceil(outer / band), nanoseconds: outer * length * inner }
    }
    case 'copy':
      return { units: Math.ceil(node.size / blockElements), nanoseconds: node.size }
    default:
      return { units: 1, nanoseconds: 0 }
  }
}

/** Writes the words of a share of a step that is no loop and no call. */
export function emitStep(to: Writer, { node, reads, does }: NodeStep, share: WorkRange): void {
  const { write, constant, at, record, viewRecord } = to
  const first = (place: Place): Address => firstOf(to, place)
  switch (does.kind) {
    case 'matmul':
      emitMatmul(to, node, reads, share)
      return
    case 'sum':
    case 'cumsum': {
      const { lanes, how } = does
      const accumulate = how.accumulate === 'float64' ? undefined : how.accumulate
      const opcode = does.kind === 'sum' ? code.SUM : code.CUMSUM
      const columns = does.kind === 'sum' && lanes.outer === 1
      write(opcode, ...(columns ? columnsOf : lanesOf)(to, reads[0]!, node, lanes, share))
      write(stepsOf(how)!, roundingOf(node.dtype) ?? 0, record(accumulate), record(node.dtype))
      if (does.kind === 'sum') write(does.divisor, node.dtype === 'float64' ? 1 : 0)
      if (columns) write(Math.min(lanes.inner, share.to * sideBySide) - share.from * sideBySide)
      else if (does.kind === 'sum') write(lanes.inner)
      return
    }
    case 'extremum': {
      const { lanes, largest } = does
      write(code.EXTREMUM, ...lanesOf(to, reads[0]!, node, lanes, share))
      write(largest ? 1 : 0, node.dtype === 'float64' ? 1 : 0)
      return
    }
    case 'copy': {
      const { stored, view } = reads[0]!
      const wide = widthOf(node.dtype) === 8
      const [from, end] = [share.from * blockElements, Math.min(node.size, share.to * blockElements)]
      write(code.GROUP, from, end, blockElements, 24, wide ? code.LOAD64 : code.LOAD)
      write(plus(at(node), wide ? 8 : 4), at(stored), 0, 0, viewRecord(collapsed(view)))
      return
    }
    case 'join': {
      const { outer } = does.lanes
      const width = widthOf(node.dtype)
      const parts = reads.filter(({ view }) => sizeOf(view.shape) > 0)
      write(code.JOIN, parts.length, at(node), outer, (node.size / outer) * width)
      for (const part of parts) write(first(part), (sizeOf(part.view.shape) / outer) * width)
      return
    }
    case 'take': {
      const { outer, length, inner } = does.lanes
      const { indices } = does
      const count = node.size / (outer * inner)
      write(code.TAKE, first(reads[0]!), at(node), outer, length, inner * widthOf(node.dtype), count)
      const list = indices && constant(`indices ${node.id}`, () => new Uint32Array(indices))
      write(list ?? first(reads[1]!), list || reads[1]!.stored.dtype === 'uint32' ? 1 : 0)
      return
    }
    case 'scatter': {
      const { lanes, how } = does
      const count = node.inputs[0]!.size / (lanes.outer * lanes.inner)
      write(code.SCATTER, first(reads[0]!), at(node), lanes.outer, lanes.length, lanes.inner, count)
      write(first(reads[1]!), reads[1]!.stored.dtype === 'uint32' ? 1 : 0)
      const accumulate = how.accumulate === 'float64' ? undefined : how.accumulate
      write(stepsOf(how)!, roundingOf(node.dtype)!, record(accumulate), record(node.dtype), to.roomAt)
      return
    }
    case 'call':
      throw new Error('compile: a call is written by whoever keeps them')
  }
}

/** From where to where some of the lanes [outer, length, inner] go, and their lengths. */
function lanesOf(to: Writer, from: Place, node: Node, lanes: Lanes, share: WorkRange): readonly Address[] {
  const { outer, length, inner } = lanes
  const first = share.from * band
  const width = widthOf(node.dtype)
  const perLane = node.size / outer
  const given = plus(firstOf(to, from), first * length * inner * widthOf(from.stored.dtype))
  const count = Math.min(outer, share.to * band) - first
  return [given, plus(to.at(node), first * perLane * width), count, length, inner]
}

/** The same of all lanes from a column on, where they begin side by side. */
function columnsOf(
  to: Writer,
  from: Place,
  node: Node,
  { length, inner }: Lanes,
  share: WorkRange,
): readonly Address[] {
  const skipped = share.from * sideBySide * widthOf(node.dtype)
  return [plus(firstOf(to, from), skipped), plus(to.at(node), skipped), 1, length, inner]
}

/** The products of a step: how many, how many rows each has, and from row to row of all where they are one product. */
function rowsOf(
  node: Node,
  reads: readonly Place[],
): { readonly count: number; readonly height: number; readonly step: number | undefined } {
  const [a, b] = reads as [Place, Place]
  const m = node.shape.at(-2)!
  const batch = node.shape.slice(0, -2)
  // Where all rows meet one matrix they are rows of one product, as far as they lie evenly.
  const [ofA, ofB] = [matrices(a, batch), matrices(b, batch)]
  const rows = collapsed({
    ...{ ...ofA, shape: [...batch, m] },
    strides: [...ofA.strides, a.view.strides.at(-2)!],
  })
  const isOne = ofB.strides.every((stride, axis) => stride === 0 || batch[axis] === 1)
  const [step] = rows.shape.length === 1 && isOne ? rows.strides : []
  const [count, height] = step === undefined ? [sizeOf(batch), m] : [1, sizeOf(batch) * m]
  return { count, height, step }
}

/** The matrices of an operand, whose own two axes are left out. */
function matrices({ view: { start, shape, strides } }: Place, batch: readonly number[]): View {
  return broadcastView({ start, shape: shape.slice(0, -2), strides: strides.slice(0, -2) }, batch)
}

function emitMatmul(
  { write, constant, at, record, roomAt }: Writer,
  node: Node,
  reads: readonly Place[],
  share: WorkRange,
): void {
  const [a, b] = reads as [Place, Place]
  const n = node.shape.at(-1)!
  const k = a.view.shape.at(-1)!
  const batch = node.shape.slice(0, -2)
  const [aRow, aColumn] = a.view.strides.slice(-2) as [number, number]
  const [bRow, bColumn] = b.view.strides.slice(-2) as [number, number]
  const { count, height, step } = rowsOf(node, reads)
  const starts = (view: View): Address => {
    const list = step === undefined ? placesOf(view) : [view.start]
    const all = constant(`starts ${list.join()}`, () => list)
    return count === 1 ? all : plus(all, share.from * 4)
  }
  // A share of one product is some of its rows, of several some of them.
  const first = count === 1 ? share.from * band : 0
  const rows = count === 1 ? Math.min(height, share.to * band) - first : height
  const items = count === 1 ? 1 : share.to - share.from
  const skipped = count === 1 ? first : share.from * height
  const rowStep = step ?? aRow
  const rounding = roundingOf(node.dtype)!
  const checks = node.dtype === 'bfloat16' ? 1 : 0
  write(code.GEMM, plus(at(a.stored), first * rowStep * 4), rowStep, aColumn, at(b.stored), bRow, bColumn)
  write(plus(at(node), skipped * n * 4), rows, k, n, rounding, record(node.dtype), checks, roomAt, items)
  write(starts(matrices(a, batch)), starts(matrices(b, batch)))
}
