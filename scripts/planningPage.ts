import { claims } from '../src/planning/plan/index.js'

const heading = 'Claims of published toolkits'

const cell = (text: string): string => text.replaceAll('|', '\\|')

/** docs/planning.md with its table of claims as they are computed; its words stay. */
export function planningPage(page: string): string {
  const table = new RegExp(`(^## ${heading}\\n(?:(?!## |\\|).*\\n)*(?:\\|.*\\n){2})(?:\\|.*\\n)*`, 'm')
  if (!table.test(page)) throw new Error(`planningPage: no table under the heading [${heading}]`)
  const rows = claims().map(
    ({ about, published, computed, verdict, why, source }) =>
      `| ${[about, published, computed, `${verdict}: ${why}`, source].map(cell).join(' | ')} |\n`,
  )
  return page.replace(table, (_, head: string) => `${head}${rows.join('')}`)
}
