import { type ChildProcess, fork } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import seedrandom from 'seedrandom'
import { withoutEquivalents } from './equivalentMutants.js'
import { mutantSubjects } from './mutantSubjects.js'
import { type Mutant, mutantsOf } from './mutantsOf.js'
import type { Answer, Asked } from './mutantTests.js'

// Run by `npm run test:mutants`. Every mutant is written into a copy of src, which the tests read by TPU_TOOLKIT_SOURCE:
// the checkout stays as it is. A mutant is killed if a test fails, or runs past its time: five times what the tests take
// without one, and a minute. Mutants that change nothing are left out by name: see equivalentMutants.ts.

const { values: options } = parseArgs({
  options: {
    subject: { type: 'string', multiple: true },
    sample: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '30' },
    help: { type: 'boolean', default: false },
  },
})

if (options.help) {
  console.log(`npm run test:mutants -- [--subject NAME ...] [--sample N] [--seed TEXT] [--minutes N]
Plants N mistakes a subject and tells how many the tests notice. Subjects: ${Object.keys(mutantSubjects).join(', ')}`)
  process.exit(0)
}

// Outside src, and beside node_modules still.
const copy = 'build/mutants'
cpSync('src', copy, { recursive: true, filter: (path) => !path.endsWith('tsconfig.json') })

/** The process that runs tests. */
let runner: ChildProcess | undefined
/** What has changed since tests were run. */
const changed = new Set<string>()
const end = Date.now() + Number(options.minutes) * 60_000
let [killed, planted] = [0, 0]
for (const name of options.subject ?? Object.keys(mutantSubjects)) {
  const subject = mutantSubjects[name]
  if (!subject) throw new RangeError(`mutants: no such subject [${name}]`)
  const possible = subject.files.flatMap((file) =>
    mutantsOf(file, readFileSync(`src/${file}`, 'utf8'), subject.tables),
  )
  const all = withoutEquivalents(possible, subject.files)
  const chosen = sample(all, Number(options.sample), `${options.seed} ${name}`)
  const start = Date.now()
  if (!(await pass(subject.tests, 1_800_000))) {
    throw new Error(`mutants: the tests are red without any mutant [${name}]`)
  }
  const limit = 5 * (Date.now() - start) + 60_000
  let [dead, run] = [0, 0]
  for (const mutant of chosen) {
    if (Date.now() > end) break
    run++
    const isDead = await isKilled(mutant, subject.tests, limit)
    if (isDead) dead++
    else console.log(`  survived: src/${mutant.file}:${mutant.line}: ${mutant.what}\n    ${mutant.source}`)
  }
  // Otherwise something else turned them red.
  if (!(await pass(subject.tests, limit))) throw new Error(`mutants: the tests stay red afterwards [${name}]`)
  killed += dead
  planted += run
  const same = possible.length - all.length
  console.log(`${name}: ${dead} of ${run} killed (${all.length} possible, ${same} more change nothing)`)
}
console.log(
  `score: ${((100 * killed) / Math.max(1, planted)).toFixed(1)} % of ${planted}, seed ${options.seed}`,
)
stop()

function sample(all: readonly Mutant[], count: number, seed: string): Mutant[] {
  const draw = seedrandom(seed)
  return all
    .map((mutant) => ({ mutant, at: draw() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ mutant }) => mutant)
}

async function isKilled(
  { file, text, row }: Mutant,
  tests: readonly string[],
  limit: number,
): Promise<boolean> {
  const path = `${copy}/${file}`
  const before = readFileSync(path, 'utf8')
  const write = (content: string): void => {
    writeFileSync(path, content)
    changed.add(path)
  }
  write(text)
  // Most are noticed by the file's own test, or by one that names the row, which is soon done.
  const own = ownTest(file)
  const isDead =
    (own !== undefined && !(await pass([own], limit))) ||
    (row !== undefined && !(await pass(tests, limit, row))) ||
    !(await pass(tests, limit))
  write(before)
  return isDead
}

/** The test that mirrors a file, with or without the file's room. */
function ownTest(file: string): string | undefined {
  const name = file.replace(/\.ts$/, '.test.ts')
  const paths = [join('test', name), join('test', file.split('/')[0]!, basename(name))]
  return paths.find((path) => existsSync(path))
}

/** Whether tests are green, those whose titles have a word where one is given. */
async function pass(tests: readonly string[], timeout: number, title?: string): Promise<boolean> {
  runner ??= await started()
  const answer = answerOf(runner)
  const asked: Asked = { tests, changed: [...changed], ...(title && { title }) }
  runner.send(asked)
  changed.clear()
  const timer = setTimeout(stop, timeout)
  const said = await answer
  clearTimeout(timer)
  if (said === undefined) return false
  const { passed } = said as Answer
  if (passed === undefined) throw new Error(`mutants: tests did not run to their end [${tests.join(' ')}]`)
  return passed
}

/** What a process says next; nothing once it has ended. */
function answerOf(child: ChildProcess): Promise<unknown> {
  return new Promise((done) => {
    const settle = (answer: unknown): void => {
      child.off('message', settle).off('exit', gone)
      done(answer)
    }
    const gone = (): void => settle(undefined)
    child.once('message', settle).once('exit', gone)
  })
}

async function started(): Promise<ChildProcess> {
  const child = fork('build/mutation/mutantTests.mjs', [], {
    env: { ...process.env, TPU_TOOLKIT_SOURCE: `${process.cwd()}/${copy}`, TPU_TOOLKIT_SEED: '1' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    detached: true,
  })
  await answerOf(child)
  return child
}

/** Ends the process and its workers, one of which may be in a loop that never ends. */
function stop(): void {
  if (runner?.pid !== undefined) process.kill(-runner.pid, 'SIGKILL')
  runner = undefined
}
