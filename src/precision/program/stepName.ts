import { isConstant } from './constantOf.js'
import type { Program, Step } from './program.js'

/** What an operation is called: its own name and how many of that name ran before it, its number, or a name that one gives. */
export type GroupBy = 'operation' | 'name' | 'site' | ((step: Step, index: number) => string)

/**
 * The name of every step. 'operation': `cumsum#0`, `mul#3`, the fourth multiplication, which is the same one in every run
 * of code that does not branch; 'name': all of one operation, `mul`; 'site': all of one line of the source. A function is
 * given the number of the operation. A constant is part of the operation that reads it: wide, if that is wide.
 */
export function stepNames(program: Program, groupBy: GroupBy): string[] {
  const seen = new Map<string, number>()
  let index = 0
  const names = program.steps.map((step) => {
    if (isConstant(step)) return ''
    if (typeof groupBy === 'function') return groupBy(step, index++)
    if (groupBy === 'site') return step.site ?? step.op.name
    if (groupBy === 'name') return step.op.name
    const count = seen.get(step.op.name) ?? 0
    seen.set(step.op.name, count + 1)
    return `${step.op.name}#${count}`
  })
  const readers = readersOfConstants(program)
  return names.map((name, i) => (readers.has(i) ? (names[readers.get(i)!] ?? name) : name || 'constant'))
}

/** By the number of a step that is a constant, that of the first step which reads it. */
export function readersOfConstants(program: Program): Map<number, number> {
  const n = program.inputs.length
  const readers = new Map<number, number>()
  for (const [i, { operands }] of program.steps.entries()) {
    for (const operand of operands) {
      if (typeof operand !== 'number' || operand < n || readers.has(operand - n)) continue
      if (isConstant(program.steps[operand - n]!)) readers.set(operand - n, i)
    }
  }
  return readers
}

/** Throws unless steps can be named by it. */
export function checkGroupBy(op: string, groupBy: unknown): void {
  if (typeof groupBy !== 'function' && !['operation', 'name', 'site'].includes(groupBy as string)) {
    throw new RangeError(`${op}: groupBy is 'operation', 'name', 'site' or a function [${String(groupBy)}]`)
  }
}
