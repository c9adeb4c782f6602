import { constantOp, type FloatDType } from '../../tensors/tensor/index.js'
import { kindOf } from '../program/opKind.js'
import type { Program } from '../program/program.js'
import { type GroupBy, stepNames } from '../program/stepName.js'
import type { ReferenceRun } from '../replay/reference.js'
import { outputErrors } from './tuneTarget.js'

/** Operations that are made wide together. */
export interface TuneGroup {
  readonly name: string
  /** Numbers of the steps. */
  readonly steps: readonly number[]
  /** Where they were called, each line once. */
  readonly sites: readonly string[]
  /** Mean bits of error of the outputs with this group alone wide: what the order of the search goes by. */
  readonly alone: number
}

/** Operations up to which each is a group of its own: the search is quadratic in their number. */
const fewOperations = 100

/** How operations are grouped if nobody says: each by itself, of many all of one source line, else all of one name. */
export function usualGroups(program: Program, narrow: FloatDType): GroupBy {
  const steps = program.steps.filter(
    ({ op, output }) => op !== constantOp && output.dtype === narrow && kindOf(op) === 'rounds',
  )
  if (steps.length <= fewOperations) return 'operation'
  const sites = new Set(steps.map(({ site }) => site))
  return sites.size <= fewOperations && !sites.has(undefined) ? 'site' : 'name'
}

/** The groups of a program that may leave the narrow dtype, best cures first, equals in the order of the run. */
export function tuneGroups(
  program: Program,
  how: {
    readonly narrow: FloatDType
    readonly dtype: FloatDType
    readonly groupBy: GroupBy
    readonly reference: ReferenceRun<unknown>
  },
): TuneGroup[] {
  const error = (steps: readonly number[]): number => {
    const wide = new Set(steps)
    return outputErrors(program, (i) => (wide.has(i) ? how.dtype : 'own'), how.reference).meanBits
  }
  const groups = groupsOf(program, how).map((group): TuneGroup => ({ ...group, alone: error(group.steps) }))
  return inOrderOfGain(groups, error)
}

/** The steps of a program that round to the narrow dtype, by their names, in the order of the run. */
export function groupsOf(
  program: Program,
  { narrow, groupBy }: { readonly narrow: FloatDType; readonly groupBy: GroupBy },
): Omit<TuneGroup, 'alone'>[] {
  const names = stepNames(program, groupBy)
  const members = new Map<string, number[]>()
  for (const [i, { op, output }] of program.steps.entries()) {
    if (output.dtype !== narrow || kindOf(op) !== 'rounds') continue
    const known = members.get(names[i]!)
    if (known) known.push(i)
    else members.set(names[i]!, [i])
  }
  return [...members].map(([name, steps]) => {
    const sites = new Set(steps.flatMap((i) => program.steps[i]!.site ?? []))
    return { name, steps, sites: [...sites] }
  })
}

/** How many groups are picked with regard to those before them; the rest goes by the last look at it. */
const picks = 8

/** The best single cure, then the best one beside it, and so on: what a large error hides is seen once that is gone. */
function inOrderOfGain(
  groups: readonly TuneGroup[],
  error: (steps: readonly number[]) => number,
): TuneGroup[] {
  let left = groups.map((group) => ({ group, error: group.alone }))
  const order: TuneGroup[] = []
  for (;;) {
    left.sort((a, b) => a.error - b.error)
    if (order.length >= picks || left.length <= 1) return [...order, ...left.map(({ group }) => group)]
    order.push(left.shift()!.group)
    const chosen = order.flatMap(({ steps }) => steps)
    left = left.map(({ group }) => ({ group, error: error([...chosen, ...group.steps]) }))
  }
}
