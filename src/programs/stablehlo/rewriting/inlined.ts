import type { Block, Func, Location, Module, Operation, Region, Value } from '../module.js'
import { keyword } from '../values/attributes.js'

/** A module of more operations than this stays as it is where inlining would make it so. */
const most = 1_000_000

/** Calls nested deeper than this are a damaged text. */
const deepest = 64

/**
 * A function of a module with every call replaced by what the function that is called does, as XLA has it before it looks at a
 * program. What calls itself, or would grow beyond all measure, keeps its calls.
 */
export function inlined(module: Module, func: Func): Func {
  let made = 0

  function regionOf(
    region: Region,
    values: Map<Value, Value>,
    caller: Location | undefined,
    open: readonly string[],
  ): Region {
    return { blocks: region.blocks.map((block) => blockOf(block, values, caller, open)) }
  }

  function blockOf(
    block: Block,
    values: Map<Value, Value>,
    caller: Location | undefined,
    open: readonly string[],
  ): Block {
    const own = block.arguments.map((argument) => renewed(argument, values, caller))
    return { arguments: own, operations: operationsOf(block, values, caller, open) }
  }

  function operationsOf(
    { operations }: Block,
    values: Map<Value, Value>,
    caller: Location | undefined,
    open: readonly string[],
  ): Operation[] {
    return operations.flatMap((op) => {
      if (++made > most) throw new RangeError('has more operations than can be inlined')
      const operands = op.operands.map((operand) => values.get(operand) ?? operand)
      const location = locationOf(op, caller)
      const callee = op.name === 'func.call' ? module.functions.get(keyword(op, 'callee')) : undefined
      const [body] = callee?.body.blocks ?? []
      if (callee && body && !open.includes(callee.name) && open.length < deepest) {
        const inner = new Map<Value, Value>(body.arguments.map((argument, i) => [argument, operands[i]!]))
        const copied = operationsOf(body, inner, location, [...open, callee.name])
        const end = copied.pop()
        for (const [i, result] of op.results.entries()) values.set(result, end!.operands[i]!)
        return copied
      }
      const regions = op.regions.map((region) => regionOf(region, values, caller, open))
      const results = op.results.map((result) => renewed(result, values, caller))
      return [{ ...op, operands, results, regions, location }]
    })
  }

  // Values of the function itself are kept; those of a function that is called have to be others at each call.
  function renewed(value: Value, values: Map<Value, Value>, caller: Location | undefined): Value {
    if (caller === undefined) return value
    const own = { ...value }
    values.set(value, own)
    return own
  }

  return { ...func, body: regionOf(func.body, new Map(), undefined, [func.name]) }
}

function locationOf({ location }: Operation, caller: Location | undefined): Location {
  if (caller === undefined) return location
  return { kind: 'callsite', callee: location, caller }
}
