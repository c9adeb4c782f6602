import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { type Door, doors, isPortable } from '../doors.js'
import { uncheckedFunctions } from '../uncheckedFunctions.js'
import { argument, drawsOf } from './callArguments.js'

// npm run test:fuzz -- --calls 20000 [--seed 1]: calls public functions of the doors that run anywhere with wrong and right arguments. Each
// call returns or throws an error of ours; none takes 5 s of the processor, and none has the engine's own words.

/** Functions that take long, or for ever, by what they are asked, or that write to the screen. */
const long = new Set([
  'runDrift',
  'runKernels',
  'runStep2750',
  'ablate',
  'waitForLock',
  'coordinateCheck',
  'seeded',
  'runErrors',
  'runRecipe',
  'runRecipeArm',
])

/** Entry points of Node alone whose functions neither write files nor wait for anything. */
const ofNode = new Set(['recipes'])

/** Functions of codes, numbers and plain arrays whose arguments are not checked, since a check would cost as much as the work; and predicates. */
const unchecked = new Set(['simd', 'functions', 'bf16', 'options'])

const exempt = new Set(Object.values(uncheckedFunctions).flatMap((names) => names.split(' ')))

/** The engine's own words. */
const engine =
  /^Cannot |is not iterable|is not a function$|is not a constructor$|The "|circular structure|Invalid (array|typed array|string|count)|Maximum call stack|Array buffer allocation|out of memory|Cannot mix BigInt|Cannot convert|offset is out of bounds|toString|is not defined|Start offset|byte length/

interface Callable {
  readonly name: string
  readonly call: (...args: unknown[]) => unknown
  /** Names of options that its errors listed. */
  readonly names: Set<string>
  /** Arguments of calls in the examples of the docstrings. */
  readonly examples: (readonly unknown[])[]
}

/** Whether the functions of an entry point are called here. */
const isCalled = (door: Door): boolean =>
  (isPortable(door) || ofNode.has(door.folder)) && !unchecked.has(door.folder)

/** What an entry point exports, and the `run` of an object that has one, as the failures do. */
function withRun([name, value]: readonly [string, unknown]): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null || !('run' in value)) return [[name, value]]
  return [[`${name}.run`, value.run]]
}

async function callables(): Promise<readonly Callable[]> {
  const found: Callable[] = []
  for (const door of doors) {
    if (!isCalled(door)) continue
    const folder: Readonly<Record<string, unknown>> = await import(`tpu-toolkit/${door.folder}`)
    for (const [name, f] of Object.entries(folder).flatMap(withRun)) {
      if (
        typeof f !== 'function' ||
        long.has(name) ||
        exempt.has(name) ||
        /^class\b/.test(Function.prototype.toString.call(f))
      ) {
        continue
      }
      found.push({
        name: `${door.folder}.${name}`,
        call: f as Callable['call'],
        names: new Set(),
        examples: [],
      })
    }
  }
  return found
}

/** Calls as the examples of the docstrings make them, kept with each function. */
async function takeExamples(all: readonly Callable[]): Promise<void> {
  const byFunction = new Map<unknown, Callable>(all.map((each) => [each.call, each]))
  const recording = (value: unknown): unknown => {
    const known = byFunction.get(value)
    if (!known) return value
    const wrapped = (...args: unknown[]): unknown => {
      if (known.examples.length < 6) known.examples.push(args)
      return known.call(...args)
    }
    return wrapped
  }
  const watched = (folder: object): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(folder).map(([name, value]) => [
        name,
        Object.prototype.toString.call(value) === '[object Module]'
          ? watched(value as object)
          : recording(value),
      ]),
    )
  const root = watched(await import('tpu-toolkit'))
  for (const { folder } of doors.filter((door) => isPortable(door) || ofNode.has(door.folder))) {
    const scope: Record<string, unknown> = { ...root, ...watched(await import(`tpu-toolkit/${folder}`)) }
    for (const path of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.ts') || !path.split('/').slice(0, -1).includes(folder)) continue
      for (const lines of examplesIn(readFileSync(join('src', path), 'utf8'))) runExample(lines, scope)
    }
  }
}

