import { sizeOf } from '../tensor/index.js'
import { blockElements, emitStep, firstOf, roomOf, type Writer } from './emitStep.js'
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

/**
 * Writes a schedule as words of a program whose memory begins at `base`. The body of a loop is `inside` another program: its elements
 * come and go as they lie there, and its arguments stay.
 */
export function emit(
  graph: Graph,
  plan: Schedule,
  base: number,
  tableAt: TableAt,
  edgeTables: EdgeTables,
  inside = false,
): Emitted {
  const { steps, placeOf } = plan
  const readers = lastReads(graph, plan, inside)
  const stored = [...readers.keys()].filter((node) => node.source.kind !== 'constant')
  const needs = stored.map((node) => ({ bytes: bytesOf(node), ...readers.get(node)! }))
  const memory = planMemory(needs)
  const address = new Map(stored.map((node, i) => [node, base + memory.offsets[i]!]))
  const roomAt = base + up32(memory.bytes)
  const slotsAt =
    roomAt + up32(Math.max(0, ...steps.map((step) => (isLoop(step) || isScan(step) ? 0 : roomOf(step)))))

  const constants: number[] = []
  const constantAt = new Map<string, number>()
  const words: number[] = []
  /** The words that hold offsets among the constants. */
  const relative: number[] = []
  const calls: (HostCall | ((resolve: (address: Address) => number) => HostCall))[] = []
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

  function write(...list: readonly Address[]): void {
    for (const word of list) {
      if (typeof word === 'number') {
        words.push(word)
      } else {
        relative.push(words.length)
        words.push(word.offset)
      }
    }
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
    const block = Math.min(total, row <= most ? Math.floor(most / row) * row : most)

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
    const slots = assignSlots(before, body)
    slotBytes = Math.max(slotBytes, slots * bytes)
    const word = (operand: Operand | undefined): Address => {
      if (!operand) return 0
      if ('register' in operand) return slotsAt + operand.register.slot! * bytes
      return plus(operand.from, operand.along)
    }
    const lines = (list: readonly Line[], count: number): void => {
      write(code.GROUP, count, block, list.length * 24)
      for (const { opcode, to, reads, parameter } of list) {
        write(opcode, word(to), word(reads[0]), word(reads[1]), word(reads[2]), parameter)
      }
    }
    if (before.length > 0) lines(before, block)
    if (body.length > 0) lines(body, total)
  }

  const writer: Writer = { write, constant, at, record, viewRecord, roomAt }

  function emitCall({ node, reads }: NodeStep): void {
    const inputs = node.inputs.map((input, i): Edge => {
      const from = firstOf(writer, reads[i]!)
      // A constant is a tensor already.
      return { node: input, at: typeof from === 'number' ? from : -1 }
    })
    calls.push({ kind: 'step', node, inputs, at: address.get(node)! })
    write(code.CALL, calls.length - 1)
  }

  function emitScan(step: ScanStep): void {
    const inputs = step.reads.map((place) => firstOf(writer, place))
    calls.push((resolve) => ({
      ...{ kind: 'scan', step, inputs: inputs.map(resolve) },
      results: step.results.map((result) => address.get(result)!),
    }))
    write(code.CALL, calls.length - 1)
  }

  const edge = (opcode: number, node: Node, way: 'enter' | 'leave'): void => {
    const kind = edgeOf(node.dtype)
    const table = kind === code.BYTES ? edgeTables(node.dtype)[way] : 0
    write(opcode, at(node), node.size, kind, table)
  }
  const inputs = stored.filter(({ source, size }) => source.kind === 'argument' && size > 0)
  if (!inside) {
    for (const node of inputs) edge(code.ENTER, node, 'enter')
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
      if (step.does.kind === 'call') emitCall(step)
      else emitStep(writer, step)
      if (hasSignedNaN(step.node.dtype) && step.does.kind !== 'copy' && !moves(step.node)) {
        write(code.LOOK, at(step.node), step.node.size)
      }
    }
  }
  starts.push(words.length)
  const outputs = [...new Set(graph.outputs.map((node) => placeOf(node).stored))].filter(
    ({ source, size }) => source.kind !== 'argument' && source.kind !== 'constant' && size > 0,
  )
  if (!inside) for (const node of outputs) edge(code.LEAVE, node, 'leave')
  write(code.END)

  const results = inside ? graph.outputs.map((node) => at(placeOf(node).stored)) : []
  const imageAt = slotsAt + up32(slotBytes)
  while (constants.length % 8 !== 0) constants.push(0)
  const wordsAt = imageAt + constants.length * 4
  for (const i of relative) words[i]! += imageAt
  const image = new Uint32Array(constants.length + words.length)
  image.set(constants)
  image.set(words, constants.length)
  const resolve = (place: Address): number => (typeof place === 'number' ? place : place.offset + imageAt)
  const edges = (nodes: readonly Node[]): Edge[] => nodes.map((node) => ({ node, at: address.get(node)! }))
  return {
    imageAt,
    image,
    enterAt: wordsAt,
    stepsAt: starts.map((word) => wordsAt + word * 4),
    stored: new Set(stored),
    arguments: edges(inputs),
    outputs: edges(outputs),
    results: results.map(resolve),
    calls: calls.map((call) => (typeof call === 'function' ? call(resolve) : call)),
    end: wordsAt + words.length * 4,
    valueBytes: memory.bytes,
    unplannedBytes: needs.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

/** What a value kept in float32 within a loop is rounded by where it is stored. */
function toBfloat16(loop: readonly Instruction[]): Instruction {
  return { opcode: code.ROUND + code.TO_BFLOAT16, reads: [{ before: loop.length - 1 }], width: 4 }
}
