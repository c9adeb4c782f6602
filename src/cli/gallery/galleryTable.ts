import { readable } from '../../base/text/index.js'
import type { Readings } from '../../experiments/failures/index.js'
import { textTable } from '../../report/index.js'
import type { Exhibit } from './exhibit.js'

const columns = [
  { key: 'id' },
  { key: 'title' },
  { key: 'naive' },
  { key: 'stable' },
  { key: 'verdict' },
  { key: 'repairs' },
]

/** The table of the gallery, and under it each verdict in a sentence. */
export function galleryTable(exhibits: readonly Exhibit[], width?: number): string {
  const rows = exhibits.map(({ failure, run, repaired }) => ({
    id: failure.id,
    title: failure.title,
    naive: inWords(run.naive, 2),
    stable: inWords(run.stable, 2),
    verdict: run.verdict.holds ? 'holds' : 'does not hold',
    repairs: `${repaired.filter((repair) => !repair.run.verdict.holds).length} of ${repaired.length}`,
  }))
  const verdicts = exhibits.map(({ failure, run }) => `${failure.id}: ${run.verdict.text}`)
  return `${textTable(columns, rows, { width })}\n\n${verdicts.join('\n')}`
}

/** The numbers among the readings, at most `most` of them, with their names in words. */
export function inWords(readings: Readings, most: number): string {
  return Object.entries(readings)
    .filter(([, value]) => typeof value === 'number' || value === null)
    .slice(0, most)
    .map(
      ([name, value]) =>
        `${words(name)} ${value === null ? 'never' : readable(value as number, digits(value as number))}`,
    )
    .join(', ')
}

/** Six digits where six are all there are, else four. */
function digits(value: number): number {
  return Number(value.toPrecision(6)) === value ? 6 : 4
}

/** lastChange: last change. */
export function words(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => ` ${letters.length > 1 ? letters : letters.toLowerCase()}`)
}