/** The lines of code of each doc comment's examples, without what they promise. */
function examplesIn(text: string): string[][] {
  return [...text.matchAll(/\/\*\*[\s\S]*?\*\//g)].map(([comment]) => {
    const lines: string[] = []
    let inside = false
    for (const raw of comment.slice(3, -2).split('\n')) {
      const line = raw.replace(/^\s*\* ?/, '').trim()
      const tag = /^@(\w+)\s*(.*)$/.exec(line)
      if (tag) inside = tag[1] === 'example'
      const code = tag ? tag[2]! : line
      if (inside && code !== '') lines.push(code.replace(/\s+\/\/ .*$/, ''))
    }
    return lines
  })
}

function runExample(lines: readonly string[], scope: Readonly<Record<string, unknown>>): void {
  const names: Record<string, unknown> = { ...scope }
  for (const code of lines) {
    const declared = /^(?:const|let) (\w+)(?::[^=]+)? = (.*)$/.exec(code)
    try {
      const run = new Function(...Object.keys(names), `'use strict'; return (${declared?.[2] ?? code})`)
      const value: unknown = run(...Object.values(names))
      if (declared) names[declared[1]!] = value
    } catch {
      // An example that throws on purpose.
    }
  }
}

/** The arguments of an example with one thing wrong: an argument, or a value somewhere inside of one. */
function spoilt(draw: () => number, args: readonly unknown[], names: readonly string[]): unknown[] {
  const place = Math.floor(draw() * (args.length + 0.3))
  const next = [...args]
  next[place] = spoiltValue(draw, args[place], names, 0)
  return next
}

function spoiltValue(draw: () => number, value: unknown, names: readonly string[], depth: number): unknown {
  const inside = typeof value === 'object' && value !== null && depth < 4 && draw() < 0.75
  if (inside && Array.isArray(value) && value.length > 0) {
    const at = Math.floor(draw() * value.length)
    return value.map((item, i) => (i === at ? spoiltValue(draw, item, names, depth + 1) : item))
  }
  if (inside && Object.getPrototypeOf(value) === Object.prototype) {
    const record = value as Readonly<Record<string, unknown>>
    const own = [...Object.keys(record), ...names]
    const name = own[Math.floor(draw() * own.length)]
    if (name !== undefined) return { ...record, [name]: spoiltValue(draw, record[name], names, depth + 1) }
  }
  return argument(draw, names)
}

/** What a wrong call said that no error of ours says. */
async function outcome({ call, names }: Callable, args: readonly unknown[]): Promise<string | undefined> {
  try {
    const result = call(...args)
    if (result instanceof Promise) await result
  } catch (error) {
    if (!(error instanceof Error)) return `threw no error: ${String(error)}`
    for (const name of /there are ([\w, ]+) \[/.exec(error.message)?.[1]?.split(', ') ?? []) names.add(name)
    const missing = /option (\w+) is missing/.exec(error.message)?.[1]
    if (missing !== undefined) names.add(missing)
    if (!ofCaller(error) && (engine.test(error.message) || error.name === 'InternalError')) {
      const at =
        error.stack
          ?.split('\n')
          .find((line) => line.includes('/dist/'))
          ?.trim() ?? ''
      return `${error.name}: ${error.message} ${at.replace(/\(.*\/dist\//, '(')}`
    }
  }
  return undefined
}

/** Whether the error was thrown by the caller's own function: its first frame with a place is not of the package. */
function ofCaller(error: Error): boolean {
  const frame = error.stack?.split('\n').find((line) => /^\s+at .*:\d+:\d+\)?$/.test(line))
  return frame !== undefined && !frame.includes('/dist/')
}

