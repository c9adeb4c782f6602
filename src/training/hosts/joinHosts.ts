import { randomBytes } from 'node:crypto'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  checkFunction,
  checkInteger,
  checkNumber,
  checkOptions,
  checkText,
  type OptionTable,
  shown,
} from '../../base/options/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import type { HostGroup } from '../checkpoint/index.js'
import type { AllReduceOptions } from '../collectives/index.js'
import { allReduceOver } from './allReduceOver.js'
import { channel } from './channel.js'
import type { Channel, Frame } from './frame.js'
import { greet, introduce, isProof, leave, mostStrangers, proofOf } from './greeting.js'
import { listening } from './listening.js'
import { mesh } from './mesh.js'
import { isAddress, protocol, type Rendezvous, type Roster, rendezvous } from './rendezvous.js'

/** How a process joins. */
export interface JoinOptions {
  /** Where host 0 listens for the others, such as '10.0.0.1:8476'; on host 0 a port of 0 is one that is free. */
  readonly coordinator: string
  /** How many processes there are to be. */
  readonly hosts: number
  /** Which one this is, from 0. */
  readonly host: number
  /** The interface that this one hears the others on. Default: that of the coordinator on host 0, else 127.0.0.1. */
  readonly bind?: string
  /**
   * A text of at least 16 characters that all processes of the run know and nobody else. A process without it gets no answer and does not join.
   * Required unless the addresses are this machine's own (127.0.0.1, ::1, localhost), where every process of the machine can join without one.
   * It is not sent, and what hosts send is not encrypted.
   */
  readonly secret?: string
  /** Milliseconds until all have joined. Default 300,000. */
  readonly timeout?: number
  /** Milliseconds without a word after which a host is lost; longer than a step takes. Default 100,000. */
  readonly heartbeatTimeout?: number
  /** Called on host 0 with the address where it listens. */
  readonly onAddress?: (address: string) => void
}

/** The processes of a run, as one of them knows them. */
export interface Hosts extends HostGroup {
  /** Those that are known to be gone. */
  readonly lost: readonly number[]
  /** The sum or mean of trees over all hosts, each of which calls it, in the same order: the bits of `collectives.allReduce`. */
  allReduce<P extends Treelike>(tree: P, options: AllReduceOptions): Promise<P>
  /** Done when all have called it with this name. */
  barrier(name: string): Promise<void>
  /** Leaves, with a goodbye: the others do not take it for lost. */
  close(): Promise<void>
}

const names: OptionTable<JoinOptions> = {
  ...{ coordinator: 'required', hosts: 'required', host: 'required' },
  ...{ bind: 'optional', timeout: 'optional', heartbeatTimeout: 'optional', onAddress: 'optional' },
  secret: 'optional',
}

/**
 * Joins the other processes of a run: each calls it with the same coordinator and number of hosts, and its own number. From then on each
 * is connected with each; a process that ends without `close`, or says nothing for `heartbeatTimeout`, is lost, and everything that the
 * others wait for fails with `HostLost`.
 *
 * Throws    Error where not all joined in time, naming who is missing, where one ended before all were connected, where nobody listens at
 *           the coordinator's address, and where it refuses this process: a host that is there already, another number of hosts,
 *           another version, another secret. None ends the process. RangeError for addresses that other machines reach without a secret.
 */
export async function joinHosts(options: JoinOptions): Promise<Hosts> {
  const op = 'joinHosts'
  checkOptions(op, options, names)
  const { coordinator, hosts, host, timeout = 300_000, heartbeatTimeout = 100_000, onAddress } = options
  checkText(op, 'coordinator', coordinator)
  checkInteger(op, 'hosts', hosts, 1, 1024)
  checkInteger(op, 'host', host, 0, hosts - 1)
  checkNumber(op, 'timeout', timeout, 0)
  checkNumber(op, 'heartbeatTimeout', heartbeatTimeout, 4)
  if (onAddress !== undefined) checkFunction(op, 'onAddress', onAddress)
  const [name, port] = addressOf(op, coordinator)
  const bind = options.bind ?? (host === 0 ? name : '127.0.0.1')
  checkText(op, 'bind', bind)
  const { secret } = options
  if (secret !== undefined) {
    checkText(op, 'secret', secret)
    if (secret.length < 16) {
      throw new RangeError(`${op}: secret has fewer than 16 characters [${secret.length}]`)
    }
  } else if (!(isLoopback(name) && isLoopback(bind))) {
    throw new RangeError(`${op}: addresses that other machines reach need a secret [${shown([name, bind])}]`)
  }
  const until = performance.now() + timeout
  const place = host === 0 ? await rendezvous(name, port, hosts, timeout, secret) : undefined
  if (place) onAddress?.(place.address)
  try {
    const joining = { host, hosts, bind, until, timeout, secret }
    const channels = await connected(op, place?.address ?? coordinator, joining, place)
    return hostsOver(mesh(host, channels, heartbeatTimeout))
  } finally {
    place?.close()
  }
}

