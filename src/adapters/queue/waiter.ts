import type { Report, Row, Trial } from '../../experiments/sweep/index.js'

/** A trial whose row is waited for. */
export interface Waiter {
  readonly trial: Trial
  /** How many were asked for before it. */
  readonly order: number
  readonly row: Promise<Row>
  /** Receives the intermediate metrics of the trial. */
  readonly report: Report | undefined
  resolve(row: Row): void
  reject(error: Error): void
}
