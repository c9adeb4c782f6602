import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  arraySource,
  BaseTransform,
  fromModule,
  joinStates,
  type Pipeline,
  pipeline,
} from 'tpu-toolkit/pipeline'
import { key, uniform } from 'tpu-toolkit/random'
import { type Tensor, tensor } from 'tpu-toolkit/tensor'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { filesUnder, readText, root } from '../support/project.js'

// The modules that workers load, as a user writes them: plain JavaScript, and the built package by its path.
const dist = pathToFileURL(`${root}dist/`).href
const transforms = `
import { writeFileSync } from 'node:fs'
import { uniform } from '${dist}tensors/random/index.js'
import { mul } from '${dist}tensors/tensor/index.js'
export const double = (x) => 2 * x
export const even = (x) => x % 2 === 0
export const slow = async (x) => {
  await new Promise((resolve) => setTimeout(resolve, (7 * x) % 5))
  return x
}
export const forever = () => { writeFileSync(new URL('entered', import.meta.url), ''); for (;;); }
export const noisy = (x, { key, index, epoch, position }) => [x, uniform(key, 1)[0], index, epoch, position]
export const failing = (x) => { if (x === 13) throw new RangeError('thirteen'); return x }
export const square = (x) => mul(x, x)
export class Scale {
  constructor({ by }) { this.by = by; this.made = ++Scale.count }
  apply(x) { return x * this.by }
}
Scale.count = 0
export const total = (batch) => batch.reduce((sum, x) => sum + x, 0)
export const seven = 7
export const closure = () => () => 1
export const same = (x) => x
export const exits = (x) => { if (x === 3) process.exit(3); return x }
export const bare = () => { throw Object.create(null) }
const boom = () => { throw new Error('boom') }
export const result = () => Object.defineProperty({}, 'x', { get: boom, enumerable: true })
export const thrown = () => { throw Object.defineProperties({}, { constructor: { get: boom }, x: { get: boom, enumerable: true } }) }
export const message = () => { throw Object.defineProperty(new Error(), 'message', { get: boom }) }
export const unsendable = () => { throw new RangeError('odd', { cause: () => 1 }) }
`
let folder = ''
let url = new URL('file:///')
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'workers-'))
  url = pathToFileURL(join(folder, 'transforms.mjs'))
  writeFileSync(url, transforms)
})
afterAll(() => rmSync(folder, { recursive: true }))

const numbers = (count: number) => arraySource(Array.from({ length: count }, (_, i) => i))
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = []
  for await (const item of items) taken.push(item)
  return taken
}
const named = <Out>(name: string, options?: unknown) => fromModule<never, Out>(url, name, options) as never

