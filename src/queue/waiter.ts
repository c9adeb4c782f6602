import type { Report, Row, Trial } from '../sweep/index.js'

/** A trial whose row is waited for. */
export interface Waiter {
  readonly trial: Trial
  /** How many were asked for before it. */
  readonly order: number
  readonly row: Promise<Row>
  /** Told what the trial reports on its way. */
  readonly report: Report | undefined
  resolve(row: Row): void
  reject(error: Error): void
}
