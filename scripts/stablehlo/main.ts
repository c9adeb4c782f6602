import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { type Outcome, runFile } from './runFile.js'

// npm run test:stablehlo -- FOLDER [--only abs,add] [--verbose] [--json]
//
// Runs the files of a folder (or one file) of .mlir that check themselves, as those of openxla/stablehlo do: stablehlo/tests/interpret,
// stablehlo/tests/math, stablehlo/testdata. Prints how many functions passed, failed and were refused, the reasons with their counts; with
// --verbose each file. Exit status 1 where a check failed, 2 for a mistake in the arguments.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const [folder, ...more] = positionals
if (folder === undefined || more.length > 0) {
  console.error('test:stablehlo: name one folder of .mlir files, or one file')
  process.exit(2)
}

function filesIn(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.mlir'))
    .sort()
    .map((name) => join(path, name))
}

const wanted = values.only?.split(',')
const files = filesIn(folder).filter((path) => wanted?.some((part) => path.includes(part)) ?? true)
const rows = files.map((path) => {
  const start = performance.now()
  const outcomes = runFile(readFileSync(path, 'utf8'))
  return { file: relative(folder, path) || path, outcomes, ms: performance.now() - start }
})
const all = rows.flatMap(({ file, outcomes }) => outcomes.map((outcome) => ({ file, ...outcome })))
const of = (kind: Outcome['kind']): typeof all => all.filter((outcome) => outcome.kind === kind)
/** A file passes where nothing in it failed or was refused, and something passed. */
const passedFiles = rows.filter(
  ({ outcomes }) =>
    outcomes.some(({ kind }) => kind === 'passed') &&
    outcomes.every(({ kind }) => kind === 'passed' || kind === 'nothing'),
)

if (values.json) {
  console.log(JSON.stringify({ files: rows }))
} else {
  if (values.verbose) {
    for (const { file, outcomes, ms } of rows) {
      console.log(`${file} (${ms.toFixed(0)} ms)`)
      for (const { name, kind, reason } of outcomes) {
        console.log(`  ${kind} ${name}${reason && `: ${reason}`}`)
      }
    }
  }
  report('failed', ({ file, name, reason }) => `${file} ${name}: ${reason}`)
  report('refused', ({ reason }) => general(reason))
  console.log(
    `${passedFiles.length} of ${files.length} files passed; functions: ${of('passed').length} passed, ${of('failed').length} failed, ${of('refused').length} refused, ${of('nothing').length} without checks`,
  )
}
process.exitCode = of('failed').length > 0 ? 1 : 0

/** Reasons with their counts, the most frequent first. */
function report(kind: Outcome['kind'], key: (outcome: (typeof all)[number]) => string): void {
  const counts = new Map<string, { count: number; example: string }>()
  for (const outcome of of(kind)) {
    const found = counts.get(key(outcome)) ?? { count: 0, example: outcome.file }
    counts.set(key(outcome), { ...found, count: found.count + 1 })
  }
  const sorted = [...counts].sort(([, a], [, b]) => b.count - a.count)
  for (const [reason, { count, example }] of sorted) {
    console.log(`${kind} ${count}x ${reason}${kind === 'refused' ? ` (${example})` : ''}`)
  }
}

/** A reason without what differs from file to file: places, and what stands in brackets. */
function general(reason: string): string {
  return reason.replace(/line \d+(, column \d+)?( of the text)?/g, 'line').replace(/ at \S+:\d+:\d+/g, '')
}
