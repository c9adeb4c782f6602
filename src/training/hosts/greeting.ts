import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Channel, Frame } from './frame.js'

// How two processes of a run recognise each other. Where the run has a secret, who accepts a connection sends a random challenge, and who
// made it answers with its record and an HMAC of both under the secret. The secret itself is never sent, and nothing is encrypted.

/** Milliseconds in which a connection that was accepted has to say who it is. */
const deadline = 10_000

/** Milliseconds after which a connection that was ended in order is cut. */
const farewell = 5000

/** Connections besides those of the hosts that a server holds at a time. */
export const mostStrangers = 256

/**
 * Hears the record of a connection that was accepted. One that does not know the secret, or sends no record within `limit`, is ended.
 */
export function greet(
  line: Channel,
  secret: string | undefined,
  hear: (head: Frame['head']) => void,
  limit: number = deadline,
): void {
  const challenge = randomBytes(32).toString('hex')
  const late = setTimeout(() => line.destroy(), limit)
  late.unref()
  line.onClose(() => clearTimeout(late))
  line.onFirst(({ head }) => {
    clearTimeout(late)
    const { proof, ...said } = head
    if (secret === undefined) hear(head)
    else if (isProof(proof, proofOf(secret, challenge, said))) hear(said)
    else refuse(line, 'this process does not know the secret of the run')
  })
  if (secret !== undefined) line.send({ challenge })
}

/** Sends the record of who made this connection; with a secret, when the challenge has come. */
export async function introduce(
  line: Channel,
  secret: string | undefined,
  head: Frame['head'],
): Promise<void> {
  if (secret === undefined) {
    line.send(head)
    return
  }
  const challenge = await new Promise<string>((resolve, reject) => {
    line.onFirst(({ head: { challenge } }) => resolve(typeof challenge === 'string' ? challenge : ''))
    line.onClose(() => reject(new Error('it asks for no secret, or is no host of this run')))
  })
  line.send({ ...head, proof: proofOf(secret, challenge, head) })
}

/** An HMAC of a record and of the random text that it answers. */
export function proofOf(secret: string, challenge: string, record: object): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([challenge, record]))
    .digest('hex')
}

/** Whether a value that came is this proof, in a time that says nothing of where they differ. */
export function isProof(value: unknown, proof: string): boolean {
  return (
    typeof value === 'string' &&
    value.length === proof.length &&
    timingSafeEqual(Buffer.from(value), Buffer.from(proof))
  )
}

/** Sends why a process is not one of the run, and ends its connection. */
export function refuse(line: Channel, why: string): void {
  line.send({ refused: why })
  leave(line)
}

/** Ends a connection in order, and cuts it where the other end does not close it. */
export function leave(line: Channel): void {
  line.end()
  const cut = setTimeout(() => line.destroy(), farewell)
  cut.unref()
  line.onClose(() => clearTimeout(cut))
}
