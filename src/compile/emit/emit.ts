import { sizeOf } from '../../tensor/index.js'
import { planMemory, spaced } from '../engine/memory.js'
import * as code from '../engine/opcodes.js'
import { type Graph, moves, type Node } from '../graph/graph.js'
import { wordsOf } from '../graph/inside.js'
import type { Instruction, Parameter } from '../graph/lowering.js'
import { bytesOutside, edgeOf, formatWords, hasRecord, widthOf } from '../graph/values.js'
import { broadcastView, collapsed, type View } from '../graph/view.js'
import { blockElements, blockOf, emitStep, firstOf, roomOf, unitsOf, type Writer } from './emitStep.js'
import type { Edge, Emitted, HostCall } from './emitted.js'
import { lastReads } from './lives.js'
import { inPasses, isAlong, planEdges } from './planEdges.js'
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
import { signedNaNs } from './signedNaNs.js'
import { type Address, assignSlots, type Line, type Operand, plus, type Relative } from './slots.js'
import { dealt, type Share, sharesOf, Words, whole } from './words.js'

/** Where tables of functions lie, which programs share. */
export type TableAt = (parameter: Extract<Parameter, { kind: 'table' }>) => number

/** Where the tables lie by which codes of up to 8 bits come in, and the records by which they go out. */
export type EdgeTables = (dtype: Node['dtype']) => { readonly enter: number; readonly leave: number }

// No bit operation: addresses go up to 2^32.
const up32 = (n: number): number => Math.ceil(n / 32) * 32

/** Room for the elements of a value, and for what an instruction that takes sixteen at a time may write behind the last one. */
function roomFor(size: number, bytes: number): number {
  return up32(size * bytes) + 64
}

/** Where an instruction writes that only looks. */
const nowhere: Operand = { from: 0, along: 0 }

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
  const edges = inside ? inPasses : planEdges(graph, plan)
  const signed = signedNaNs(graph)
  /** Bytes of an element where it lies in memory. */
  const bytesOf = (node: Node): 1 | 2 | 4 | 8 =>
    (edges.codes.has(node) ? bytesOutside(node.dtype) : undefined) ?? widthOf(node.dtype)
  const readers = lastReads(graph, plan, inside)
  const stored = [...readers.keys()].filter((node) => node.source.kind !== 'constant')
  const needs = stored.map((node) => ({ bytes: roomFor(node.size, bytesOf(node)), ...readers.get(node)! }))
  const memory = planMemory(needs)
  const start = spaced(base)
  const address = new Map(stored.map((node, i) => [node, start + memory.offsets[i]!]))
  const roomAt = spaced(start + memory.bytes)
  const room = spaced(Math.max(0, ...steps.map((step) => (isLoop(step) || isScan(step) ? 0 : roomOf(step)))))
  const slotsAt = spaced(roomAt + room * threads)

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

  const tableFor = (node: Node, way: 'enter' | 'leave'): Address =>
    edgeOf(node.dtype) === code.BYTES ? edgeTables(node.dtype)[way] : 0

  function emitLoop(step: LoopStep): void {
    const { shape, nodes } = step
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

    function parameterWord(node: Node, parameter: Parameter | undefined): Address {
      if (!parameter) return 0
      if (parameter.kind === 'format') return record(parameter.dtype)
      if (parameter.kind === 'table') return tableAt(parameter)
      if (parameter.kind === 'number') return parameter.number
      calls.push({ kind: 'block', node })
      return calls.length - 1
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
    const bytes = spaced(block * (wide ? 8 : 4) + 64)
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
        for (const { opcode, to, reads, parameter, quiet } of list) {
          write(opcode, word(to), word(reads[0]), word(reads[1]), quiet ? 1 : word(reads[2]), parameter)
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
      for (const node of dealt(nodes, shares.length, ({ size }) => size)[part]!) {
        write(opcode, at(node), node.size, edgeOf(node.dtype), tableFor(node, way))
      }
    })
    split.pop()
  }
  const inputs = stored.filter(({ source, size }) => source.kind === 'argument' && size > 0)
  const looked = new Set([...edges.looks.values()].flat())
  if (!inside) {
    const passing = inputs.filter((node) => !edges.codes.has(node) && !looked.has(node))
    emitEdges(code.ENTER, passing, 'enter')
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
      if (signed.has(step.node) && step.does.kind !== 'copy' && !moves(step.node)) {
        write(code.LOOK, at(step.node), step.node.size)
      }
    }
  }
  starts.push(words.length)
  const outputs = [...new Set(graph.outputs.map((node) => placeOf(node).stored))].filter(
    ({ source, size }) => source.kind !== 'argument' && source.kind !== 'constant' && size > 0,
  )
  if (!inside) {
    const passing = outputs.filter((node) => !edges.codes.has(node) && !edges.left.has(node))
    emitEdges(code.LEAVE, passing, 'leave')
  }
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
  const placed = (nodes: readonly Node[]): Edge[] =>
    nodes.map((node) => ({ node, at: address.get(node)!, codes: edges.codes.has(node) }))
  return {
    imageAt,
    image,
    enterAt: wordsAt,
    stepsAt: starts.map((word) => wordsAt + word * 4),
    stored: new Set(stored),
    codes: edges.codes,
    arguments: placed(inputs),
    outputs: placed(outputs),
    results: results.map(place),
    parts: split,
    calls: calls.map((call) => (typeof call === 'function' ? call(resolve) : call)),
    end: wordsAt + laid.words.length * 4,
    valueBytes: memory.bytes,
    unplannedBytes: needs.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

/** Addresses that are known when all is written. */
interface Resolve {
  place(address: Address): number
  partAt(part: number): number
}

/** What a value kept in float32 within a loop is rounded by where it is stored. */
function toBfloat16(loop: readonly Instruction[]): Instruction {
  return { opcode: code.ROUND + code.TO_BFLOAT16, reads: [{ before: loop.length - 1 }], width: 4 }
}
