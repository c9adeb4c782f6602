import { readFileSync } from 'node:fs'
import {
  type Column,
  htmlPage,
  htmlTable,
  linePlot,
  type Row as TableRow,
  textTable,
} from 'tpu-toolkit/report'
import type { Row } from './learn.js'
import { switches } from './switches.js'

interface Reference {
  readonly config: string
  readonly variant: string
  readonly to475: readonly (number | null)[]
  readonly last100: readonly number[]
  readonly ratioIsOne: number
  readonly oneProgramForAllSeeds: boolean
}

const columns: readonly Column[] = [
  { key: 'what', header: 'rounded' },
  { key: 'reached', header: 'reached 475' },
  { key: 'median', header: 'median step' },
  { key: 'worst', header: 'last 100, worst seed', digits: 4 },
  { key: 'one', header: 'ratios exactly 1' },
  { key: 'seconds', header: 'processor s' },
  { key: 'theirs', header: 'JAX reached' },
  { key: 'theirMedian', header: 'JAX median' },
  { key: 'theirOne', header: 'JAX exactly 1' },
]

const says =
  'PPO on CartPole-v1, rl-zoo settings: eight seeds tell 8 of 8 from 1 of 8, and cannot rank the rows that all get there. JAX: test/golden/rl/learning.json, runs of one seed where there are such, else eight in one program.'

/** The table of the rows so far, in the terminal's width. */
export function tableText(rows: readonly Row[], width?: number): string {
  return `${textTable(columns, tableRows(rows), width === undefined ? {} : { width })}\n${says}\n`
}

function tableRows(rows: readonly Row[]): TableRow[] {
  const file = new URL('../../../test/golden/rl/learning.json', import.meta.url)
  const { runs } = JSON.parse(readFileSync(file, 'utf8')) as { runs: readonly Reference[] }
  return switches.flatMap(({ name, what }) => {
    const own = rows.filter((row) => row.name === name)
    if (own.length === 0) return []
    const alike = runs.filter((run) => run.config === 'zoo' && run.variant === name)
    const peer = alike.find((run) => !run.oneProgramForAllSeeds) ?? alike[0]
    return [
      {
        what,
        reached: reached(own.map((row) => row.to475)),
        median: median(own.map((row) => row.to475)),
        worst: Math.min(...own.map((row) => row.last100)),
        one: percent(mean(own.map((row) => row.exactlyOne))),
        seconds: mean(own.map((row) => row.seconds)),
        theirs: peer ? reached(peer.to475) : null,
        theirMedian: peer ? median(peer.to475) : null,
        theirOne: peer ? percent(peer.ratioIsOne) : null,
      },
    ]
  })
}

/** The page: the table, and every curve. */
export function tablePage(rows: readonly Row[], steps: number): string {
  const curves = switches.flatMap(({ name, what }) => {
    const own = rows.filter((row) => row.name === name)
    if (own.length === 0) return []
    const series = own.map(({ seed, curve }) => ({
      name: `seed ${seed}`,
      points: curve.map(([x, y]) => ({ x, y })),
      dots: false,
    }))
    const svg = linePlot(series, {
      title: what,
      x: { label: 'environment steps' },
      y: { label: 'mean return of 100 episodes' },
    })
    return [{ svg, caption: `${name}: ${reached(own.map((row) => row.to475))} reached 475.` }]
  })
  return htmlPage({
    title: 'Where PPO rounds',
    lead: 'One place of PPO after the other rounded to few bits, on CartPole-v1. It shows numerics.',
    facts: { runs: String(rows.length), steps: String(steps) },
    sections: [
      { id: 'table', title: 'Every switch', paragraphs: [says], html: htmlTable(columns, tableRows(rows)) },
      { id: 'curves', title: 'Learning curves', figures: curves },
    ],
    foot: 'Written by npm run bench:rl.',
  })
}

const mean = (x: readonly number[]): number => x.reduce((a, b) => a + b, 0) / x.length
const percent = (share: number): string => `${(100 * share).toPrecision(2)} %`
const reached = (steps: readonly (number | null)[]): string =>
  `${steps.filter((step) => step !== null).length} of ${steps.length}`

/** Of all seeds, those that never got there last; null where that is half of them. */
function median(steps: readonly (number | null)[]): number | null {
  const sorted = steps.map((step) => step ?? Infinity).sort((a, b) => a - b)
  const middle = (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.floor(sorted.length / 2)]!) / 2
  return Number.isFinite(middle) ? middle : null
}
