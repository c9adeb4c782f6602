import { type ChildProcess, fork } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { Mutant } from './mutantsOf.js'
import type { Asked, Outcome } from './mutantTests.js'

/** Where mutants are written: a copy of src in a folder with what its modules look for beside src. */
const copy = 'build/mutants/src'

/** The process that runs tests. */
let runner: ChildProcess | undefined
/** What has changed since tests were run. */
const changed = new Set<string>()

/** Copies src, which stays as it is. */
export function copySource(): void {
  mkdirSync('build/mutants', { recursive: true })
  for (const name of ['dist', 'build', 'lab', 'package.json']) {
    const link = `build/mutants/${name}`
    if (!existsSync(link)) symlinkSync(`../../${name}`, link)
  }
  rmSync(copy, { recursive: true, force: true })
  cpSync('src', copy, { recursive: true })
}

/** Runs `during` with a mutant in the copy. */
export async function withMutant<T>({ file, text }: Mutant, during: () => Promise<T>): Promise<T> {
  const path = `${copy}/${file}`
  const before = readFileSync(path, 'utf8')
  const write = (content: string): void => {
    writeFileSync(path, content)
    changed.add(path)
  }
  write(text)
  try {
    return await during()
  } finally {
    write(before)
  }
}

/**
 * Runs tests up to the first that fails; with a title, those that have it in theirs. Tests that run past the limit (milliseconds) have not
 * passed.
 */
export async function runTests(tests: readonly string[], limit: number, title?: string): Promise<Outcome> {
  runner ??= await started()
  const answer = answerOf(runner)
  const asked: Asked = { tests, changed: [...changed], ...(title && { title }) }
  runner.send(asked)
  changed.clear()
  const timer = setTimeout(stopTests, limit)
  const outcome = (await answer) as Outcome | undefined
  clearTimeout(timer)
  if (outcome === undefined) return { passed: false }
  if (outcome.passed === undefined) {
    throw new Error(`mutants: tests did not run to their end [${tests.join(' ')}]`)
  }
  return outcome
}

/** What a process sends next; nothing once it has ended. */
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
export function stopTests(): void {
  if (runner?.pid !== undefined) process.kill(-runner.pid, 'SIGKILL')
  runner = undefined
}
