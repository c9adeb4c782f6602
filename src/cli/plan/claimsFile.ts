import { type Claim, claims } from '../../planning/plan/index.js'
import { htmlPage, htmlTable } from '../../report/index.js'
import { jsonText } from '../io/jsonText.js'
import { openReportFile } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import type { Terminal } from '../io/terminal.js'

const columns = [
  { key: 'about', header: 'claim' },
  { key: 'published' },
  { key: 'computed', header: 'computed here' },
  { key: 'verdict' },
  { key: 'why' },
] as const

/** `plan --claims`: what published toolkits print beside what is computed here; text, JSON, a page. */
export function claimsFile(
  given: { readonly json?: boolean; readonly out?: string },
  terminal: Terminal,
): number {
  const report = openReportFile({ ...given, terminal })
  const all = claims()
  if (given.json) {
    terminal.out(jsonText({ claims: all }))
  } else {
    const tables = bySource(all).flatMap(([source, rows]) => [`${source}:`, rows.map(claimText).join('\n')])
    printWrapped(terminal, `${[headOf(all), ...tables].join('\n\n')}\n`)
  }
  report?.write(
    htmlPage({
      title: 'Claims of published toolkits',
      lead: headOf(all),
      sections: bySource(all).map(([source, rows], i) => ({
        ...{ id: `claims-${i + 1}`, title: source, html: htmlTable(columns, rows) },
      })),
    }),
  )
  return 0
}

function headOf(all: readonly Claim[]): string {
  const count = (verdict: Claim['verdict']): number => all.filter((one) => one.verdict === verdict).length
  return `Of ${all.length} claims ${count('holds')} hold, ${count('does not hold')} do not, ${count('cannot be checked')} cannot be checked.`
}

function bySource(all: readonly Claim[]): [string, Claim[]][] {
  const sources = [...new Set(all.map(({ source }) => source))]
  return sources.map((source) => [source, all.filter((one) => one.source === source)])
}

const claimText = ({ about, published, computed, verdict, why }: Claim): string =>
  `- ${about}: "${published}"\n  ${computed}\n  ${verdict}: ${why}`
