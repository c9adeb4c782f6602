import { checkNumber, checkOptions, checkRecord, type OptionTable } from '../../base/options/index.js'
import { type ChipName, chipNames } from '../hardware/index.js'

/** What one chip of a generation draws and costs, as its user knows it: there is no published figure to plan with. */
export interface ChipCosts {
  /** Of one chip at work, with its share of the host if that is to count. */
  readonly watts?: number
  /** Of one chip, in the money of one's choice. */
  readonly dollarsPerHour?: number
}

const costNames: OptionTable<ChipCosts> = { watts: 'optional', dollarsPerHour: 'optional' }

/** A table that the user fills in, by generation. */
export type CostTable = Readonly<Partial<Record<ChipName, ChipCosts>>>

const tableNames: OptionTable<CostTable> = {
  ...{ v2: 'optional', v3: 'optional', v4: 'optional', v5e: 'optional' },
  ...{ v5p: 'optional', v6e: 'optional', tpu7x: 'optional' },
}

/** The run whose performance is divided by what it costs. */
export interface CostedRun {
  readonly chip: ChipName
  readonly chips: number
  /** Null where there is no estimate: then there is no performance to divide. */
  readonly tokensPerSecond: number | null
  /** FLOP/s that count, of the whole slice; null as the tokens. */
  readonly flopsPerSecond: number | null
}

const runNames: OptionTable<CostedRun> = {
  ...{ chip: 'required', chips: 'required', tokensPerSecond: 'required', flopsPerSecond: 'required' },
}

/** Performance per watt and per dollar; null where the table or the estimate has nothing to compute it from. */
export interface PlanCosts {
  readonly watts: number | null
  readonly flopsPerSecondPerWatt: number | null
  readonly tokensPerJoule: number | null
  readonly dollarsPerHour: number | null
  readonly flopsPerDollar: number | null
  readonly tokensPerDollar: number | null
  readonly dollarsPerMillionTokens: number | null
}

/**
 * Performance per watt and per dollar of a run, from a table that the user fills in.
 *
 * Throws    RangeError for an unknown generation, numbers that are not above 0.
 *
 * @example const run = { chip: 'v5p', chips: 4, tokensPerSecond: 40_000, flopsPerSecond: 1e15 }
 * planCosts(run, { v5p: { watts: 500, dollarsPerHour: 3 } }).tokensPerDollar // 12000000
 * planCosts(run, {}).watts // null
 */
export function planCosts(run: CostedRun, table: CostTable): PlanCosts {
  const op = 'planCosts'
  checkOptions(op, run, runNames)
  checkRecord(op, 'table', table)
  checkOptions(op, table, tableNames)
  for (const name of chipNames) {
    const costs = table[name]
    if (costs === undefined) continue
    checkOptions(op, costs, costNames)
    for (const [key, value] of Object.entries(costs)) {
      checkNumber(op, `${name} ${key}`, value, Number.MIN_VALUE)
    }
  }
  const { chips, tokensPerSecond, flopsPerSecond } = run
  const own = table[run.chip]
  const all = (each: number | undefined): number | null => (each === undefined ? null : each * chips)
  const watts = all(own?.watts)
  const dollarsPerHour = all(own?.dollarsPerHour)
  const over = (rate: number | null, costs: number | null): number | null =>
    rate === null || costs === null ? null : rate / costs
  const dollarsPerSecond = dollarsPerHour === null ? null : dollarsPerHour / 3600
  const tokensPerDollar = over(tokensPerSecond, dollarsPerSecond)
  return {
    watts,
    flopsPerSecondPerWatt: over(flopsPerSecond, watts),
    tokensPerJoule: over(tokensPerSecond, watts),
    dollarsPerHour,
    flopsPerDollar: over(flopsPerSecond, dollarsPerSecond),
    tokensPerDollar,
    dollarsPerMillionTokens: tokensPerDollar === null ? null : 1e6 / tokensPerDollar,
  }
}
