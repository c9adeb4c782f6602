import type { Block, Module, Operation, Value } from '../../programs/stablehlo/index.js'
import { devicesOf } from './meshAxes.js'

/** What is done with each operation that a program runs. */
export interface ProgramVisitor {
  /** An operation, and how often it runs; with `perDevice` its shapes are those of one of so many devices (shard_map). */
  readonly operation: (op: Operation, times: number, perDevice: number) => void
  /** Values that are others under another name: arguments of a call, of a loop, their results. */
  readonly alias?: (from: readonly Value[], to: readonly Value[]) => void
  /** A loop whose rounds are not known: its body is visited once. */
  readonly unknownLoop?: (op: Operation) => void
}

/** Visits the operations of a function in order, those of calls and loops as often as they run. Of a choice the longest branch runs. */
export function walkProgram(module: Module, name: string, visitor: ProgramVisitor): void {
  const { operation, alias = () => {}, unknownLoop = () => {} } = visitor

  function visit(block: Block, times: number, perDevice: number, depth: number): void {
    if (depth > 64) return
    const makers = new Map<Value, Operation>()
    const into = (inner: Block, op: Operation, runs: number, devices: number = perDevice): void => {
      if (inner.arguments.length > 0) alias(op.operands, inner.arguments)
      visit(inner, runs, devices, depth + 1)
      const last = inner.operations.at(-1)
      if (last?.name.endsWith('.return') && last.operands.length === op.results.length) {
        alias(last.operands, op.results)
      }
    }
    for (const op of block.operations) {
      for (const result of op.results) makers.set(result, op)
      if (op.name.endsWith('.return')) continue
      operation(op, times, perDevice)
      if (op.name === 'func.call' || op.name === 'stablehlo.composite') {
        const callee = op.attributes['callee'] ?? op.attributes['decomposition']
        const func = callee?.kind === 'symbol' ? module.functions.get(callee.name) : undefined
        const inner = func?.body.blocks[0]
        if (inner) into(inner, op, times)
      } else if (op.name === 'stablehlo.while') {
        const rounds = roundsOf(op, makers)
        if (rounds === undefined) unknownLoop(op)
        for (const { blocks } of op.regions) {
          for (const inner of blocks) into(inner, op, times * (rounds ?? 1))
        }
      } else if (op.name === 'stablehlo.case' || op.name === 'stablehlo.if') {
        // One of them runs: the longest stands for it.
        const longest = op.regions
          .flatMap(({ blocks }) => blocks)
          .sort((a, b) => b.operations.length - a.operations.length)[0]
        if (longest) into(longest, op, times)
      } else if (op.name === 'sdy.manual_computation') {
        const devices = devicesOf(module)
        for (const inner of op.regions[0]?.blocks ?? []) visit(inner, times * devices, devices, depth + 1)
      } else if (op.name === 'sdy.named_computation') {
        for (const inner of op.regions[0]?.blocks ?? []) into(inner, op, times)
      }
    }
  }

  const main = module.functions.get(name)?.body.blocks[0]
  if (main) visit(main, 1, 1, 0)
}

/** How often a loop runs that counts from a constant up to a constant, as scan and fori_loop write it. */
function roundsOf(op: Operation, makers: ReadonlyMap<Value, Operation>): number | undefined {
  const condition = op.regions[0]?.blocks[0]
  if (!condition) return undefined
  const inner = new Map(
    condition.operations.flatMap((each) => each.results.map((result) => [result, each] as const)),
  )
  const test = inner.get(condition.operations.at(-1)?.operands[0] as Value)
  const direction = test?.attributes['comparison_direction']
  if (test?.name !== 'stablehlo.compare' || direction?.kind !== 'dialect' || direction.text !== 'LT') {
    return undefined
  }
  const [counter, limit] = test.operands
  const place = condition.arguments.indexOf(counter!)
  const from = constantOf(makers.get(op.operands[place] as Value))
  const to = constantOf(inner.get(limit!) ?? makers.get(limit!))
  return from === undefined || to === undefined ? undefined : Math.max(0, to - from)
}

function constantOf(op: Operation | undefined): number | undefined {
  const value = op?.name === 'stablehlo.constant' ? op.attributes['value'] : undefined
  if (value?.kind !== 'denseElements' || !/^u?i(32|64)$/.test(value.type.element)) return undefined
  const view = new DataView(value.bytes.buffer, value.bytes.byteOffset, value.bytes.byteLength)
  return value.type.element.endsWith('64') ? Number(view.getBigInt64(0, true)) : view.getInt32(0, true)
}
