/**
 * Regenerates src/experiments/data/flightGaps.ts and src/experiments/data/earthquakeGaps.ts, gaps between real events, and src/experiments/data/sp500.ts, daily
 * prices of an index, from the tables of vega-datasets.
 *
 *   node build/scripts/realData.js           write the files
 *   node build/scripts/realData.js --check   compare with what is there, exit 1 when a byte differs
 *
 * The package is not a dependency: the pinned version is installed into a temporary folder and removed again.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const source = 'vega-datasets@3.2.1'
const root = new URL('../../', import.meta.url)

interface GapTable {
  readonly file: string
  readonly name: string
  readonly unit: string
  readonly of: string
  readonly origin: string
  readonly gaps: readonly number[]
}

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** The positive differences of the sorted times, in order of time. Events at the same time count as one. */
function positiveGaps(times: readonly number[]): number[] {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted.slice(1).flatMap((time, i) => (time > sorted[i]! ? [time - sorted[i]!] : []))
}

function earthquakes(data: string): GapTable {
  const text = readFileSync(join(data, 'earthquakes.json'), 'utf8')
  const { features } = JSON.parse(text) as { features: { properties: { time: number } }[] }
  return {
    file: 'src/experiments/data/earthquakeGaps.ts',
    name: 'earthquakeGaps',
    unit: 'milliseconds',
    of: 'earthquakes worldwide, 2018-01-31 to 2018-02-07',
    origin: `earthquakes.json, sha256 ${sha256(text)}`,
    gaps: positiveGaps(features.map((feature) => feature.properties.time)),
  }
}

function flights(data: string): GapTable {
  const text = readFileSync(join(data, 'flights-20k.json'), 'utf8')
  const rows = JSON.parse(text) as { date: string }[]
  const minutes = rows.map(({ date }) => {
    const [year, month, day, hour, minute] = date.split(/\D/).map(Number) as [
      number,
      number,
      number,
      number,
      number,
    ]
    return Date.UTC(year, month - 1, day, hour, minute) / 60_000
  })
  return {
    file: 'src/experiments/data/flightGaps.ts',
    name: 'flightGaps',
    unit: 'minutes',
    of: 'departures in a sample of 20,000 US flights, 2001-01-01 to 2001-03-31',
    origin: `flights-20k.json, sha256 ${sha256(text)}`,
    gaps: positiveGaps(minutes),
  }
}

function render(table: GapTable): string {
  const text = table.gaps.join(' ')
  return `// Written by scripts/realData.ts from ${source} (published 2025-10-04): ${table.gaps.length} numbers. Do not edit.
// ${table.origin}
// sha256 of the numbers joined by single spaces: ${sha256(text)}

/** Gaps between successive ${table.of}; ${table.unit}, in order of time. */
export const ${table.name}: readonly number[] =
  '${text}'
    .split(' ')
    .map(Number)
`
}

interface File {
  readonly file: string
  readonly text: string
  readonly said: string
}

const gapFile = (table: GapTable): File => ({
  file: table.file,
  text: render(table),
  said: `${table.gaps.length} gaps`,
})

/**
 * Bars as six numbers to the base 36: days since the last bar, open over the last close, high over open and close, low under
 * them, close over open, all in cents, and volume in tens of thousands. The source has prices as float32 with six digits, which
 * cents give back exactly; the script stops where they do not.
 */
function sp500(data: string): File {
  const text = readFileSync(join(data, 'sp500-2000.csv'), 'utf8')
  let [day, last] = [0, 0]
  const bars = text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [date, ...numbers] = line.split(',') as [string, ...string[]]
      const cents = numbers.slice(0, 4).map((price) => Math.round(Number(price) * 100))
      const [open, high, low, close] = cents as [number, number, number, number]
      const volume = Number(numbers[5]) / 10_000
      const exact = cents.every((price, i) => Math.fround(price / 100).toFixed(6) === numbers[i])
      if (!exact || !Number.isInteger(volume)) throw new Error(`realData: not in cents [${line}]`)
      const today = Date.parse(date) / 86_400_000
      const bar = [
        today - day,
        open - last,
        high - Math.max(open, close),
        Math.min(open, close) - low,
        close - open,
        volume,
      ]
      ;[day, last] = [today, close]
      return bar.map((number) => number.toString(36)).join(' ')
    })
  return {
    file: 'src/experiments/data/sp500.ts',
    said: `${bars.length} bars`,
    text: `// Written by scripts/realData.ts from ${source} (published 2025-10-04): ${bars.length} bars. Do not edit.
// sp500-2000.csv, sha256 ${sha256(text)}
// sha256 of the numbers joined by single spaces: ${sha256(bars.join(' '))}
import { type DailyPrices, dailyPrices } from './dailyPrices.js'

const bars =
  '${bars.join(' ')}'

/**
 * The S&P 500 index, 2000-01-03 to 2020-04-17: ${bars.length} days, volumes in shares. In 1,760 of them the open is the last close.
 *
 * @example sp500().close[0] // 1455.219971
 */
export const sp500 = (): DailyPrices => dailyPrices(bars)
`,
  }
}

const check = process.argv.includes('--check')
const folder = mkdtempSync(join(tmpdir(), 'real-data-'))
let stale = 0
try {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  execFileSync('npm', ['install', '--no-save', '--ignore-scripts', '--silent', source], {
    cwd: folder,
    stdio: 'inherit',
  })
  const data = join(folder, 'node_modules', 'vega-datasets', 'data')
  for (const { file, text, said } of [gapFile(earthquakes(data)), gapFile(flights(data)), sp500(data)]) {
    const path = fileURLToPath(new URL(file, root))
    if (check) {
      const same = readFileSync(path, 'utf8') === text
      if (!same) stale++
      console.log(`${file}: ${same ? 'unchanged' : 'differs'}`)
    } else {
      writeFileSync(path, text)
      console.log(`${file}: ${said}, ${text.length} bytes`)
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (stale > 0) process.exitCode = 1
