import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { Worker } from 'node:worker_threads'
import { build } from 'esbuild'
import fc from 'fast-check'
import { ReplayBuffer } from 'tpu-toolkit/replay'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openGatherWorker } from '../../src/replay/gatherWorker.js'
import { isLong } from '../support/long.js'
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
  const count = isLong ? 1e6 : 1e5
  it(`no row is torn in ${count} adds beside ${count} batches that a worker gathers ahead`, async () => {
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
    for (let call = 0; call < count; call++) {
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
    expect(ready + gathered).toBeGreaterThanOrEqual(count)
    // Both ways were taken, and rows were lost in between.
    expect(Math.min(ready, gathered, renewed)).toBeGreaterThan(100)
    buffer.close()
  })

  it.each([{}, { prioritized: true }, { nStep: { n: 3, gamma: 0.9 } }, { dtype: 'float8_e4m3fn' }] as const)(
    'gives the same batches with and without a worker, whatever the worker’s pace (%o)',
    async (more) => {
      const ahead = new ReplayBuffer({ ...usual, ...more })
      const plain = new ReplayBuffer({ ...usual, ...more, prefetch: 'in-process' })
      // On a busy machine the worker takes longer to start: then there are more calls.
      for (let k = 0; k < 400 || (ahead.stats().prefetch.ready <= 10 && k < 20_000); k++) {
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
      expect(plain.stats().prefetch).toMatchObject({ by: 'in-process', ready: 0 })
      ahead.close()
    },
  )

  it('gives the rewards of in-process sampling when batch sizes change while the machine is busy', async () => {
    // ASYNC_SAMPLES=100000 is the long run.
    const count = Number(process.env['ASYNC_SAMPLES'] ?? 3000)
    const spin = 'const end = Date.now() + 600000; while (Date.now() < end);'
    const load = Array.from({ length: 3 }, () => new Worker(spin, { eval: true, execArgv: [] }))
    const options = { ...usual, nStep: { n: 3, gamma: 0.9 } }
    const ahead = new ReplayBuffer(options)
    const plain = new ReplayBuffer({ ...options, prefetch: 'in-process' })
    try {
      for (let k = 0; k < 40; k++) {
        for (const buffer of [ahead, plain]) buffer.add(step(k))
      }
      let different = 0
      for (let k = 40; k < count + 40; k++) {
        for (const buffer of [ahead, plain]) buffer.add(step(k, 2, { terminated: k % 5 === 4 }))
        // A size lasts for 1 to 4 calls, so that a task is often under way when the size changes.
        const size = [3, 8, 8, 5, 5, 5, 40, 40, 40, 40][k % 10]!
        const batch = await ahead.sampleAsync(size)
        const wanted = await plain.sampleAsync(size)
        if (!isDeepStrictEqual(batch, wanted)) different++
        if (k % 7 === 0) await sleep(0)
        if (!isDeepStrictEqual(batch, wanted)) different++
      }
      expect(different).toBe(0)
    } finally {
      ahead.close()
      for (const worker of load) await worker.terminate()
    }
  }, 600_000)

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
  it('gathers a task into the targets of its time, though newer ones were posted before it woke', async () => {
    const array = new Float32Array(new SharedArrayBuffer(16)).fill(7)
    const prefetcher = openGatherWorker([
      { array, stride: 1, offset: 0, width: 1, table: undefined, scales: undefined },
    ])!
    const target = () => ({
      slots: [new Uint32Array(new SharedArrayBuffer(8))],
      outs: [new Float32Array(new SharedArrayBuffer(8))],
    })
    const [old, newer] = [target(), target()]
    prefetcher.useTargets([old])
    // A worker takes milliseconds to start, so both lists are in its port by then.
    prefetcher.start(0)
    prefetcher.useTargets([newer])
    while (!prefetcher.idle()) await sleep(1)
    expect([[...old.outs[0]!], [...newer.outs[0]!]]).toEqual([
      [7, 7],
      [0, 0],
    ])
    prefetcher.start(0)
    while (!prefetcher.idle()) await sleep(1)
    expect([...newer.outs[0]!]).toEqual([7, 7])
    prefetcher.close()
  })

  it('runs in the built package, and keeps no process alive', () => {
    const file = join(folder, 'built.mjs')
    writeFileSync(file, script(`${root}dist/replay/index.js`))
    const run = spawnSync(process.execPath, [file], { encoding: 'utf8', timeout: 300_000 })
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
      const run = spawnSync(process.execPath, [outfile], { encoding: 'utf8', timeout: 300_000 })
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
    const run = spawnSync(process.execPath, [outfile], { encoding: 'utf8', timeout: 300_000 })
    expect([run.stderr, run.stdout]).toEqual(['', 'none yet 0\n'])
  })
})
