import type { Finding } from '../../experiments/failures/index.js'
import { textTable } from '../../report/index.js'
import { floorVerdict } from './verdict.js'

/** What a search found, in lines. */
export function findingText({ question, tuning }: Finding, width?: number): string {
  const { met, wide, value, cost, least, without, narrowest, widest, groups, policies, tried, policy } =
    tuning
  const of = `of ${groups.length}`
  const lines = [`wanted: ${question}`]
  if (!met && floorVerdict(tuning)) {
    lines.push(floorVerdict(tuning)!)
  } else if (!met) {
    lines.push(`not met, with all ${groups.length} in ${policy.dtype} either: ${number(widest)}`)
  } else if (wide.length === 0) {
    lines.push(`met as it is: ${number(value)}`)
  } else {
    lines.push(
      `met with ${wide.length} ${of} in ${policy.dtype}: ${number(value)}; with none ${number(narrowest)}, with all ${number(widest)}`,
    )
    for (const { name, value: lost } of without) {
      const sites = groups.find((group) => group.name === name)!.sites
      lines.push(`  ${name}, without it ${number(lost)}${sites[0] ? ` (${sites[0]})` : ''}`)
    }
    lines.push(
      `  ${least ? 'no cheaper set will do: all were tried' : 'none of them can go; a smaller set of others was not looked for'}`,
    )
    lines.push(`  ${cost.count} operations, ${cost.casts} changes of dtype, ${cost.bytes} bytes moved more`)
  }
  lines.push(`${tried.length} trials`)
  if (policies.length > 0) {
    const rows = policies.map((known) => ({
      policy: known.name,
      met: known.met,
      value: number(known.value),
      operations: known.cost.count,
      bytes: known.cost.bytes,
    }))
    lines.push(
      '',
      textTable(
        Object.keys(rows[0]!).map((key) => ({ key })),
        rows,
        { width },
      ),
    )
  }
  return lines.join('\n')
}

function number(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(4))) : String(value)
}
