import { sizeOf } from '../../tensor/index.js'
import { planMemory, roomFor, spaced, up32 } from '../engine/memory.js'
import * as code from '../engine/opcodes.js'
import { type Graph, moves, type Node } from '../graph/graph.js'
import { hasOddNaN, wordsOf } from '../graph/inside.js'
import type { Parameter } from '../graph/lowering.js'
import { edgeOf, formatWords, hasRecord } from '../graph/values.js'
import type { View } from '../graph/view.js'
import { emitStep, firstOf, roomOf, unitsOf, type Writer } from './emitStep.js'
import type { Edge, EdgeTables, Emitted, HostCall, Streamed, TableAt } from './emitted.js'
import {
  InstructionBuffer,
  partitionBySize,
  splitRange,
  type WorkRange,
  wholeRange,
} from './instructionBuffer.js'
import { lastReads } from './lives.js'
import { type LoopPlaces, loopLines } from './loopLines.js'
import { bytesEach, inPasses, planEdges } from './planEdges.js'
import { mostInTile, planStreams, type Stream, tileOf } from './planStreams.js'
import { isLoop, isScan, type LoopStep, type NodeStep, type ScanStep, type Schedule } from './schedule.js'
import { signedNaNs } from './signedNaNs.js'
import { type Address, assignSlots, type Line, type Operand, plus, type Relative } from './slots.js'

/** Nanoseconds of one instruction on one element, about, and of one element on its way in or out. */
const perInstruction = 0.3
const perEdge = 0.3

