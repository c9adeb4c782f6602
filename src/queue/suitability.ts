import { loadExperiment } from '../sweep/index.js'
import { difference, type SweepFacts } from './keepSweep.js'

/** How long an answer of no holds, in milliseconds: somebody may put the file there. */
const again = 30_000

/** Tells why this worker cannot run a sweep's trials; undefined where it can. */
export function suitability(toolkit: string): (sweep: SweepFacts) => Promise<string | undefined> {
  const unsuited = new Map<string, { readonly why: string; readonly until: number }>()
  return async (sweep) => {
    const known = unsuited.get(sweep.name)
    if (known !== undefined && performance.now() < known.until) return known.why
    const why = await whyNot(sweep, toolkit)
    if (why === undefined) unsuited.delete(sweep.name)
    else unsuited.set(sweep.name, { why, until: performance.now() + again })
    return why
  }
}

async function whyNot(sweep: SweepFacts, toolkit: string): Promise<string | undefined> {
  try {
    const { digest } = await loadExperiment(sweep.experiment)
    return difference(sweep, { experiment: sweep.experiment, digest, toolkit })
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message.replace(/^loadExperiment: /, '') : String(thrown)
  }
}
