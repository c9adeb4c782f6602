import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:net'
import { channel } from './channel.js'
import type { Channel, Frame } from './frame.js'
import { listening } from './listening.js'

/** The version of what hosts say to each other. */
export const protocol = 1

/** What every host hears once all are there. */
export interface Roster {
  /** Where each host hears the others. */
  readonly peers: readonly string[]
  /** Told to each other by hosts of this group, and no others. */
  readonly token: string
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
 * no place here is told why, and the others are waited for.
 */
export async function rendezvous(
  name: string,
  port: number,
  hosts: number,
  timeout: number,
): Promise<Rendezvous> {
  const joined = new Map<number, { readonly channel: Channel; readonly peer: string }>()
  const sockets = new Set<Channel>()
  let started = false
  let hear: (host: number) => void = () => {}
  /** The host of a connection, where it has one that has not said that it is connected. */
  const hostOf = (line: Channel): number | undefined =>
    [...joined].find(([, one]) => one.channel === line)?.[0]
  const server: Server = createServer((socket) => {
    const line = channel(socket, 0)
    sockets.add(line)
    line.onClose(() => {
      sockets.delete(line)
      const host = hostOf(line)
      if (host === undefined) return
      joined.delete(host)
      if (started) hear(host)
    })
    line.onFrame((frame) => {
      if (started && frame.head['connected'] === true) {
        joined.delete(hostOf(line) ?? hosts)
        return
      }
      const why = refusal(frame, hosts, joined)
      if (why !== undefined) {
        line.send({ refused: why })
        line.end()
        return
      }
      joined.set(Number(frame.head['host']), { channel: line, peer: String(frame.head['peer']) })
      if (joined.size === hosts) start()
    })
  })
  const start = (): void => {
    clearTimeout(timer)
    started = true
    const peers = Array.from({ length: hosts }, (_, host) => joined.get(host)!.peer)
    const roster: Roster = { peers, token: randomBytes(16).toString('hex') }
    for (const { channel: line } of joined.values()) line.send({ roster })
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
      for (const line of sockets) line.end()
      server.close()
    },
  }
}

function refusal({ head }: Frame, hosts: number, joined: ReadonlyMap<number, unknown>): string | undefined {
  const { join, host } = head
  if (join !== protocol) {
    return `this is version ${protocol} of the protocol, the coordinator's [${String(join)}]`
  }
  if (head['hosts'] !== hosts) {
    return `the coordinator waits for ${hosts} hosts, this one for others [${String(head['hosts'])}]`
  }
  const known = typeof host === 'number' && Number.isInteger(host) && host >= 0 && host < hosts
  if (!known) return `host is not from 0 to ${hosts - 1} [${String(host)}]`
  if (joined.has(host)) return `another process has joined as this host [${host}]`
  return undefined
}
