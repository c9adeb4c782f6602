import { sizeOf } from '../tensor/index.js'
import type { Node } from './graph.js'
import * as code from './opcodes.js'
import { type NodeStep, type Place, stepsOf } from './schedule.js'
import { type Address, plus, type Relative } from './slots.js'
import { roundingOf, widthOf } from './values.js'
import { broadcastView, collapsed, placesOf, type View } from './view.js'

/** Elements of a block of a loop: what a few values of one take stays in the first-level cache. */
export const blockElements = 1024

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

/** Writes the words of a step that is no loop and no call. */
export function emitStep(to: Writer, { node, reads, does }: NodeStep): void {
  const { write, constant, at, record, viewRecord } = to
  const first = (place: Place): Address => firstOf(to, place)
  switch (does.kind) {
    case 'matmul':
      emitMatmul(to, node, reads)
      return
    case 'sum':
    case 'cumsum': {
      const { lanes, how } = does
      const accumulate = how.accumulate === 'float64' ? undefined : how.accumulate
      const opcode = does.kind === 'sum' ? code.SUM : code.CUMSUM
      write(opcode, first(reads[0]!), at(node), lanes.outer, lanes.length, lanes.inner)
      write(stepsOf(how)!, roundingOf(node.dtype) ?? 0, record(accumulate), record(node.dtype))
      if (does.kind === 'sum') write(does.divisor, node.dtype === 'float64' ? 1 : 0)
      return
    }
    case 'extremum': {
      const { lanes, largest } = does
      write(code.EXTREMUM, first(reads[0]!), at(node), lanes.outer, lanes.length, lanes.inner)
      write(largest ? 1 : 0, node.dtype === 'float64' ? 1 : 0)
      return
    }
    case 'copy': {
      const { stored, view } = reads[0]!
      const wide = widthOf(node.dtype) === 8
      write(code.GROUP, node.size, blockElements, 24, wide ? code.LOAD64 : code.LOAD)
      write(plus(at(node), wide ? 2 : 1), at(stored), 0, 0, viewRecord(collapsed(view)))
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

function emitMatmul(
  { write, constant, at, record, roomAt }: Writer,
  node: Node,
  reads: readonly Place[],
): void {
  const [a, b] = reads as [Place, Place]
  const [m, n] = node.shape.slice(-2) as [number, number]
  const k = a.view.shape.at(-1)!
  const batch = node.shape.slice(0, -2)
  /** The matrices of an operand, whose own two axes are left out. */
  const matrices = ({ view: { start, shape, strides } }: Place): View =>
    broadcastView({ start, shape: shape.slice(0, -2), strides: strides.slice(0, -2) }, batch)
  const [ofA, ofB] = [matrices(a), matrices(b)]
  const [aRow, aColumn] = a.view.strides.slice(-2) as [number, number]
  const [bRow, bColumn] = b.view.strides.slice(-2) as [number, number]
  // Where all rows meet one matrix they are rows of one product, as far as they lie evenly.
  const rows = collapsed({ ...ofA, shape: [...batch, m], strides: [...ofA.strides, aRow] })
  const isOne = ofB.strides.every((stride, axis) => stride === 0 || batch[axis] === 1)
  const [step] = rows.shape.length === 1 && isOne ? rows.strides : []
  const starts = (view: View): Relative => {
    const list = step === undefined ? placesOf(view) : [view.start]
    return constant(`starts ${list.join()}`, () => list)
  }
  const [count, height] = step === undefined ? [sizeOf(batch), m] : [1, sizeOf(batch) * m]
  const rounding = roundingOf(node.dtype)!
  const checks = node.dtype === 'bfloat16' ? 1 : 0
  write(code.GEMM, at(a.stored), step ?? aRow, aColumn, at(b.stored), bRow, bColumn, at(node), height, k)
  write(n, rounding, record(node.dtype), checks, roomAt, count, starts(ofA), starts(ofB))
}
