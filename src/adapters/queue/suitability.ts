import { findExperiment, type ThreadRunner } from '../../experiments/sweep/index.js'
import { difference, type SweepFacts } from './keepSweep.js'

/** How long an answer of no holds, in milliseconds: somebody may put the file there. */
const again = 30_000

/** What a worker runs. */
export interface SuitabilitySetup {
  readonly toolkit: string
  /** The folders that experiments may be in. */
  readonly folders: readonly string[]
  /** The threads that would run a sweep's trials. */
  readonly poolOf: (sweep: SweepFacts) => ThreadRunner
}

/** Tells why this worker cannot run a sweep's trials; undefined where it can. */
export function suitability(setup: SuitabilitySetup): (sweep: SweepFacts) => Promise<string | undefined> {
  const known = new Map<string, { readonly why: string | undefined; readonly until: number }>()
  return async (sweep) => {
    const key = JSON.stringify(sweep)
    const answer = known.get(key)
    if (answer !== undefined && performance.now() < answer.until) return answer.why
    const why = await whyNot(sweep, setup)
    known.set(key, { why, until: performance.now() + again })
    return why
  }
}

/**
 * A row of the database names the module: its path and its bytes are checked before anything imports it, and then it is imported in a
 * thread, which is all that it can end.
 */
async function whyNot(
  sweep: SweepFacts,
  { toolkit, folders, poolOf }: SuitabilitySetup,
): Promise<string | undefined> {
  try {
    const { digest } = findExperiment(sweep.experiment, { folders })
    const differs = difference(sweep, { experiment: sweep.experiment, digest, toolkit })
    if (differs === undefined) await poolOf(sweep).load()
    return differs
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    return message.replace(/^(findExperiment|loadExperiment): /, '')
  }
}
