import { sizeOf } from '../../tensor/index.js'
import * as code from '../engine/opcodes.js'
import type { Node } from '../graph/graph.js'
import type { Instruction, Parameter } from '../graph/lowering.js'
import { edgeOf, widthOf } from '../graph/values.js'
import { broadcastView, collapsed, type View } from '../graph/view.js'
import { blockElements, blockOf } from './emitStep.js'
import { type Edges, isAlong } from './planEdges.js'
import type { LoopNode, LoopStep, Place } from './schedule.js'
import { type Address, type Line, type Operand, plus } from './slots.js'

/** What the instructions of a loop name, and where it lies. */
export interface LoopPlaces {
  readonly threads: number
  readonly edges: Edges
  /** The values whose NaNs may come out with a sign. */
  readonly signed: ReadonlySet<Node>
  isStored(node: Node): boolean
  /** Bytes of an element where it lies in memory. */
  bytesOf(node: Node): 1 | 2 | 4 | 8
  at(node: Node): Address
  tableFor(node: Node, way: 'enter' | 'leave'): Address
  viewRecord(view: View): Address
  /** The last word of an instruction. */
  parameterWord(node: Node, parameter: Parameter | undefined): Address
}

/** A loop as instructions. */
export interface LoopLines {
  /** Those that run once, for what is the same in every block. */
  readonly before: readonly Line[]
  readonly body: readonly Line[]
  /** Elements of a block, and whether some of them have 64 bits. */
  readonly block: number
  readonly wide: boolean
}

/** Where an instruction writes that only looks. */
const nowhere: Operand = { from: 0, along: 0 }

/** The instructions of a loop, their registers without slots yet. */
export function loopLines(step: LoopStep, places: LoopPlaces): LoopLines {
  const { shape, nodes } = step
  const { at, bytesOf, edges, isStored, parameterWord, signed, tableFor, threads, viewRecord } = places
  const registers = new Map<Node | string, Operand>()
  const before: Line[] = []
  const body: Line[] = []
  const total = sizeOf(shape)
  const wide = nodes.some(
    ({ node, loop }) =>
      node.inputs.some(({ dtype }) => widthOf(dtype) === 8) ||
      (loop === 'same' ? widthOf(node.dtype) === 8 : loop.some(({ width }) => width === 8)),
  )
  const most = wide ? blockElements / 2 : blockElements
  const row = shape.at(-1) ?? 1
  const block = Math.min(total, blockOf(row, most, threads))

  /** What an operand from outside of the loop is read as. */
  function outside(place: Place): Operand {
    const { stored } = place
    const width = widthOf(stored.dtype)
    const view = collapsed(broadcastView(place.view, shape))
    const key = `${stored.id} ${view.start} ${view.shape.join()} ${view.strides.join()}`
    const known = registers.get(key)
    if (known) return known
    const bytes = bytesOf(stored)
    if (isAlong(place, shape, bytes)) {
      const from: Operand = { from: plus(at(stored), view.start * bytes), along: bytes }
      if (!edges.codes.has(stored)) return from
      const to: Operand = { register: { last: 0, always: false } }
      const opcode = code.READ + edgeOf(stored.dtype)
      body.push({ opcode, to, reads: [from], parameter: tableFor(stored, 'enter') })
      registers.set(key, to)
      return to
    }
    // The same for every block: one element, or whole rows of which a block holds some.
    const repeats =
      view.strides[0] === 0 && (view.shape.length === 1 || block % (total / view.shape[0]!) === 0)
    const to: Operand = { register: { last: 0, always: repeats } }
    const line: Line = {
      opcode: width === 8 ? code.LOAD64 : code.LOAD,
      to,
      reads: [{ from: at(stored), along: 0 }],
      parameter: viewRecord(view),
    }
    if (repeats) before.push(line)
    else body.push(line)
    registers.set(key, to)
    return to
  }

  function operand({ node, reads }: LoopNode, i: number): Operand {
    const place = reads[i]
    return place ? outside(place) : registers.get(node.inputs[i]!)!
  }

  function destination(node: Node): Operand {
    if (!isStored(node) || edges.codes.has(node)) return { register: { last: 0, always: false } }
    return { from: at(node), along: bytesOf(node) }
  }

  /** Writes what goes out as storage has it. */
  function leave(node: Node, result: Operand): void {
    const isCode = edges.codes.has(node)
    if (!isCode && !edges.left.has(node)) return
    const opcode = code.WRITE + edgeOf(node.dtype)
    const to: Operand = { from: at(node), along: bytesOf(node) }
    body.push({ opcode, to, reads: [result], parameter: tableFor(node, 'leave') })
  }

  function instruct(from: LoopNode, instructions: readonly Instruction[]): void {
    const { node, as } = from
    const made: Operand[] = []
    for (const [i, { opcode, reads, parameter }] of instructions.entries()) {
      const operands = reads.map((read) =>
        typeof read === 'number' ? operand(from, read) : made[read.before]!,
      )
      const last = i === instructions.length - 1
      const to = last ? destination(node) : { register: { last: 0, always: false } }
      const quiet = opcode < code.MIN && !signed.has(node)
      body.push({ opcode, to, reads: operands, parameter: parameterWord(as, parameter), quiet })
      made.push(to)
    }
    const result = made.at(-1)!
    // What is rounded to be stored goes on unrounded within the loop.
    registers.set(node, node !== as && isStored(node) ? made.at(-2)! : result)
    if (signed.has(node) && instructions.some(({ opcode }) => opcode === code.TABLE8)) {
      body.push({ opcode: code.CHECK, to: nowhere, reads: [result], parameter: 0 })
    }
    leave(node, result)
  }

  for (const node of edges.looks.get(step) ?? []) {
    const reads: Operand[] = [{ from: at(node), along: 4 }]
    body.push({ opcode: code.READ + code.FLOAT32, to: nowhere, reads, parameter: 0 })
  }
  for (const from of nodes) {
    const { node, as, loop } = from
    if (loop !== 'same') {
      instruct(from, node === as || !isStored(node) ? loop : [...loop, toBfloat16(loop)])
    } else if (!isStored(node)) {
      registers.set(node, operand(from, 0))
    } else {
      const opcode = widthOf(node.dtype) === 8 ? code.COPY64 : code.COPY
      instruct(from, [{ opcode, reads: [0], width: widthOf(node.dtype) }])
    }
  }
  return { before, body, block, wide }
}

/** What a value kept in float32 within a loop is rounded by where it is stored. */
function toBfloat16(loop: readonly Instruction[]): Instruction {
  return { opcode: code.ROUND + code.TO_BFLOAT16, reads: [{ before: loop.length - 1 }], width: 4 }
}
