import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parse } from 'tpu-toolkit/stablehlo'

// npm run bench:stablehlo -- [--megabytes 10] [--rounds 7]
//
// What it takes to read a program: the functions of an MLP step with AdamW as jax writes it, each many times under a name of its own, with
// locations. Beside it, in the same run, two passes over the same text that give less: its tokens by one regular expression, and
// JSON.parse of its lines as an array of strings. Least times.

const { values } = parseArgs({
  options: { megabytes: { type: 'string', default: '10' }, rounds: { type: 'string', default: '7' } },
})
const size = Number(values.megabytes) * 1e6
const rounds = Number(values.rounds)

/** The program so many times that it has this length. */
function repeated(text: string, length: number): { readonly text: string; readonly copies: number } {
  const start = text.indexOf('  func.func public')
  const end = text.lastIndexOf('\n} loc(')
  const body = text.slice(start, end)
  const copies = Math.max(1, Math.ceil((length - text.length) / body.length))
  const bodies = Array.from({ length: copies }, (_, i) => body.replace(/@(\w+)/g, `@$1_${i}`))
  return { text: `${text.slice(0, start)}${bodies.join('\n')}${text.slice(end)}`, copies }
}

function leastTime(run: () => unknown): number {
  let least = Infinity
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    run()
    least = Math.min(least, performance.now() - began)
  }
  return least
}

const step = readFileSync(
  new URL('../../../test/golden/stablehlo/texts/mlp_step.mlir', import.meta.url),
  'utf8',
)
const { text, copies } = repeated(step, size)
const functions = parse(step).functions.size
if (parse(text).functions.size !== copies * functions) throw new Error('bench:stablehlo: functions were lost')

const token = /[%#@!^]?[\w$.-]+|"(?:[^"\\]|\\.)*"|->|[^\s\w]/g
const lines = JSON.stringify(text.split('\n'))
const rows = [
  { name: 'parse', time: leastTime(() => parse(text)) },
  { name: 'tokens by a regular expression', time: leastTime(() => text.match(token)) },
  { name: 'JSON.parse of the lines', time: leastTime(() => JSON.parse(lines)) },
]
const own = rows[0]!.time
console.log(`${(text.length / 1e6).toFixed(1)} MB, ${copies * functions} functions, least of ${rounds}`)
for (const { name, time } of rows) {
  const each = ((time * 1e6) / text.length).toFixed(1)
  console.log(
    `${name.padEnd(32)} ${time.toFixed(0).padStart(6)} ms ${each.padStart(7)} ns/byte ${(own / time).toFixed(2).padStart(7)}`,
  )
}
console.log(`Node ${process.versions.node}, V8 ${process.versions.v8}, ${process.arch}`)
