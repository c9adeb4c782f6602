import { BadInput } from '#cli'
import { askPeer, noPeer } from '../peers/askPeer.js'
import { summarise, type Timing } from './measure.js'

function ask<T>(...question: string[]): T {
  const answer = askPeer<T>('speed', ...question)
  if ('value' in answer) return answer.value
  throw new BadInput(noPeer('numpy and ml_dtypes', answer.why))
}

/** The versions that answer; BadInput where they are missing. */
export const peerVersions = (): string => ask<string>('versions')

/** NumPy + ml_dtypes' times for an operation, with as many elements in its arrays at most. */
export const peerTiming = (op: string, n: number, elements?: number): Timing => ({
  op,
  n,
  ...summarise(ask<number[]>(op, ...(elements === undefined ? [] : [String(elements)]))),
})