function shown(value: unknown, depth = 0): string {
  if (typeof value === 'function') return String(value).slice(0, 30)
  if (typeof value === 'symbol' || typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? String(value)
  if (depth > 2) return '...'
  if (Array.isArray(value)) return `[${value.map((item) => shown(item, depth + 1)).join(', ')}]`
  if (Object.getPrototypeOf(value) !== Object.prototype) return value.constructor.name
  return `{ ${Object.entries(value)
    .map(([name, item]) => `${name}: ${shown(item, depth + 1)}`)
    .join(', ')} }`
}

interface Stretch {
  readonly seed: number
  readonly from: number
  readonly to: number
  readonly progress: Int32Array
}

/** Calls `from` to `to`, in a thread. */
async function work({ seed, from, to, progress }: Stretch): Promise<void> {
  console.log = console.warn = console.error = () => undefined
  const all = await callables()
  for (const each of all) {
    for (let n = 0; n < 3; n++) await outcome(each, [...Array(n).fill(3), { zzzzzzzzzzzz: 1 }])
  }
  await takeExamples(all)
  const words = [...new Set(all.flatMap(({ names }) => [...names]))]
  for (let i = from; i < to; i++) {
    Atomics.store(progress, 0, i)
    const draw = drawsOf(seed * 1_000_003 + i * 7919)
    for (let warm = 0; warm < 8; warm++) draw()
    const each = all[i % all.length]!
    const names = each.names.size > 0 ? [...each.names] : words
    const drawn = (): unknown[] =>
      Array.from({ length: Math.floor(draw() * 4) + (draw() < 0.9 ? 1 : 0) }, () => argument(draw, names))
    const example = each.examples[Math.floor(draw() * each.examples.length)]
    const args = example && draw() < 0.8 ? spoilt(draw, example, [...each.names]) : drawn()
    let text: string
    try {
      text = `${each.name}(${args.map((value) => shown(value)).join(', ')})`
    } catch {
      text = each.name
    }
    parentPort!.postMessage({ call: text, i })
    const said = await outcome(each, args)
    if (said !== undefined) parentPort!.postMessage({ said: `${text}: ${said}`, i })
  }
  parentPort!.postMessage({ done: true })
}

/** Calls so many functions; what went wrong, one line a fault. */
export async function fuzzCalls(count: number, seed: number): Promise<readonly string[]> {
  const faults: string[] = []
  let next = 0
  while (next < count) next = await stretch(next, count, seed, faults)
  return faults
}

function stretch(from: number, to: number, seed: number, faults: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const progress = new Int32Array(new SharedArrayBuffer(4)).fill(-1)
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { calls: { seed, from, to, progress } },
      resourceLimits: { maxOldGenerationSizeMb: 1024 },
    })
    let last = ''
    const cpuSeconds = (): number => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    }
    let seen = { i: -1, since: performance.now(), cpu: cpuSeconds() }
    const end = (at: number): void => {
      clearInterval(watch)
      void worker.terminate().then(() => resolve(at))
    }
    const watch = setInterval(() => {
      const i = Atomics.load(progress, 0)
      if (i !== seen.i) seen = { i, since: performance.now(), cpu: cpuSeconds() }
      // Seconds of the processor, which this thread needs none of, so that a busy machine is no fault; a call that waits has a minute.
      const [wall, cpu] = [(performance.now() - seen.since) / 1000, cpuSeconds() - seen.cpu]
      if (i < 0 ? wall < 600 : cpu < 5 && wall < 60) return
      if (i < 0) reject(new Error('fuzzCalls: the thread has not begun in 10 minutes [0 calls]'))
      faults.push(`call ${i}: longer than 5 s: ${last}`)
      end(Math.max(i, from) + 1)
    }, 250)
    worker.on('message', (message: { call?: string; said?: string; done?: true; i: number }) => {
      if (message.call !== undefined) last = message.call
      if (message.said !== undefined) faults.push(`call ${message.i}: ${message.said}`)
      if (message.done) end(to)
    })
    worker.on('error', (error) => {
      const i = Math.max(Atomics.load(progress, 0), from)
      faults.push(`call ${i}: ended its thread (${error.message}): ${last}`)
      end(i + 1)
    })
  })
}

const given = (workerData as { calls?: Stretch } | null)?.calls
if (!isMainThread && given) {
  await work(given)
}
