import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:net'
import { shown } from '../../base/options/index.js'
import { channel } from './channel.js'
import type { Channel, Frame } from './frame.js'
import { greet, leave, mostStrangers, proofOf, refuse } from './greeting.js'
import { listening } from './listening.js'

/** The version of what hosts say to each other. */
export const protocol = 1

/** What every host hears once all are there. */
export interface Roster {
  /** Where each host hears the others. */
  readonly peers: readonly string[]
  /** A secret that only the hosts of this group share. */
  readonly token: string
}

interface Joined {
  readonly channel: Channel
  readonly peer: string
  /** A random text of the host, which the proof of the roster answers. */
  readonly nonce: string
}

/** The place where hosts find each other, in the process of host 0. */
export interface Rendezvous {
  readonly address: string
  /** Who hears of a host that ended when all had joined, and had not said yet that it is connected with all others. */
  onGone(hear: (host: number) => void): void
  close(): void
}

/**
 * Listens until all hosts have joined, and tells each where the others are; or, when time is up, who is missing. A host that has
 * no place here receives the reason, and the others are waited for; one that does not know the secret has no place.
 */
export async function rendezvous(
  name: string,
  port: number,
  hosts: number,
  timeout: number,
  secret: string | undefined,
): Promise<Rendezvous> {
  const joined = new Map<number, Joined>()
  const sockets = new Set<Channel>()
  let started = false
  let hear: (host: number) => void = () => {}
  /** The host of a connection, where it has one that has not said that it is connected. */
  const hostOf = (line: Channel): number | undefined =>
    [...joined].find(([, one]) => one.channel === line)?.[0]
  const server: Server = createServer((socket) => {
    const line = channel(socket)
    sockets.add(line)
    line.onClose(() => {
      sockets.delete(line)
      const host = hostOf(line)
      if (host === undefined) return
      joined.delete(host)
      if (started) hear(host)
    })
    const join = (head: Frame['head']): void => {
      const why = started ? 'all hosts have joined' : refusal(head, hosts, joined)
      if (why !== undefined) {
        refuse(line, why)
        return
      }
      const { host, peer, nonce } = head as {
        readonly host: number
        readonly peer: string
        readonly nonce?: unknown
      }
      joined.set(host, { channel: line, peer, nonce: typeof nonce === 'string' ? nonce : '' })
      line.onFrame((frame) => {
        if (started && frame.head['connected'] === true) joined.delete(hostOf(line) ?? hosts)
        else line.destroy()
      })
      if (joined.size === hosts) start()
    }
    greet(line, secret, join, Math.min(timeout, 10_000))
  })
  server.maxConnections = hosts + mostStrangers
  const start = (): void => {
    clearTimeout(timer)
    started = true
    const peers = Array.from({ length: hosts }, (_, host) => joined.get(host)!.peer)
    const roster: Roster = { peers, token: randomBytes(16).toString('hex') }
    for (const { channel: line, nonce } of joined.values()) {
      line.send(secret === undefined ? { roster } : { roster, proof: proofOf(secret, nonce, roster) })
    }
  }
  const timer = setTimeout(() => {
    const missing = Array.from({ length: hosts }, (_, host) => host).filter((host) => !joined.has(host))
    const why = `${joined.size} of ${hosts} hosts joined within ${timeout / 1000} s, missing [${missing.join(', ')}]`
    for (const { channel: line } of joined.values()) line.send({ refused: why })
  }, timeout)
  const address = await listening(server, name, port)
  return {
    address,
    onGone: (next) => {
      hear = next
    },
    close: () => {
      clearTimeout(timer)
      hear = () => {}
      for (const line of sockets) {
        // One that has joined may still be reading why it waited in vain.
        if (hostOf(line) === undefined) line.destroy()
        else leave(line)
      }
      server.close()
    },
  }
}

function refusal(
  head: Frame['head'],
  hosts: number,
  joined: ReadonlyMap<number, unknown>,
): string | undefined {
  const { join, host } = head
  if (join !== protocol) {
    return `this is version ${protocol} of the protocol, the coordinator's [${shown(join)}]`
  }
  if (head['hosts'] !== hosts) {
    return `the coordinator waits for ${hosts} hosts, this one for others [${shown(head['hosts'])}]`
  }
  const known = typeof host === 'number' && Number.isInteger(host) && host >= 0 && host < hosts
  if (!known) return `host is not from 0 to ${hosts - 1} [${shown(host)}]`
  if (!isAddress(head['peer'])) return `peer is no address with a port [${shown(head['peer'])}]`
  if (joined.has(host)) return `another process has joined as this host [${host}]`
  return undefined
}

/** Whether a value that came is an address with a port. */
export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 300 && /^.+:\d{1,5}$/.test(value)
}
