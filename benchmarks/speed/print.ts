import type { Timing } from './measure.js'
import type { Operation } from './operation.js'

/** One operation with all that was measured around it. */
export interface Row {
  readonly operation: Operation
  readonly ours: Timing
  readonly copy: Timing | undefined
  /** The peer's time, or that of the operation which the goal names. */
  readonly peer: Timing | undefined
}

const digits = (ns: number): string => ns.toFixed(3)

function verdict({ operation: { goal }, ours, peer }: Row): string {
  if (!goal) return ''
  if ('ns' in goal) return `${ours.min <= goal.ns ? 'reached' : 'missed'}: ${goal.ns} ns`
  const whose = goal.of === undefined ? 'the peer' : goal.of
  if (!peer) return `${goal.ratio} of ${whose}`
  return `${ours.min <= goal.ratio * peer.min ? 'reached' : 'missed'}: ${goal.ratio} of ${whose}`
}

/** Whether the goal is a multiple of another operation's time. */
export function isTwin({ goal }: Operation): boolean {
  return goal !== undefined && 'of' in goal
}

/** The table: ns per element, or per multiply-add for matmul. */
export function tableOf(rows: readonly Row[], peers: boolean): string {
  const head = [
    'op',
    'min ns',
    'median ns',
    'spread',
    'runs',
    'copy ns',
    ...(peers ? ['peer ns', 'peer median', 'ratio'] : []),
    'goal',
  ]
  const lines = rows.map((row) => {
    const { ours, copy, peer } = row
    const beside = [
      peer ? digits(peer.min) : '',
      peer ? digits(peer.median) : '',
      peer ? (ours.min / peer.min).toFixed(2) : '',
    ]
    return [
      ours.op,
      digits(ours.min),
      digits(ours.median),
      `${(100 * ours.spread).toFixed(1)} %`,
      String(ours.runs),
      copy ? digits(copy.min) : '',
      ...(peers ? beside : []),
      verdict(row),
    ]
  })
  const widths = head.map((_, column) => Math.max(...[head, ...lines].map((line) => line[column]!.length)))
  const text = (line: string[]) =>
    line
      .map((cell, c) =>
        c === 0 || c === line.length - 1 ? cell.padEnd(widths[c]!) : cell.padStart(widths[c]!),
      )
      .join('  ')
      .trimEnd()
  return [head, ...lines].map(text).join('\n')
}

/** What `--json` prints: one record for each operation and each copy; the peer's time where it was asked for. */
export function jsonOf(rows: readonly Row[]): string {
  const records = rows.map(({ operation, ours, peer }) => ({
    op: ours.op,
    n: ours.n,
    ns: ours.min,
    ...(peer && !isTwin(operation) ? { peerNs: peer.min } : {}),
  }))
  const copies = new Map(rows.flatMap(({ copy }) => (copy ? [[copy.op, copy] as const] : [])))
  const beside = [...copies.values()].map(({ op, n, min }) => ({ op, n, ns: min }))
  return JSON.stringify([...records, ...beside], null, 2)
}