function hostsOver(group: ReturnType<typeof mesh>): Hosts {
  let calls = 0
  const allGather = async (name: string, text: string): Promise<readonly string[]> => {
    checkText('allGather', 'name', name)
    checkText('allGather', 'text', text)
    const bytes = Buffer.from(text)
    const others = Array.from({ length: group.hosts }, (_, other) => other)
    for (const other of others) if (other !== group.host) group.send(other, `gather ${name}`, bytes)
    return Promise.all(
      others.map(async (other) => {
        if (other === group.host) return text
        return Buffer.from(await group.receive(other, `gather ${name}`)).toString()
      }),
    )
  }
  return {
    host: group.host,
    hosts: group.hosts,
    get lost() {
      return group.lost
    },
    allGather,
    barrier: async (name) => {
      await allGather(`barrier ${name}`, '')
    },
    allReduce: (tree, options) => allReduceOver(group, tree, options, calls++),
    close: () => group.close(),
  }
}

interface Joining {
  readonly host: number
  readonly hosts: number
  readonly bind: string
  readonly secret: string | undefined
  /** When time is up, and how long that was. */
  readonly until: number
  readonly timeout: number
}

/** The connections to all other hosts, by host. */
async function connected(
  op: string,
  coordinator: string,
  joining: Joining,
  place: Rendezvous | undefined,
): Promise<Map<number, Channel>> {
  const { host, hosts, bind, secret, timeout } = joining
  const channels = new Map<number, Channel>()
  let roster: Roster | undefined
  let all: () => void = () => {}
  let gone: (other: number) => void = () => {}
  const complete = new Promise<void>((resolve, reject) => {
    all = resolve
    gone = (other) => reject(new Error(`${op}: host ${other} ended before all were connected [host ${host}]`))
  })
  // Awaited below; one that is gone before is heard there.
  complete.catch(() => {})
  place?.onGone(gone)
  const add = (other: number, line: Channel): void => {
    line.trust()
    channels.set(other, line)
    line.onClose(() => gone(other))
    if (channels.size === hosts - 1) all()
  }
  // Those of higher numbers come; one may be here before this one has heard the roster itself.
  const early: [Channel, Frame['head']][] = []
  const admit = (line: Channel, { peer, token }: Frame['head']): void => {
    const known = typeof peer === 'number' && Number.isInteger(peer) && peer > host && peer < hosts
    if (known && token === roster?.token && !channels.has(peer)) add(peer, line)
    else line.destroy()
  }
  const came = new Set<Channel>()
  const server = createServer((socket) => {
    const line = channel(socket)
    came.add(line)
    line.onClose(() => came.delete(line))
    const hear = (head: Frame['head']): void => {
      if (roster) admit(line, head)
      else early.push([line, head])
    }
    greet(line, secret, hear, Math.min(timeout, 10_000))
  })
  server.maxConnections = hosts + mostStrangers
  let rosterChannel: Channel | undefined
  try {
    const peer = await listening(server, bind, 0)
    const heard = await rosterOf(op, coordinator, peer, joining)
    rosterChannel = heard.line
    roster = heard.roster
    for (const one of early) admit(...one)
    for (let other = 0; other < host; other++) {
      const line = channel(await dialled(op, roster.peers[other]!, joining, other))
      came.add(line)
      await inTime(
        op,
        introduce(line, secret, { peer: host, token: roster.token }),
        joining,
        () => `host ${other} does not answer`,
      )
      add(other, line)
    }
    if (hosts > 1) {
      await inTime(
        op,
        complete,
        joining,
        () => `host ${host} is connected with ${channels.size} of ${hosts - 1} others`,
      )
    }
    rosterChannel.send({ connected: true })
    return channels
  } catch (error) {
    for (const line of channels.values()) line.destroy()
    channels.clear()
    throw error
  } finally {
    // Strangers, and hosts that wait for this one where it gives up.
    const hosts = new Set(channels.values())
    for (const line of came) if (!hosts.has(line)) line.destroy()
    if (rosterChannel) leave(rosterChannel)
    server.close()
  }
}

