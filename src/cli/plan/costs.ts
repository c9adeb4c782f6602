import { readFileSync } from 'node:fs'
import { readable, terminalText } from '../../base/text/index.js'
import type { CostTable, PlanCosts } from '../../planning/plan/index.js'
import { BadInput } from '../io/badInput.js'

/** Reads the table of what chips draw and cost; its numbers are checked by `planCosts`. */
export function readCosts(path: string): CostTable {
  const text = textOf(path)
  try {
    const table: unknown = JSON.parse(text)
    if (isTable(table)) return table
  } catch {
    // The same message as for JSON of another form.
  }
  throw new BadInput(
    `--costs is a JSON object such as { "v5p": { "watts": ..., "dollarsPerHour": ... } } [${terminalText(path)}]`,
  )
}

/** The rest is checked by whoever takes the table. */
function isTable(value: unknown): value is CostTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    throw new BadInput(`cannot read ${terminalText(path)} [${terminalText(String(thrown))}]`)
  }
}

/** Performance per watt and per dollar as lines of a plan. */
export function costRows(costs: PlanCosts): { what: string; value: string; note: string }[] {
  const text = (value: number | null): string => (value === null ? '-' : readable(value))
  const { watts, dollarsPerHour } = costs
  return [
    {
      what: 'FLOP/s per watt',
      value: text(costs.flopsPerSecondPerWatt),
      note: watts === null ? 'no watts of this chip in the table' : `${text(watts)} W, as the table has it`,
    },
    { what: 'tokens per joule', value: text(costs.tokensPerJoule), note: '' },
    {
      what: 'tokens per dollar',
      value: text(costs.tokensPerDollar),
      note:
        dollarsPerHour === null
          ? 'no price of this chip in the table'
          : `${text(dollarsPerHour)} an hour, as the table has it`,
    },
    { what: 'dollars per 1e6 tokens', value: text(costs.dollarsPerMillionTokens), note: '' },
  ]
}
