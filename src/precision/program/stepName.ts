import type { Program, Step } from './program.js'

/** What an operation is called: its own name and how many of that name ran before it, its number, or a name that one gives. */
export type GroupBy = 'operation' | 'name' | 'site' | ((step: Step, index: number) => string)

/**
 * The name of every step. 'operation': `cumsum#0`, `mul#3`, the fourth multiplication, which is the same one in every run
 * of code that does not branch; 'name': all of one operation, `mul`; 'site': all of one line of the source.
 */
export function stepNames(program: Program, groupBy: GroupBy): string[] {
  const seen = new Map<string, number>()
  return program.steps.map((step, i) => {
    if (typeof groupBy === 'function') return groupBy(step, i)
    if (groupBy === 'site') return step.site ?? step.op.name
    if (groupBy === 'name') return step.op.name
    const count = seen.get(step.op.name) ?? 0
    seen.set(step.op.name, count + 1)
    return `${step.op.name}#${count}`
  })
}

/** Throws unless steps can be named by it. */
export function checkGroupBy(op: string, groupBy: unknown): void {
  if (typeof groupBy !== 'function' && !['operation', 'name', 'site'].includes(groupBy as string))
    throw new RangeError(`${op}: groupBy is 'operation', 'name', 'site' or a function [${String(groupBy)}]`)
}