/** Who is where, from the coordinator, once all have joined there; and the connection, whose end tells it that this host is gone. */
async function rosterOf(
  op: string,
  coordinator: string,
  peer: string,
  joining: Joining,
): Promise<{ readonly roster: Roster; readonly line: Channel }> {
  const line = channel(await dialled(op, coordinator, joining))
  const { host, hosts, secret } = joining
  const nonce = randomBytes(32).toString('hex')
  const gone = (): Error => new Error(`${op}: the coordinator is gone [${coordinator}]`)
  const join = { join: protocol, host, hosts, peer, ...(secret === undefined ? {} : { nonce }) }
  const ask = async (): Promise<Roster> => {
    await introduce(line, secret, join).catch(() => Promise.reject(gone()))
    return new Promise((resolve, reject) => {
      line.onFrame(({ head: { refused, challenge, roster, proof } }) => {
        const refuse = (why: string): void => reject(new Error(`${op}: ${why}`))
        if (typeof refused === 'string') refuse(refused)
        else if (typeof challenge === 'string') refuse('the coordinator asks for a secret [none]')
        else if (!isRoster(roster, hosts)) refuse(`the coordinator sends no roster [${coordinator}]`)
        else if (secret === undefined || isProof(proof, proofOf(secret, nonce, roster))) resolve(roster)
        else refuse(`the coordinator does not know the secret [${coordinator}]`)
      })
      line.onClose(() => reject(gone()))
    })
  }
  const answer = ask()
  try {
    // The coordinator's own clock tells who is missing; this one only that the coordinator says nothing.
    const roster = await inTime(
      op,
      answer,
      { ...joining, until: joining.until + 1000 },
      () => 'the coordinator does not answer',
    )
    return { roster, line }
  } catch (error) {
    answer.catch(() => {})
    leave(line)
    throw error
  }
}

function isRoster(value: unknown, hosts: number): value is Roster {
  if (typeof value !== 'object' || value === null) return false
  const { peers, token } = value as Partial<Record<keyof Roster, unknown>>
  return typeof token === 'string' && Array.isArray(peers) && peers.length === hosts && peers.every(isAddress)
}

/**
 * A socket to an address, tried again until time is up: processes do not all begin at once. A peer listens before the coordinator
 * tells where: one that does no more is gone.
 */
async function dialled(
  op: string,
  address: string,
  { until, timeout, host: own }: Joining,
  peer?: number,
): Promise<Socket> {
  const [host, port] = addressOf(op, address)
  for (;;) {
    const outcome = await new Promise<Socket | Error>((resolve) => {
      const socket = connect({ host, port })
      socket.once('connect', () => {
        socket.removeAllListeners('error')
        resolve(socket)
      })
      socket.once('error', resolve)
    })
    if (!(outcome instanceof Error)) return outcome
    if (peer !== undefined) {
      throw new Error(`${op}: host ${peer} ended before all were connected, ${outcome.message} [host ${own}]`)
    }
    if (performance.now() >= until) {
      throw new Error(`${op}: nobody listens at ${address} within ${timeout / 1000} s [${shown(outcome)}]`)
    }
    await sleep(50)
  }
}

async function inTime<T>(
  op: string,
  what: Promise<T>,
  { until, timeout }: Joining,
  why: () => string,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${op}: ${why()} after ${timeout / 1000} s`)),
      Math.max(0, until - performance.now()),
    )
  })
  try {
    return await Promise.race([what, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Whether only this machine reaches an interface. */
function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
}

function addressOf(op: string, address: string): [name: string, port: number] {
  const [, name, port] = /^(.+):(\d{1,5})$/.exec(address) ?? []
  if (name === undefined || Number(port) > 65_535) {
    throw new RangeError(`${op}: not an address with a port [${shown(address)}]`)
  }
  return [name.replace(/^\[|\]$/g, ''), Number(port)]
}
