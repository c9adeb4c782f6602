import { readable } from '../../base/text/index.js'
import type { Examined, Finding } from '../../experiments/failures/index.js'

/** One sentence for each output: how far it is off. */
export function outputVerdicts({ shadow }: Pick<Examined, 'shadow'>): string[] {
  const against = shadow.reference === 'real' ? 'real numbers' : shadow.reference
  return shadow.outputs().map(({ name, max, mean, wrong, size }) => {
    const who = name === '' ? 'The result' : `Output ${name}`
    if (wrong === 0) return `${who} has the rounded value of ${against} in every element.`
    return `${who} is off by ${readable(max)} bits in its worst element and ${readable(mean)} in the mean, beside ${against}: ${readable(wrong)} of ${readable(size)} elements differ.`
  })
}

/** One sentence for a search: what has to be wide. */
export function findingVerdict({ question, tuning }: Finding): string {
  const { met, wide, groups, policy, least } = tuning
  const floor = floorVerdict(tuning)
  if (floor) return `${question[0]!.toUpperCase()}${question.slice(1)}: ${floor}.`
  if (!met) return `Not to be had, with everything in ${policy.dtype} either: ${question}.`
  if (wide.length === 0) return `Nothing has to be wide for this: ${question}.`
  const names =
    wide.length <= 4 ? wide.join(', ') : `${wide.slice(0, 3).join(', ')} and ${wide.length - 3} more`
  const sure = least ? 'no cheaper set will do' : 'none of them can go'
  return `${names} in ${policy.dtype} (${wide.length} of ${groups.length}) ${wide.length === 1 ? 'is' : 'are'} enough for this: ${question}; ${sure}.`
}

/** Why a target is out of reach, where it lies below what rounding the exact result alone comes to. */
export function floorVerdict({ met, floor, tried }: Finding['tuning']): string | undefined {
  // Such a target is not searched for: both ends are all that is tried.
  if (met || floor === undefined || floor === 0 || tried.length > 2) return undefined
  return `no policy with outputs of this dtype can: the exact result, rounded once, comes to ${readable(floor, 4)} already, about half an ulp`
}
