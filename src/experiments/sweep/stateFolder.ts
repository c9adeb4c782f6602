import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { makeTrial, type Params } from './trial.js'

/** The folder of a configuration, the same for all of its rungs. */
export function stateFolder(states: string, params: Params): string {
  const digest = createHash('sha256').update(makeTrial(params).key).digest('hex')
  return join(states, digest.slice(0, 32))
}
