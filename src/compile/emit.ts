import { sizeOf } from '../tensor/index.js'
import { blockElements, emitStep, firstOf, roomOf, unitsOf, type Writer } from './emitStep.js'
import type { Edge, Emitted, HostCall } from './emitted.js'
import { type Graph, moves, type Node } from './graph.js'
import { wordsOf } from './inside.js'
import { lastReads } from './lives.js'
import type { Instruction, Parameter } from './lowering.js'
import { planMemory } from './memory.js'
import * as code from './opcodes.js'
import {
  isLoop,
  isScan,
  type LoopNode,
  type LoopStep,
  type NodeStep,
  type Place,
  type ScanStep,
  type Schedule,
} from './schedule.js'
import { type Address, assignSlots, type Line, type Operand, plus, type Relative } from './slots.js'
import { edgeOf, formatWords, hasRecord, hasSignedNaN, widthOf } from './values.js'
import { broadcastView, collapsed, type View } from './view.js'
import { type Share, sharesOf, Words, whole } from './words.js'

/** Where tables of functions lie, which programs share. */
export type TableAt = (parameter: Extract<Parameter, { kind: 'table' }>) => number

/** Where the tables lie by which codes of up to 8 bits come in and go out. */
export type EdgeTables = (dtype: Node['dtype']) => { readonly enter: number; readonly leave: number }

// No bit operation: addresses go up to 2^32.
const up32 = (n: number): number => Math.ceil(n / 32) * 32

/** Room for the elements of a value, and for what an instruction that takes sixteen at a time may write behind the last one. */
function bytesOf(node: Node): number {
  return up32(node.size * widthOf(node.dtype)) + 64
}

/** Nanoseconds of one instruction on one element, about, and of one element on its way in or out. */
const perInstruction = 0.3
const perEdge = 0.3

/**
 * Writes a schedule as words of a program whose memory begins at `base`. The body of a loop is `inside` another program: its elements
 * come and go as they lie there, and its arguments stay. Steps with enough to do are split into parts for `threads`, none of which
 * shares a sum, or memory that it writes, with another.
 */