describe('load with workers', () => {
  it("dist holds the worker's files of these sources (else: npm run build)", () => {
    const { compilerOptions } = ts.parseConfigFileTextToJson('', readText('tsconfig.base.json')).config
    const { options } = ts.convertCompilerOptionsFromJson({ ...compilerOptions, module: 'ESNext' }, root)
    // The package's files have no comments.
    const bare = { compilerOptions: { ...options, removeComments: true, sourceMap: false } }
    const code = (text: string): string => ts.transpileModule(text, bare).outputText
    const stale = filesUnder('src/training/pipeline', '.ts').filter((path) => {
      const built = `${root}${path.replace(/^src/, 'dist').replace(/\.ts$/, '.js')}`
      const { outputText } = ts.transpileModule(readText(path), { compilerOptions: options, fileName: path })
      return !existsSync(built) || code(readFileSync(built, 'utf8')) !== code(outputText)
    })
    expect(stale).toEqual([])
  })

  it.concurrent.each([1, 2, 3])(
    'the order and the values are those without workers, with %i',
    async (workers) => {
      const pipe = pipeline(numbers(100), { shuffle: true, seed: 5, epochs: 2 })
        .map<number>(named('slow'))
        .filter(named('even'))
        .map((x) => x + 1)
        .map<number>(named('Scale', { by: 10 }))
        .batch(8, { collate: (records) => [...records] })
        .map<number>(named('total'))
      const expected = await all(pipe.load())
      expect(await all(pipe.load({ workers, chunk: 3 }))).toEqual(expected)
      expect(await all(pipe.prefetch(0).load({ workers }))).toEqual(expected)
      expect(expected.length).toBe(13)
      expect(expected.reduce((sum, x) => sum + x, 0)).toBe(10 * 2 * (2450 + 50))
    },
  )

  it('context.key is the same for a visit of a record on any number of workers and hosts', async () => {
    const pipe = pipeline(numbers(10), { shuffle: true, seed: 5, epochs: 2 }).map<number[]>(named('noisy'))
    const alone = await all(pipe.load())
    expect(new Set(alone.map(([, drawn]) => drawn)).size).toBe(20)
    expect(await all(pipe.load({ workers: 2, chunk: 1 }))).toEqual(alone)
    const hosts = await Promise.all([0, 1].map((host) => all(pipe.load({ host, hosts: 2 }))))
    expect(alone.map((_, i) => hosts[i % 2]![Math.floor(i / 2)])).toEqual(alone)
    expect(alone[13]!.slice(2)).toEqual([alone[13]![0], 1, 13])
    const here = await all(
      pipeline(numbers(10), { shuffle: true, seed: key(5), epochs: 2 })
        .map((x, { key: drawn, index, epoch, position }) => [x, uniform(drawn, 1)[0], index, epoch, position])
        .load(),
    )
    expect(here).toEqual(alone)
  })

  it('tensors cross as tensors', async () => {
    const source = arraySource([
      { x: tensor([1, 2], { dtype: 'bfloat16' }) },
      { x: tensor([3, 4], { dtype: 'bfloat16' }) },
    ])
    const squares = pipeline(source)
      .map(({ x }) => x)
      .map<Tensor>(named('square'))
      .batch(2)
    const [batch] = await all(squares.load({ workers: 1 }))
    expect([batch!.dtype, batch!.toBits()]).toEqual([
      'bfloat16',
      Uint16Array.of(0x3f80, 0x4080, 0x4110, 0x4180),
    ])
  })

  it.each([0, 2])('a failure names the transform and the record, with %i workers', async (workers) => {
    const pipe = pipeline(numbers(20)).map<number>(named('failing'))
    const taken: number[] = []
    const loader = pipe.load({ workers, chunk: 2 })
    const error = await (async () => {
      for await (const x of loader) taken.push(x)
    })().catch((thrown: unknown) => thrown as Error)
    expect((error as Error).message).toBe('map: failing failed at record 13, place 13 [thirteen]')
    expect(taken).toEqual([...Array(12).keys()])
    expect(joinStates([loader.state()])).toMatchObject({ position: 12, pending: [] })
    expect(await loader.next()).toEqual({ done: true, value: undefined })
  })

  it('a record with a field tensorOnWire is no tensor, and records that hold themselves cross', async () => {
    const forged = { tensorOnWire: ['float32', [1], [1]], x: tensor([1]) }
    const cyclic: Record<string, unknown> = { x: tensor([2]), ['__proto__x']: 1 }
    cyclic['self'] = cyclic
    let deep: unknown = tensor([3])
    for (let i = 0; i < 500; i++) deep = [deep]
    const pipe = pipeline(arraySource<unknown>([forged, cyclic, deep])).map(named('same'))
    const [first, second, third] = (await all(pipe.load({ workers: 1 }))) as unknown[]
    expect(first).toEqual(forged)
    expect(second).toEqual(cyclic)
    expect(Object.values(second as object)).toContain(second)
    expect(third).toEqual(deep)
  })

  it('a worker that ends says with which records, an error without a prototype is told, whatever its cause', async () => {
    const failure = (name: string, count = 8): Promise<unknown> =>
      all(pipeline(numbers(count)).map(named(name)).load({ workers: 1, chunk: 4 })).catch(
        (thrown: unknown) => (thrown as Error).message,
      )
    expect(await failure('exits')).toMatch(
      /^load: a worker ended at its work, thread [1-9]\d*, records 0 to 3, 4 of them: a transform that calls process\.exit, or crashes the engine, is seen with workers: 0 \[.*code: 3.*\]$/,
    )
    expect(await failure('bare')).toBe('map: bare failed at record 0, place 0 [an object]')
    expect(await failure('result')).toBe('load: the result of a transform cannot be read [boom]')
    expect(await failure('thrown')).toBe('map: thrown failed at record 0, place 0 [an object]')
    expect(await failure('message')).toBe('map: message failed at record 0, place 0 [an object]')
    expect(await failure('unsendable')).toBe('map: unsendable failed at record 0, place 0 [odd]')
  })

  it('as many workers as no machine has are refused', () => {
    expect(() => pipeline(numbers(1)).map(named('double')).load({ workers: 1000 })).toThrow(
      new RangeError('load: workers is not a whole number from 0 to 128 [1000]'),
    )
  })

  it('what cannot go to another thread is an error that says so', async () => {
    const failure = (pipe: Pipeline<unknown>) =>
      all(pipe.load({ workers: 1 })).catch((thrown: unknown) => thrown)
    expect(await failure(pipeline(numbers(2)).map(named('closure')))).toEqual(
      new TypeError(
        'load: the result of a transform cannot be sent to another thread, records 0 to 1, 2 of them [not cloneable]',
      ),
    )
    expect(await failure(pipeline(arraySource([String.prototype.at])).map(named('double')))).toMatchObject({
      name: 'TypeError',
      message: expect.stringMatching(
        /^load: a record or an option cannot be sent to another thread, record 0 \[.+\]$/s,
      ),
    })
    expect(await failure(pipeline(numbers(2)).map(named('Scale', { by: Math.abs })))).toMatchObject({
      name: 'TypeError',
      message: expect.stringMatching(
        /^load: a record or an option cannot be sent to another thread \[.+\]$/s,
      ),
    })
  })

  it.each([0, 1])('a missing module or export is named, with %i workers', async (workers) => {
    const failure = async (pipe: Pipeline<unknown>) =>
      (await all(pipe.load({ workers })).catch((thrown: unknown) => thrown as Error)) as Error
    const missing = pathToFileURL(join(folder, 'missing.mjs')).href
    const first = await failure(pipeline(numbers(1)).map(fromModule(missing, 'double')))
    expect(first.message).toMatch(/^fromModule: cannot load the module \[file:.*missing\.mjs: .+\]$/s)
    const second = await failure(pipeline(numbers(1)).map(fromModule(url, 'triple')))
    expect(second.message).toBe(`fromModule: the module has no export of this name [triple of ${url.href}]`)
    const third = await failure(pipeline(numbers(1)).map(fromModule(url, 'seven')))
    expect(third.message).toBe(`fromModule: neither a function nor a class [seven of ${url.href}]`)
    const fourth = await failure(pipeline(numbers(1)).map(fromModule(url, 'double', { by: 3 })))
    expect(fourth.message).toBe(
      `fromModule: a function takes no options, export a class with apply [double of ${url.href}]`,
    )
  })

  it('break and return() stop the workers, even one that never ends', async () => {
    const endless = pipeline(numbers(1000)).map<number>(named('forever')).load({ workers: 2, chunk: 1 })
    const waiting = endless.next().catch((error: Error) => error.message)
    await vi.waitFor(() => expect(existsSync(join(folder, 'entered'))).toBe(true), 300_000)
    await endless.return()
    expect(await waiting).toEqual({ done: true, value: undefined })
    const some = pipeline(numbers(1000)).map<number>(named('double')).load({ workers: 2 })
    for await (const x of some) if (x === 10) break
    expect(joinStates([some.state()])).toMatchObject({ position: 6, pending: [] })
    expect(await some.next()).toEqual({ done: true, value: undefined })
  })

  it('a run that is killed goes on from its last checkpoint with the same remaining sequence', async () => {
    const program = `
import { writeFileSync, renameSync } from 'node:fs'
import { arraySource, fromModule, pipeline } from '${dist}training/pipeline/index.js'
const loader = pipeline(arraySource(Array.from({ length: 1000 }, (_, i) => i)), { shuffle: true, seed: 9, epochs: 3 })
  .map(fromModule('${url.href}', 'double')).batch(7).load({ workers: 1 })
for await (const batch of loader) {
  writeFileSync('${folder}/state.tmp', JSON.stringify({ state: loader.state(), last: [...batch] }))
  renameSync('${folder}/state.tmp', '${folder}/state.json')
  console.log('step')
}
`
    writeFileSync(join(folder, 'killed.mjs'), program)
    const child = spawn(process.execPath, [join(folder, 'killed.mjs')])
    await new Promise<void>((resolve) => {
      let steps = 0
      child.stdout.on('data', (data: Buffer) => {
        steps += data.toString().split('step').length - 1
        if (steps >= 20) child.kill('SIGKILL')
      })
      child.on('close', () => resolve())
    })
    const { state, last } = JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8'))
    const pipe = pipeline(numbers(1000), { shuffle: true, seed: 9, epochs: 3 })
      .map<number>(named('double'))
      .batch(7)
    const whole = (await all(pipe.load())).map((batch) => [...batch])
    const from = joinStates([state])
    const done = from.position / 7
    expect(done).toBeGreaterThanOrEqual(20)
    expect(whole[done - 1]).toEqual(last)
    expect((await all(pipe.load({ from, workers: 1 }))).map((batch) => [...batch])).toEqual(whole.slice(done))
  })
})

