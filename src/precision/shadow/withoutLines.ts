import { isIgnored } from '../program/isIgnored.js'
import type { ShadowFacts } from './shadowText.js'

/** What a report reads, without what happens on some source lines. */
export function withoutLines(shadow: ShadowFacts, ignore: readonly string[]): ShadowFacts {
  const { program, reference, doubt, divergences, branch } = shadow
  const told = ({ step }: { readonly step: number }): boolean => !isIgnored(program.steps[step]?.site, ignore)
  return {
    ...{ program, reference, doubt, branch },
    divergences: divergences.filter(told),
    events: shadow.events.filter(told),
    outputs: () => shadow.outputs(),
    faults: () => shadow.faults({ ignore }),
    groups: () => shadow.groups().filter(({ site }) => !isIgnored(site, ignore)),
    localErrors: () => shadow.localErrors().filter(told),
  }
}
