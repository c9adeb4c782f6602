import { askPeer } from '../peers/askPeer.js'
import { summarise } from '../speed/measure.js'

/** The least time of a peer for a program, in the program's unit. */
export interface PeerTime {
  readonly name: string
  readonly time: number
}

interface Answer {
  readonly name: string
  /** Seconds. */
  readonly times: readonly number[]
}

/** The versions that answer, or why none does. */
export const peersThere = (peer: string): { readonly value: string } | { readonly why: string } =>
  askPeer<string>(peer, 'versions')

/** What the peers need for a program; none where they do not have it. */
export function peerTimes(peer: string, program: string, n: number): readonly PeerTime[] {
  const answer = askPeer<readonly Answer[]>(peer, program)
  if ('why' in answer) throw new Error(`${program}: ${answer.why}`)
  return answer.value.map(({ name, times }) => ({ name, time: (summarise(times).min * 1e9) / n }))
}