/** How a program is to be written. */
interface Emitting {
  readonly inside?: boolean
  readonly threads?: number
  /** Results that are to lie in memory until the end; without it all, and arguments from the beginning. */
  readonly stays?: (result: Node) => boolean
}

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
  { inside = false, threads = 1, stays }: Emitting,
): Emitted {
  const { steps, placeOf } = plan
  const edges = inside ? inPasses : planEdges(graph, plan)
  const signed = signedNaNs(graph)
  /** Bytes of an element where it lies in memory. */
  const bytesOf = (node: Node): 1 | 2 | 4 | 8 => bytesEach(edges, node)
  const readers = lastReads(graph, plan, inside)
  const isOne = !inside && threads === 1
  const streams = isOne && stays ? planStreams(graph, plan, edges, stays) : new Map<LoopStep, Stream>()
  const streamed = new Set<Node>()
  for (const [step, { ins, outs }] of streams) {
    const at = steps.indexOf(step) + 1
    for (const node of [...ins, ...outs]) {
      streamed.add(node)
      readers.set(node, { from: at, to: at })
    }
  }
  const stored = [...readers.keys()].filter((node) => node.source.kind !== 'constant')
  const elementsOf = (node: Node): number =>
    streamed.has(node) ? Math.min(node.size, mostInTile) : node.size
  const needs = stored.map((node) => ({
    ...{ bytes: roomFor(elementsOf(node), bytesOf(node)), ...readers.get(node)! },
  }))
  const memory = planMemory(needs)
  const start = spaced(base)
  const address = new Map(stored.map((node, i) => [node, start + memory.offsets[i]!]))
  const roomAt = spaced(start + memory.bytes)
  const room = spaced(Math.max(0, ...steps.map((step) => (isLoop(step) || isScan(step) ? 0 : roomOf(step)))))
  const slotsAt = spaced(roomAt + room * threads)

  const constants: number[] = []
  const constantAt = new Map<string, number>()
  const words = new InstructionBuffer()
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
  function inParts(shares: readonly WorkRange[], each: (share: WorkRange, part: number) => void): void {
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

  function parameterWord(node: Node, parameter: Parameter | undefined): Address {
    if (!parameter) return 0
    if (parameter.kind === 'format') return record(parameter.dtype)
    if (parameter.kind === 'table') return tableAt(parameter)
    if (parameter.kind === 'number') return parameter.number
    calls.push({ kind: 'block', node })
    return calls.length - 1
  }

  const places: LoopPlaces = {
    ...{ threads, edges, signed, bytesOf, at, tableFor, viewRecord, parameterWord },
    isStored: (node) => readers.has(node),
  }

  function emitLoop(step: LoopStep): void {
    const { before, body, block, wide } = loopLines(step, places)
    const total = sizeOf(step.shape)
    const bytes = spaced(block * (wide ? 8 : 4) + 64)
    const own = assignSlots(before, body) * bytes
    slotBytes = Math.max(slotBytes, own * threads)
    const units = Math.ceil(total / block)
    // Kernels in JavaScript are on the caller's thread alone.
    const stays = body.some(({ opcode }) => opcode === code.HOST)
    const shares = stays
      ? wholeRange(units)
      : splitRange(threads, units, body.length * total * perInstruction)
    const stream = streams.get(step)
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
      if (stream) {
        const number = words.part(() => {
          lines(body, 0, total)
          write(code.END)
        })
        emitStream(stream, body, number, { size: total, tile: tileOf(block) })
      } else if (body.length > 0) {
        lines(body, from * block, Math.min(total, end * block))
      }
    })
  }

  /** Calls a loop, a part by its number, tile by tile. */
  function emitStream(
    { ins, outs }: Stream,
    body: readonly Line[],
    part: number,
    sizes: { readonly size: number; readonly tile: number },
  ): void {
    const placed = (node: Node): Streamed => {
      const from = address.get(node)!
      const standing = body.flatMap(({ to, reads }, i) =>
        // Behind the five words of the group, six to a line, the first of which is its opcode.
        [to, ...reads].flatMap((operand, k) =>
          'from' in operand && operand.from === from ? [6 * i + 6 + k] : [],
        ),
      )
      return { node, at: from, along: bytesOf(node), words: standing }
    }
    calls.push(({ partAt }) => ({
      ...{ kind: 'stream', place: partAt(part), ...sizes },
      ...{ ins: ins.map(placed), outs: outs.map(placed) },
    }))
    write(code.CALL, calls.length - 1)
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
    const shares = splitRange(threads, nodes.length, total * perEdge)
    inParts(shares, (_, part) => {
      for (const node of partitionBySize(nodes, shares.length, ({ size }) => size)[part]!) {
        write(opcode, at(node), node.size, edgeOf(node.dtype), tableFor(node, way))
      }
    })
    split.pop()
  }
  const inputs = stored.filter(
    (node) => node.source.kind === 'argument' && node.size > 0 && !streamed.has(node),
  )
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
        inParts(splitRange(threads, units, nanoseconds), (share, part) => emitStep(writer(part), step, share))
      }
      if (signed.has(step.node) && step.does.kind !== 'copy' && !moves(step.node)) {
        write(code.CHECK_NAN, at(step.node), step.node.size)
      }
    }
  }
  starts.push(words.length)
  const outputs = [...new Set(graph.outputs.map((node) => placeOf(node).stored))].filter(
    (node) =>
      node.source.kind !== 'argument' &&
      node.source.kind !== 'constant' &&
      node.size > 0 &&
      !streamed.has(node),
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
  const linked = words.link(imageAt)
  const image = new Uint32Array(constants.length + linked.words.length)
  image.set(constants)
  image.set(linked.words, constants.length)
  const place = (address: Address): number =>
    typeof address === 'number' ? address : address.offset + imageAt
  const resolve: Resolve = { place, partAt: (part) => wordsAt + linked.parts[part]! * 4 }
  const placed = (nodes: readonly Node[]): Edge[] =>
    nodes.map((node) => ({ node, at: address.get(node)!, codes: edges.codes.has(node) }))
  return {
    imageAt,
    image,
    enterAt: wordsAt,
    stepsAt: starts.map((word) => wordsAt + word * 4),
    stored: new Set(stored),
    codes: edges.codes,
    streamed,
    arguments: placed(inputs),
    outputs: placed(outputs),
    results: results.map(place),
    parts: split,
    strange: graph.nodes.some(({ source }) => source.kind === 'constant' && hasOddNaN(source.tensor)),
    calls: calls.map((call) => (typeof call === 'function' ? call(resolve) : call)),
    end: wordsAt + linked.words.length * 4,
    valueBytes: memory.bytes,
    unplannedBytes: needs.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

/** Addresses that are known when all is written. */
interface Resolve {
  place(address: Address): number
  partAt(part: number): number
}
