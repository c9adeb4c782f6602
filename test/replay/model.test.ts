import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type ReplayBatch, ReplayBuffer } from 'tpu-toolkit/replay'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { brokenRows, step } from './rows.js'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'replay-model-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The buffer as a plain list of all rows ever added, of which the last `capacity` count. */
interface Model {
  readonly capacity: number
  ended: (readonly [terminated: boolean, truncated: boolean])[]
  saved: Model['ended'] | undefined
}

interface Real {
  buffer: ReplayBuffer
  readonly path: string
}

const there = ({ ended, capacity }: Model): number[] =>
  ended.map((_, k) => k).slice(Math.max(0, ended.length - capacity))

/** Contents, order and counts are the model's. */
function checkAll(model: Model, { buffer }: Real): void {
  const rows = there(model)
  expect([buffer.size, buffer.added, buffer.oldest]).toEqual([
    rows.length,
    model.ended.length,
    model.ended.length - rows.length,
  ])
  checkBatch(model, buffer.gather(rows), rows)
}

function checkBatch(model: Model, batch: ReplayBatch, rows?: readonly number[]): void {
  if (rows) expect([...batch.indices]).toEqual(rows)
  const valid = new Set(there(model))
  expect([...batch.indices].filter((index) => !valid.has(index))).toEqual([])
  expect(brokenRows(batch)).toEqual([])
  const ended = [...batch.indices].map((index) => model.ended[index]!)
  expect([...batch.terminated]).toEqual(ended.map(([terminated]) => Number(terminated)))
  expect([...batch.truncated]).toEqual(ended.map(([, truncated]) => Number(truncated)))
}

type Command = fc.AsyncCommand<Model, Real>

const command = (
  name: string,
  run: (model: Model, real: Real) => Promise<void> | void,
  check = (_: Model) => true,
): Command => ({
  check,
  run: async (model, real) => {
    await run(model, real)
    checkAll(model, real)
  },
  toString: () => name,
})

const add = (terminated: boolean, truncated: boolean): Command =>
  command(`add(${terminated}, ${truncated})`, (model, { buffer }) => {
    buffer.add(step(model.ended.length, 2, { terminated, truncated }))
    model.ended.push([terminated, truncated])
  })

const addBatch = (ends: readonly boolean[]): Command =>
  command(`addBatch(${ends.length})`, (model, { buffer }) => {
    const rows = ends.map((end, i) => step(model.ended.length + i, 2, { truncated: end }))
    const flat = (name: 'obs' | 'nextObs') => rows.flatMap((row) => [...(row[name] as Float32Array)])
    buffer.addBatch({
      obs: flat('obs'),
      action: rows.map((row) => row.action as number),
      reward: rows.map((row) => row.reward as number),
      nextObs: flat('nextObs'),
      terminated: ends.map(() => false),
      truncated: ends,
    })
    for (const end of ends) model.ended.push([false, end])
  })

const sample = (share: number, replacement: boolean): Command =>
  command(
    `sample(${share}, ${replacement})`,
    (model, { buffer }) => {
      const size = Math.max(1, Math.floor(share * buffer.size))
      const batch = buffer.sample(size, { replacement })
      checkBatch(model, batch)
      if (!replacement) expect(new Set(batch.indices).size).toBe(size)
    },
    ({ ended }) => ended.length > 0,
  )

const sampleAsync = (share: number): Command =>
  command(
    `sampleAsync(${share})`,
    async (model, { buffer }) =>
      checkBatch(model, await buffer.sampleAsync(Math.max(1, Math.floor(share * buffer.size)))),
    ({ ended }) => ended.length > 0,
  )

const save = command('save', (model, { buffer, path }) => {
  buffer.save(path)
  model.saved = [...model.ended]
})

/** The process is gone: what was saved last is all there is. */
const crash = command(
  'crash',
  (model, real) => {
    real.buffer.close()
    real.buffer = ReplayBuffer.load(real.path, { prefetch: 'in-process' })
    model.ended = [...model.saved!]
  },
  ({ saved }) => saved !== undefined,
)

describe(`ReplayBuffer against a plain list (seed ${seed})`, () => {
  it('after any calls, crashes between them, contents, order and counts are right', async () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    const commands = [
      fc.tuple(fc.boolean(), fc.boolean()).map(([a, b]) => add(a, b)),
      fc.array(fc.boolean(), { maxLength: 9 }).map(addBatch),
      fc.tuple(share, fc.boolean()).map(([a, b]) => sample(a, b)),
      share.map(sampleAsync),
      fc.constant(save),
      fc.constant(crash),
    ]
    let file = 0
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.commands(commands, { maxCommands: 60, size: 'max' }),
        async (capacity, calls) => {
          const options = { capacity, obsDim: 2, actionDim: 1, seed, prefetch: 'in-process' } as const
          const path = join(folder, String(file++))
          const setup = () => ({
            model: { capacity, ended: [], saved: undefined } as Model,
            real: { buffer: new ReplayBuffer(options), path },
          })
          await fc.asyncModelRun(setup, calls)
        },
      ),
      { seed, numRuns: 60 },
    )
  })
})