describe('the fingerprint of a state', () => {
  it('a run is not gone on with over other records, or in another order of them', async () => {
    const begun = pipeline(numbers(20), { shuffle: true, seed: 1 }).load()
    for (let i = 0; i < 5; i++) await begun.next()
    const from = joinStates([JSON.parse(JSON.stringify(begun.state()))])
    await begun.return()
    const why = /^load: a state of other records, or of another order of them \[[\da-f]{16} \/ [\da-f]{16}\]$/
    const going = (count: number, options: { shuffle?: boolean; seed?: number; epochs?: number }) => () =>
      pipeline(numbers(count), options).load({ from })
    expect(going(21, { shuffle: true, seed: 1 })).toThrow(why)
    expect(going(20, { shuffle: true, seed: 2 })).toThrow(why)
    expect(going(20, {})).toThrow(why)
    const other = arraySource(Array.from({ length: 20 }, (_, i) => i + 1))
    expect(() => pipeline(other, { shuffle: true, seed: 1 }).load({ from })).toThrow(why)
    // More epochs, and a key in place of its seed, are the same order.
    expect((await all(going(20, { shuffle: true, seed: 1, epochs: 2 })())).length).toBe(35)
    expect((await all(pipeline(numbers(20), { shuffle: true, seed: key(1) }).load({ from }))).length).toBe(15)
    // A place alone says nothing of the records.
    expect((await all(pipeline(numbers(6)).load({ from: 5 }))).length).toBe(1)
  })
})

describe('a promise that never settles', () => {
  it.concurrent.each(['map', 'batch'] as const)(
    'ahead of a break at %s does not keep it from returning',
    async (where) => {
      const stuck = (x: number): number | Promise<number> => (x < 4 ? x : new Promise(() => {}))
      const pipe = pipeline(numbers(20)).map(stuck).prefetch(4)
      const loader = where === 'map' ? pipe.load({ chunk: 1 }) : pipe.batch(2).load({ chunk: 1 })
      for await (const _ of loader) break
      const waiting = pipe.load({ chunk: 1 })
      for (let i = 0; i < 4; i++) await waiting.next()
      const next = waiting.next()
      await waiting.return()
      expect(await next).toEqual({ done: true, value: undefined })
    },
  )
})

describe('transforms without workers', () => {
  it('an instance of BaseTransform is one, and closures run in this thread', async () => {
    class Add extends BaseTransform<number, number> {
      apply(x: number): number {
        return x + 100
      }
    }
    expect(await all(pipeline(numbers(3)).map(new Add()).load())).toEqual([100, 101, 102])
  })
})
