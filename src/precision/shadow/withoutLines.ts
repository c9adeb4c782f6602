import { isIgnored } from '../program/isIgnored.js'
import type { ShadowFacts } from './shadowText.js'

/** What a report reads, without what happens on some source lines. */
export function withoutLines(shadow: ShadowFacts, ignore: readonly string[]): ShadowFacts {
  const { program, reference, doubt, divergences, branch } = shadow
  const isReported = ({ step }: { readonly step: number }): boolean =>
    !isIgnored(program.steps[step]?.site, ignore)
  return {
    ...{ program, reference, doubt, branch },
    divergences: divergences.filter(isReported),
    events: shadow.events.filter(isReported),
    outputs: () => shadow.outputs(),
    faults: () => shadow.faults({ ignore }),
    groups: (output) => shadow.groups(output).filter(({ site }) => !isIgnored(site, ignore)),
    localErrors: () => shadow.localErrors().filter(isReported),
  }
}