export function emit(
  graph: Graph,
  plan: Schedule,
  base: number,
  tableAt: TableAt,
  edgeTables: EdgeTables,
  { inside = false, threads = 1 }: { readonly inside?: boolean; readonly threads?: number },
): Emitted {
  const { steps, placeOf } = plan
  const readers = lastReads(graph, plan, inside)
  const stored = [...readers.keys()].filter((node) => node.source.kind !== 'constant')
  const needs = stored.map((node) => ({ bytes: bytesOf(node), ...readers.get(node)! }))
  const memory = planMemory(needs)
  const address = new Map(stored.map((node, i) => [node, base + memory.offsets[i]!]))
  const roomAt = base + up32(memory.bytes)
  const room = up32(Math.max(0, ...steps.map((step) => (isLoop(step) || isScan(step) ? 0 : roomOf(step)))))
  const slotsAt = roomAt + room * threads

  const constants: number[] = []
  const constantAt = new Map<string, number>()
  const words = new Words()
  const write = words.write.bind(words)
  const calls: (HostCall | ((resolve: Resolve) => HostCall))[] = []
  const split: number[] = []
  let slotBytes = 0

  function constant(key: string, make: () => Iterable<number>): Relative {
    let offset = constantAt.get(key)
    if (offset === undefined) {
      while (constants.length % 8 !== 0) constants.push(0)
      offset = constants.length * 4
      for (const word of make()) constants.push(word)
      // What a vector may read beyond the last element.
      for (let i = 0; i < 8; i++) constants.push(0)
      constantAt.set(key, offset)
    }
    return { offset }
  }

  function at(node: Node): Address {
    const { source } = node
    if (source.kind !== 'constant') return address.get(node)!
    return constant(`constant ${node.id}`, () => wordsOf(source.tensor))
  }

  /** Writes a step once for each share of it. */
  function inParts(shares: readonly Share[], each: (share: Share, part: number) => void): void {
    split.push(shares.length)
    if (shares.length === 1) {
      each(shares[0]!, 0)
      return
    }
    const parts = shares.map((share, i) =>
      words.part(() => {
        each(share, i)
        write(code.END)
      }),
    )
    calls.push(({ partAt }) => ({ kind: 'parts', places: parts.map(partAt) }))
    write(code.CALL, calls.length - 1)
  }

  function record(dtype: Node['dtype'] | undefined): Address {
    return dtype !== undefined && hasRecord(dtype) ? constant(`format ${dtype}`, () => formatWords(dtype)) : 0
  }

  function viewRecord({ start, shape, strides }: View): Address {
    return constant(`view ${start} ${shape.join()} ${strides.join()}`, () => {
      const axes = shape.map((length, axis) => [length, strides[axis]!, sizeOf(shape.slice(axis + 1))])
      return [shape.length, start, ...axes.flat()]
    })
  }

  function emitLoop({ shape, nodes }: LoopStep): void {
    const isStored = (node: Node): boolean => readers.has(node)
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
    const block = Math.min(total, threads > 1 ? evenBlock(row, most) : wholeRows(row, most))

    /** What an operand from outside of the loop is read as. */
    function outside(place: Place): Operand {
      const width = widthOf(place.stored.dtype)
      const view = collapsed(broadcastView(place.view, shape))
      const along = view.strides.length === 1 && view.strides[0] === 1 && view.start % (16 / width) === 0
      if (along) {
        const from = plus(at(place.stored), view.start * width)
        return { from, along: width === 8 ? 2 : 1 }
      }
      const key = `${place.stored.id} ${view.start} ${view.shape.join()} ${view.strides.join()}`
      const known = registers.get(key)
      if (known) return known
      // The same for every block: one element, or whole rows of which a block holds some.
      const repeats =
        view.strides[0] === 0 && (view.shape.length === 1 || block % (total / view.shape[0]!) === 0)
      const to: Operand = { register: { last: 0, always: repeats } }
      const line: Line = {
        opcode: width === 8 ? code.LOAD64 : code.LOAD,
        to,
        reads: [{ from: at(place.stored), along: 0 }],
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
      if (!isStored(node)) return { register: { last: 0, always: false } }
      return { from: at(node), along: widthOf(node.dtype) === 8 ? 2 : 1 }
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
        body.push({ opcode, to, reads: operands, parameter: parameterWord(as, parameter) })
        made.push(to)
      }
      const result = made.at(-1)!
      // What is rounded to be stored goes on unrounded within the loop.
      registers.set(node, node !== as && isStored(node) ? made.at(-2)! : result)
      if (hasSignedNaN(node.dtype) && instructions.some(({ opcode }) => opcode === code.TABLE8)) {
        body.push({ opcode: code.CHECK, to: { from: 0, along: 0 }, reads: [result], parameter: 0 })
      }
    }

    function parameterWord(node: Node, parameter: Parameter | undefined): Address {
      if (!parameter) return 0
      if (parameter.kind === 'format') return record(parameter.dtype)
      if (parameter.kind === 'table') return tableAt(parameter)
      if (parameter.kind === 'number') return parameter.number
      calls.push({ kind: 'block', node })
      return calls.length - 1
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
    const bytes = up32(block * (wide ? 8 : 4)) + 64
    const own = assignSlots(before, body) * bytes
    slotBytes = Math.max(slotBytes, own * threads)
    const units = Math.ceil(total / block)
    // Kernels in JavaScript are on the caller's thread alone.
    const stays = body.some(({ opcode }) => opcode === code.HOST)
    const shares = stays ? whole(units) : sharesOf(threads, units, body.length * total * perInstruction)
    inParts(shares, ({ from, to: end }, part) => {
      const word = (operand: Operand | undefined): Address => {
        if (!operand) return 0
        if ('register' in operand) return slotsAt + part * own + operand.register.slot! * bytes
        return plus(operand.from, operand.along)
      }
      const lines = (list: readonly Line[], first: number, last: number): void => {
        write(code.GROUP, first, last, block, list.length * 24)
        for (const { opcode, to, reads, parameter } of list) {
          write(opcode, word(to), word(reads[0]), word(reads[1]), word(reads[2]), parameter)
        }
      }
      if (before.length > 0) lines(before, 0, block)
      if (body.length > 0) lines(body, from * block, Math.min(total, end * block))
    })
  }

  /** What writes a part of a step, whose room is its own. */
  const writer = (part: number): Writer => ({
    ...{ write, constant, at, record, viewRecord },
    roomAt: roomAt + part * room,
  })

  function emitCall({ node, reads }: NodeStep): void {
    const inputs = node.inputs.map((input, i): Edge => {
      const from = firstOf(writer(0), reads[i]!)
      // A constant is a tensor already.
      return { node: input, at: typeof from === 'number' ? from : -1 }
    })
    split.push(1)
    calls.push({ kind: 'step', node, inputs, at: address.get(node)! })
    write(code.CALL, calls.length - 1)
  }

  function emitScan(step: ScanStep): void {
    const inputs = step.reads.map((place) => firstOf(writer(0), place))
    split.push(1)
    calls.push(({ place }) => ({
      ...{ kind: 'scan', step, inputs: inputs.map(place) },
      results: step.results.map((result) => address.get(result)!),
    }))
    write(code.CALL, calls.length - 1)
  }

  /** Elements on their way in or out: whole values to each thread, since they grow or shrink where they lie. */
  function emitEdges(opcode: number, nodes: readonly Node[], way: 'enter' | 'leave'): void {
    const total = nodes.reduce((sum, { size }) => sum + size, 0)
    const shares = sharesOf(threads, nodes.length, total * perEdge)
    inParts(shares, (_, part) => {
      for (const node of dealt(nodes, shares.length)[part]!) {
        const kind = edgeOf(node.dtype)
        const table = kind === code.BYTES ? edgeTables(node.dtype)[way] : 0
        write(opcode, at(node), node.size, kind, table)
      }
    })
    split.pop()
  }
  const inputs = stored.filter(({ source, size }) => source.kind === 'argument' && size > 0)
  if (!inside) {
    emitEdges(code.ENTER, inputs, 'enter')
    write(code.BAIL)
  }
  const starts: number[] = []
  for (const step of steps) {
    starts.push(words.length)
    if (isLoop(step)) {
      emitLoop(step)
    } else if (isScan(step)) {
      emitScan(step)
    } else {
      if (step.does.kind === 'call') {
        emitCall(step)
      } else {
        const { units, nanoseconds } = unitsOf(step)
        inParts(sharesOf(threads, units, nanoseconds), (share, part) => emitStep(writer(part), step, share))
      }
      if (hasSignedNaN(step.node.dtype) && step.does.kind !== 'copy' && !moves(step.node)) {
        write(code.LOOK, at(step.node), step.node.size)
      }
    }
  }
  starts.push(words.length)
  const outputs = [...new Set(graph.outputs.map((node) => placeOf(node).stored))].filter(
    ({ source, size }) => source.kind !== 'argument' && source.kind !== 'constant' && size > 0,
  )
  if (!inside) emitEdges(code.LEAVE, outputs, 'leave')
  write(code.END)

  const results = inside ? graph.outputs.map((node) => at(placeOf(node).stored)) : []
  const imageAt = slotsAt + up32(slotBytes)
  while (constants.length % 8 !== 0) constants.push(0)
  const wordsAt = imageAt + constants.length * 4
  const laid = words.laid(imageAt)
  const image = new Uint32Array(constants.length + laid.words.length)
  image.set(constants)
  image.set(laid.words, constants.length)
  const place = (address: Address): number =>
    typeof address === 'number' ? address : address.offset + imageAt
  const resolve: Resolve = { place, partAt: (part) => wordsAt + laid.parts[part]! * 4 }
  const edges = (nodes: readonly Node[]): Edge[] => nodes.map((node) => ({ node, at: address.get(node)! }))
  return {
    imageAt,
    image,
    enterAt: wordsAt,
    stepsAt: starts.map((word) => wordsAt + word * 4),
    stored: new Set(stored),
    arguments: edges(inputs),
    outputs: edges(outputs),
    results: results.map(place),
    parts: split,
    calls: calls.map((call) => (typeof call === 'function' ? call(resolve) : call)),
    end: wordsAt + laid.words.length * 4,
    valueBytes: memory.bytes,
    unplannedBytes: needs.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

/** Elements of a block: as many rows as it has room for, or a part of one. */
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

/** Addresses that are known when all is written. */
interface Resolve {
  place(address: Address): number
  partAt(part: number): number
}

/** Values in so many lots of about the same size. */
function dealt(nodes: readonly Node[], count: number): readonly (readonly Node[])[] {
  const lots = Array.from({ length: count }, () => ({ size: 0, nodes: [] as Node[] }))
  for (const node of [...nodes].sort((a, b) => b.size - a.size)) {
    const lot = lots.reduce((least, each) => (each.size < least.size ? each : least))
    lot.nodes.push(node)
    lot.size += node.size
  }
  return lots.map(({ nodes }) => nodes)
}

/** What a value kept in float32 within a loop is rounded by where it is stored. */
function toBfloat16(loop: readonly Instruction[]): Instruction {
  return { opcode: code.ROUND + code.TO_BFLOAT16, reads: [{ before: loop.length - 1 }], width: 4 }
}
