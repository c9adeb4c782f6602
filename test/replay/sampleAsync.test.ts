import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'esbuild'
import fc from 'fast-check'
import { ReplayBuffer } from 'tpu-toolkit/replay'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../support/project.js'
import { seed } from '../support/seed.js'
import { brokenRows, step } from './rows.js'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'replay-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const usual = { capacity: 50, obsDim: 2, actionDim: 1, seed }

/** Calls sampleAsync until a batch was ready when asked for: the worker takes a while to start. */
async function untilReady(buffer: ReplayBuffer, size: number): Promise<void> {
  for (let tries = 0; buffer.stats().prefetch.ready === 0; tries++) {
    expect(tries).toBeLessThan(2000)
    await buffer.sampleAsync(size)
    await sleep(5)
  }
}

describe(`sampleAsync (seed ${seed})`, () => {
  it('no row is torn in 10^6 adds beside 10^6 batches that a worker gathers ahead', async () => {
    // A small ring of wide rows: the rows of a batch are overwritten while they are gathered.
    const obsDim = 16
    const buffer = new ReplayBuffer({ capacity: 16, obsDim, actionDim: 1, seed })
    const rows = Array.from({ length: 16 }, () => step(0, obsDim))
    let next = 0
    const add = (): void => {
      const row = rows[next % 16]!
      const obs = row.obs as Float32Array
      const nextObs = row.nextObs as Float32Array
      obs.fill(next)
      nextObs.fill(next + 0.5)
      buffer.add({ obs, nextObs, action: -next, reward: next / 4, terminated: false })
      next++
    }
    for (let k = 0; k < 16; k++) add()
    await untilReady(buffer, 4)
    let broken = 0
    for (let call = 0; call < 1e6; call++) {
      add()
      const batch = await buffer.sampleAsync(4)
      const { oldest } = buffer
      for (let i = 0; i < 4; i++) {
        const k = batch.indices[i]!
        let wrong = k < oldest || k >= next || batch.action[i] !== -k || batch.reward[i] !== k / 4
        for (let j = i * obsDim; j < (i + 1) * obsDim; j++) {
          wrong ||= batch.obs[j] !== k || batch.nextObs[j] !== k + 0.5
        }
        if (wrong) broken++
      }
    }
    expect(broken).toBe(0)
    const { by, ready, gathered, renewed } = buffer.stats().prefetch
    expect(by).toBe('worker')
    expect(ready + gathered).toBeGreaterThanOrEqual(1e6)
    // Both ways were taken, and rows were lost in between.
    expect(Math.min(ready, gathered, renewed)).toBeGreaterThan(100)
    buffer.close()
  }, 180_000)

  it.each([{}, { prioritized: true }, { nStep: { n: 3, gamma: 0.9 } }, { dtype: 'float8_e4m3fn' }] as const)(
    'gives the same batches with and without a worker, whatever the worker’s pace (%o)',
    async (more) => {
      const ahead = new ReplayBuffer({ ...usual, ...more })
      const plain = new ReplayBuffer({ ...usual, ...more, prefetch: 'in-process' })
      for (let k = 0; k < 400; k++) {
        for (const buffer of [ahead, plain]) buffer.add(step(k, 2, { terminated: k % 5 === 4 }))
        if (k < 8) continue
        const size = k % 40 < 30 ? 8 : 3
        const batch = await ahead.sampleAsync(size)
        expect(batch).toEqual(await plain.sampleAsync(size))
        if ('prioritized' in more) {
          for (const buffer of [ahead, plain]) {
            buffer.updatePriorities(
              batch.indices,
              batch.indices.map((x) => x % 7),
            )
          }
        }
        if (k % 3 === 0) await sleep(1)
      }
      expect(ahead.stats().prefetch.ready).toBeGreaterThan(10)
      expect(plain.stats().prefetch).toMatchObject({ by: 'in-process', ready: 0 })
      ahead.close()
    },
    30_000,
  )

  it('a call for another size gets that many rows, drawn anew, and the batch that waited is counted', async () => {
    const buffer = new ReplayBuffer(usual)
    for (let k = 0; k < 20; k++) buffer.add(step(k))
    await untilReady(buffer, 4)
    for (const size of [4, 7, 4, 4, 1, 20]) {
      const batch = await buffer.sampleAsync(size)
      expect(batch.size).toBe(size)
      expect(batch.obs.length).toBe(2 * size)
      expect(brokenRows(batch)).toEqual([])
      await sleep(2)
    }
    expect(buffer.stats().prefetch.discarded).toBe(4)
    const all = await buffer.sampleAsync(20, { replacement: false })
    expect(new Set(all.indices).size).toBe(20)
    expect(buffer.stats().prefetch.discarded).toBe(5)
    buffer.close()
  })

  it('rows that were overwritten since they were drawn are drawn again, other ones without replacement', async () => {
    const buffer = new ReplayBuffer({ ...usual, capacity: 10 })
    for (let k = 0; k < 10; k++) buffer.add(step(k))
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 12 }), async (more) => {
        for (let i = 0; i < more; i++) buffer.add(step(buffer.added))
        const batch = await buffer.sampleAsync(8, { replacement: false })
        expect(new Set(batch.indices).size).toBe(8)
        expect(Math.min(...batch.indices)).toBeGreaterThanOrEqual(buffer.oldest)
        expect(brokenRows(batch)).toEqual([])
      }),
      { seed },
    )
    expect(buffer.stats().prefetch.renewed).toBeGreaterThan(100)
    buffer.close()
  })

  it('a batch that was gathered before a scale grew is gathered again', async () => {
    const buffer = new ReplayBuffer({ ...usual, dtype: 'float8_e4m3fn' })
    const row = { action: 0, reward: 0, nextObs: [0, 0], terminated: false }
    for (let k = 0; k < 10; k++) buffer.add({ ...row, obs: [1 + k, 0] })
    await untilReady(buffer, 8)
    for (let more = 1; more <= 5; more++) {
      await buffer.sampleAsync(8)
      // Time for the worker to be done with the next batch; then its rows lose their lower end.
      await sleep(20)
      buffer.add({ ...row, obs: [1000 ** more, 0] })
      const batch = await buffer.sampleAsync(8)
      expect(batch.obs).toEqual(buffer.gather(batch.indices).obs)
    }
    expect(buffer.stats().columns['obs']!.error!.rescaleMaxAbs).toBeGreaterThan(1)
    buffer.close()
  })

  it('a batch stays as it is while the next one is gathered', async () => {
    const buffer = new ReplayBuffer(usual)
    for (let k = 0; k < 50; k++) buffer.add(step(k))
    await untilReady(buffer, 16)
    for (let call = 0; call < 200; call++) {
      const batch = await buffer.sampleAsync(16)
      const copy = structuredClone({ ...batch, obs: batch.obs.slice() }).obs
      if (call % 10 === 0) await sleep(1)
      expect(batch.obs).toEqual(copy)
      expect(brokenRows(batch)).toEqual([])
    }
    buffer.close()
    expect((await buffer.sampleAsync(16)).size).toBe(16)
    expect(buffer.stats().prefetch.by).toBe('in-process')
  })

  it('bad arguments reject', async () => {
    const buffer = new ReplayBuffer(usual)
    await expect(buffer.sampleAsync(1)).rejects.toThrow(
      new RangeError('sampleAsync: the buffer is empty [0 rows]'),
    )
    buffer.add(step(0))
    await expect(buffer.sampleAsync(2)).rejects.toThrow(
      new RangeError('sampleAsync: more rows asked for than there are [2 of 1]'),
    )
  })
})

