import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { withoutEquivalents } from './equivalentMutants.js'
import { copySource, runTests, stopTests, withMutant } from './mutantRunner.js'
import { mutantSubjects } from './mutantSubjects.js'
import { mutantsAnywhere } from './mutantsAnywhere.js'
import { type Mutant, mutantsOf } from './mutantsOf.js'
import { sampleOf } from './sampleOf.js'

// Run by `npm run test:mutants`. Every mutant is written into a copy of src, which the tests read by TPU_TOOLKIT_SOURCE:
// the checkout stays as it is. A mutant is killed if a test fails, or runs past its time: five times what the tests take
// without one, and a minute. Mutants that change nothing are left out by name: see equivalentMutants.ts.

const { values: options } = parseArgs({
  options: {
    subject: { type: 'string', multiple: true },
    sample: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '30' },
    anywhere: { type: 'boolean', default: false },
    from: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
})

if (options.help) {
  console.log(`npm run test:mutants -- [--subject NAME ...] [--sample N] [--seed TEXT] [--minutes N]
       npm run test:mutants -- --anywhere [--sample N] [--from N] [--seed TEXT] [--minutes N]
Plants N mistakes a subject and counts those that the tests notice. Subjects: ${Object.keys(mutantSubjects).join(', ')}.
--anywhere plants N in lines drawn from all of src, from draw number --from on, and runs the tests nearest to each file.`)
  process.exit(0)
}

copySource()
const end = Date.now() + Number(options.minutes) * 60_000
if (options.anywhere) {
  const { seed, from, sample } = options
  await mutantsAnywhere({ seed, from: Number(from), count: Number(sample), end })
  stopTests()
  process.exit(0)
}
let [killed, planted] = [0, 0]
for (const name of options.subject ?? Object.keys(mutantSubjects)) {
  const subject = mutantSubjects[name]
  if (!subject) throw new RangeError(`mutants: no such subject [${name}]`)
  const possible = subject.files.flatMap((file) =>
    mutantsOf(file, readFileSync(`src/${file}`, 'utf8'), subject.tables),
  )
  const all = withoutEquivalents(possible, subject.files)
  const chosen = sampleOf(all, Number(options.sample), `${options.seed} ${name}`)
  const start = Date.now()
  if (!(await passes(subject.tests, 1_800_000))) {
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
  if (!(await passes(subject.tests, limit))) {
    throw new Error(`mutants: the tests stay red afterwards [${name}]`)
  }
  killed += dead
  planted += run
  const same = possible.length - all.length
  console.log(`${name}: ${dead} of ${run} killed (${all.length} possible, ${same} more change nothing)`)
}
console.log(
  `score: ${((100 * killed) / Math.max(1, planted)).toFixed(1)} % of ${planted}, seed ${options.seed}`,
)
stopTests()

async function isKilled(mutant: Mutant, tests: readonly string[], limit: number): Promise<boolean> {
  const { file, row } = mutant
  // Most are noticed by the file's own test, or by one that names the row, which is soon done.
  const own = ownTest(file)
  return withMutant(
    mutant,
    async () =>
      (own !== undefined && !(await passes([own], limit))) ||
      (row !== undefined && !(await passes(tests, limit, row))) ||
      !(await passes(tests, limit)),
  )
}

/** The test that mirrors a file, with or without the file's room. */
function ownTest(file: string): string | undefined {
  const name = file.replace(/\.ts$/, '.test.ts')
  const paths = [join('test', name), join('test', file.split('/')[0]!, basename(name))]
  return paths.find((path) => existsSync(path))
}

async function passes(tests: readonly string[], limit: number, title?: string): Promise<boolean> {
  return (await runTests(tests, limit, title)).passed === true
}
