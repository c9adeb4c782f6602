import {
  checkInteger,
  checkName,
  checkOptions,
  checkRecord,
  type OptionTable,
  shown,
} from '../../../base/options/index.js'
import { type Deal, type HostShare, shareOf } from './hostShare.js'
import { checkState, type StreamState, streamFrom, tidyState } from './streamState.js'

/** How far one host has come; plain data for JSON. */
export interface HostState extends Deal {
  readonly host: number
  /** The state that all hosts began with. */
  readonly from: StreamState
  /** The places in all epochs; null where they never end. */
  readonly total: number | null
  /** How many records of its share the host has taken, those that were filtered out included. */
  readonly consumed: number
  /** Whether records are filtered out, so that hosts take different numbers of them for a batch. */
  readonly filtered: boolean
  /** Tells the records and their order from others; `load` compares it. */
  readonly fingerprint?: string
}

/** How states are joined. */
export interface JoinOptions {
  /**
   * One state is enough: every other host has done as many steps. Not where records are filtered out, nor at the end of a
   * stream whose last records are divided unevenly. Default false.
   */
  readonly lockstep?: boolean
}

const joinNames: OptionTable<JoinOptions> = { lockstep: 'optional' }
/** More hosts than any job has: what they have left is listed for each. */
const maxHosts = 2 ** 20

/**
 * The remaining stream once every host has stopped: the state from which any number of hosts continues, each with any
 * share, and no record is lost or repeated.
 *
 * Throws    RangeError for states of different runs, two of one host, or where one is missing.
 *
 * @example const host = { from: { position: 0, pending: [] }, total: 100, hosts: 2, block: 4, remainder: 'keep', filtered: false }
 * joinStates([{ ...host, host: 0, consumed: 8 }, { ...host, host: 1, consumed: 8 }]) // { position: 16, pending: [] }
 * joinStates([{ ...host, host: 0, consumed: 8 }, { ...host, host: 1, consumed: 4 }]) // { position: 12, pending: [] }
 * joinStates([{ ...host, host: 0, consumed: 4 }, { ...host, host: 1, consumed: 8 }]) // { position: 16, pending: [[8, 12]] }
 */
export function joinStates(states: readonly HostState[], options: JoinOptions = {}): StreamState {
  const op = 'joinStates'
  checkOptions(op, options, joinNames)
  if (!Array.isArray(states)) throw new TypeError(`${op}: not a list of states [${shown(states)}]`)
  const first = states[0]!
  if (states.length === 0) throw new RangeError(`${op}: no states [0]`)
  for (const state of states) checkRecord(op, 'a state', state, ['from', 'hosts', 'host'])
  const shared = ({ host: _, consumed: __, ...rest }: HostState): string =>
    JSON.stringify(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)))
  const stranger = states.find((state) => shared(state) !== shared(first))
  if (stranger) {
    throw new RangeError(`${op}: states of different runs [host ${first.host}, host ${stranger.host}]`)
  }
  if (!(Number.isSafeInteger(first.hosts) && first.hosts > 0 && first.hosts <= maxHosts)) {
    throw new RangeError(`${op}: hosts is not a whole number from 1 to ${maxHosts} [${shown(first.hosts)}]`)
  }
  checkInteger(op, 'block', first.block, 1)
  checkName(op, 'remainder', first.remainder, ['keep', 'drop'])
  if (first.total !== null) checkInteger(op, 'total', first.total)
  checkState(op, first.from, first.total ?? Number.POSITIVE_INFINITY)
  const all = options.lockstep ? inStep(op, states) : states
  const { hosts, total } = first
  const byHost = new Map(all.map((state) => [state.host, state]))
  if (byHost.size !== all.length) {
    throw new RangeError(`${op}: a host has two states [${all.map((s) => s.host).join(', ')}]`)
  }
  const missing = Array.from({ length: hosts }, (_, host) => host).filter((host) => !byHost.has(host))
  if (missing.length > 0 || byHost.size !== hosts) {
    throw new RangeError(
      `${op}: states of hosts are missing [${missing.slice(0, 10).join(', ')} of ${hosts}]`,
    )
  }
  const left = remaining(op, first, total ?? Number.POSITIVE_INFINITY, (host) => byHost.get(host)!.consumed)
  return first.fingerprint === undefined ? left : { ...left, fingerprint: first.fingerprint }
}

function inStep(op: string, states: readonly HostState[]): HostState[] {
  const [state] = states
  if (states.length !== 1 || !state) {
    throw new RangeError(`${op}: lockstep takes one state [${states.length}]`)
  }
  const { host, hosts, consumed } = state
  if (state.filtered) {
    throw new RangeError(
      `${op}: hosts that filter records do not keep step, give all their states [host ${host}]`,
    )
  }
  const { length } = streamFrom(state.from, state.total ?? Number.POSITIVE_INFINITY)
  const shares = Array.from({ length: hosts }, (_, other) => shareOf(length, state, other))
  const { length: own, whole } = shares[host]!
  // It has nothing of the remainder: whether the others have theirs by now cannot be seen.
  if (consumed === whole && own === whole && shares.some((share) => share.length > whole)) {
    throw new RangeError(`${op}: hosts end at different steps, give all their states [host ${host}]`)
  }
  return shares.map((share, other) => ({
    ...state,
    host: other,
    consumed: consumed > whole ? share.length : consumed,
  }))
}

function remaining(
  op: string,
  deal: HostState,
  total: number,
  consumedBy: (host: number) => number,
): StreamState {
  const { hosts, block } = deal
  const stream = streamFrom(deal.from, total)
  const shares = Array.from({ length: hosts }, (_, host) => shareOf(stream.length, deal, host))
  shares.forEach((share, host) => {
    const consumed = consumedBy(host)
    if (!(Number.isSafeInteger(consumed) && consumed >= 0 && consumed <= share.length)) {
      throw new RangeError(`${op}: not a number of records of host ${host} [${String(consumed)}]`)
    }
  })
  // Up to here some host has gone; what others have not taken before it is pending.
  const steps = Math.max(
    ...shares.map((share, host) => Math.ceil(Math.min(consumedBy(host), share.whole) / block)),
  )
  const intoRemainder = shares.some((share, host) => consumedBy(host) > share.whole)
  const left = shares.flatMap((share, host) =>
    leftIn(share, consumedBy(host), intoRemainder ? share.length : steps * block, block),
  )
  const end = intoRemainder ? stream.length : steps * block * hosts
  const stretches = left.sort((a, b) => a[0] - b[0]).flatMap(([start, stop]) => stream.stretches(start, stop))
  // Old pending stretches that no host has reached stay pending.
  const old = deal.from.pending.reduce((sum, [start, stop]) => sum + stop - start, 0)
  if (end < old) stretches.push(...stream.stretches(end, old))
  return tidyState(deal.from.position + Math.max(0, end - old), stretches)
}

/** What a host has not taken of its share up to `until`, as numbers of the stream, block by block. */
function leftIn(share: HostShare, consumed: number, until: number, block: number): [number, number][] {
  const left: [number, number][] = []
  for (let i = consumed; i < until; ) {
    const inBlock = i < share.whole ? block - (i % block) : until - i
    const count = Math.min(inBlock, until - i)
    const start = share.numberAt(i)
    left.push([start, start + count])
    i += count
  }
  return left
}