const script = (from: string): string => `
  import { ReplayBuffer } from ${JSON.stringify(from)}
  const buffer = new ReplayBuffer({ capacity: 8, obsDim: 1, actionDim: 1, dtype: 'bfloat16' })
  for (let k = 0; k < 8; k++) buffer.add({ obs: k, action: 0, reward: 0, nextObs: k, terminated: false })
  for (let tries = 0; tries < 2000 && buffer.stats().prefetch.ready < 3; tries++) {
    const batch = await buffer.sampleAsync(4)
    if (batch.obs.join() !== batch.indices.join()) throw new Error('wrong rows')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  console.log(buffer.stats().prefetch.by, buffer.stats().prefetch.ready)`

describe('the worker', () => {
  it('runs in the built package, and keeps no process alive', () => {
    const file = join(folder, 'built.mjs')
    writeFileSync(file, script(`${root}dist/replay/index.js`))
    const run = spawnSync(process.execPath, [file], { encoding: 'utf8', timeout: 30_000 })
    expect([run.stderr, run.stdout]).toEqual(['', 'worker 3\n'])
  })

  it('runs in a bundle, minified, its functions renamed or marked with their names', async () => {
    for (const keepNames of [false, true]) {
      const outfile = join(folder, `bundle-${keepNames}.mjs`)
      await build({
        stdin: { contents: script('./src/replay/index.ts'), resolveDir: root, loader: 'ts' },
        bundle: true,
        minify: true,
        keepNames,
        platform: 'node',
        format: 'esm',
        outfile,
        logLevel: 'error',
      })
      const run = spawnSync(process.execPath, [outfile], { encoding: 'utf8', timeout: 30_000 })
      expect([run.stderr, run.stdout]).toEqual(['', 'worker 3\n'])
    }
  })

  it('is not needed: the core has no Node module in it and runs where there is no shared memory', async () => {
    const outfile = join(folder, 'browser.mjs')
    const { metafile } = await build({
      stdin: {
        contents: `${script('./src/replay/replayCore.ts').replace('{ ReplayBuffer }', '{ ReplayCore as ReplayBuffer }').replace('< 3', '< 0')}`,
        resolveDir: root,
        loader: 'ts',
      },
      bundle: true,
      platform: 'browser',
      format: 'esm',
      banner: { js: 'delete globalThis.SharedArrayBuffer' },
      outfile,
      logLevel: 'error',
      metafile: true,
    })
    expect(Object.keys(metafile.inputs).filter((path) => path.includes('node:'))).toEqual([])
    const run = spawnSync(process.execPath, [outfile], { encoding: 'utf8', timeout: 30_000 })
    expect([run.stderr, run.stdout]).toEqual(['', 'none yet 0\n'])
  })
})
