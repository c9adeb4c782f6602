import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { seeded } from 'tpu-toolkit/random'
import { ReplayBuffer, type ReplayOptions } from 'tpu-toolkit/replay'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleScript } from '../support/bundleScript.js'
import { isLong } from '../support/long.js'
import { seed } from '../support/seed.js'
import { brokenRows, step } from './rows.js'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'replay-file-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const usual = { capacity: 20, obsDim: 2, actionDim: 1, seed, prefetch: 'in-process' } as const
const inProcess = { prefetch: 'in-process' } as const

function filled(rows: number, more: object = {}): ReplayBuffer {
  const buffer = new ReplayBuffer({ ...usual, ...more } as ReplayOptions)
  for (let k = 0; k < rows; k++) buffer.add(step(k, 2, { terminated: k % 6 === 5 }))
  return buffer
}

describe(`save and load (seed ${seed})`, () => {
  it.each([
    ['float32, partly filled', 7, {}],
    ['full', 33, {}],
    ['empty', 0, {}],
    ['prioritized', 33, { prioritized: { alpha: 0.7 } }],
    ['n-step', 33, { nStep: { n: 3, gamma: 0.9 } }],
    ['bfloat16', 33, { dtype: 'bfloat16' }],
    ['float8_e4m3fn', 33, { dtype: 'float8_e4m3fn' }],
    ['rate-limited', 33, { rateLimit: { samplesPerInsert: 2, minSizeToSample: 4, errorBuffer: 1000 } }],
    ['NaN rewards', 3, { nanReward: 'keep' }],
  ])('a loaded buffer goes on as the saved one does (%s)', async (name, rows, more) => {
    const path = join(folder, `${name}.replay`)
    const buffer = filled(rows, more)
    const ready = rows > 4
    if (name === 'NaN rewards') buffer.add({ ...step(3), reward: Number.NaN })
    if (ready) await buffer.sampleAsync(4)
    if (name === 'prioritized') buffer.updatePriorities([14, 20, 32], [5, 0, 2])
    buffer.save(path)
    const again = ReplayBuffer.load(path, inProcess)
    const there = Array.from({ length: buffer.size }, (_, i) => buffer.oldest + i)
    expect(again.settings).toEqual(buffer.settings)
    for (let call = 0; call < 4; call++) {
      expect(again.gather(there)).toEqual(buffer.gather(there))
      // The batch that was drawn before it was saved comes first.
      if (ready) expect(await again.sampleAsync(4)).toEqual(await buffer.sampleAsync(4))
      if (ready) expect(again.sample(3)).toEqual(buffer.sample(3))
      if (ready) {
        expect(again.sampleSequences(2, { length: 2 })).toEqual(buffer.sampleSequences(2, { length: 2 }))
      }
      for (const one of [again, buffer]) one.add(step(1000 + call))
      there.shift()
    }
    const { prefetch: _a, ...stats } = again.stats()
    const { prefetch: _b, ...expected } = buffer.stats()
    expect(stats).toEqual(expected)
  })

  it('a spec that its owner changes afterwards changes no file', () => {
    const spec = { pair: { shape: [2] } }
    const buffer = new ReplayBuffer({ capacity: 2, spec, prefetch: 'in-process' })
    buffer.add({ pair: [1, 2], terminated: false })
    spec.pair.shape[0] = 1
    const path = join(folder, 'spec')
    buffer.save(path)
    expect(ReplayBuffer.load<typeof spec>(path, { prefetch: 'in-process' }).gather([0]).pair).toEqual(
      Float32Array.of(1, 2),
    )
  })

  it('takes paths and file URLs, and keeps columns of any type', () => {
    const spec = {
      image: { shape: [2], dtype: 'uint8' },
      hidden: { shape: [2], dtype: 'float4_e2m1fn' },
    } as const
    const buffer = new ReplayBuffer({ capacity: 3, spec, environments: 3, prefetch: 'in-process' })
    buffer.addBatch({ image: [1, 2, 3, 4, 5, 6], hidden: [1, 2, 3, 4, 6, 0.5], terminated: [0, 0, 1] })
    const url = pathToFileURL(join(folder, 'spec.replay'))
    buffer.save(url)
    const again = ReplayBuffer.load<typeof spec>(url, inProcess)
    expect(again.gather([0, 1, 2])).toEqual(buffer.gather([0, 1, 2]))
    expect(again.gather([1]).image).toEqual(Uint8Array.of(3, 4))
  })

  it('a file with any one bit changed, or cut off anywhere, is refused with the reason and left as it is', () => {
    const path = join(folder, 'whole.replay')
    filled(5, { capacity: 5 }).save(path)
    const whole = readFileSync(path)
    const damaged = join(folder, 'damaged.replay')
    const refusal = (bytes: Uint8Array): string => {
      writeFileSync(damaged, bytes)
      try {
        ReplayBuffer.load(damaged, inProcess)
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
        expect(readFileSync(damaged).equals(bytes)).toBe(true)
        return (error as Error).message.replace(` [${damaged}]`, '')
      }
      return 'taken'
    }
    const reasons = new Map<string, number>()
    const count = (reason: string) => reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    for (let at = 0; at < whole.length; at++) {
      const bytes = Buffer.from(whole)
      bytes[at]! ^= 1 << (at % 8)
      count(refusal(bytes).replace(/\d+/g, 'n'))
    }
    // 8 bytes of name, 4 of version, 8 of length (shorter or longer), and the checksum sees the rest.
    expect(reasons.get('load: not a replay file')).toBe(8)
    expect(reasons.get('load: the file has version n, this reads version n')).toBe(4)
    const lengths = [...reasons].filter(([reason]) => /bytes/.test(reason)).reduce((sum, [, n]) => sum + n, 0)
    expect(lengths).toBe(8)
    expect(reasons.get('load: the file is damaged, its checksum is another')).toBe(whole.length - 20)

    const cut: string[] = []
    for (let length = 0; length < whole.length; length++) cut.push(refusal(whole.subarray(0, length)))
    expect(cut[0]).toBe('load: not a replay file')
    expect(cut[5]).toBe('load: the file is cut off, it has 5 of at least 64 bytes')
    expect(cut.at(-1)).toBe(`load: the file is cut off, it has ${whole.length - 1} of ${whole.length} bytes`)
    expect(cut).not.toContain('taken')
    expect(refusal(Buffer.concat([whole, Buffer.of(0)]))).toBe(
      `load: the file has ${whole.length + 1} bytes instead of ${whole.length}`,
    )
    expect(refusal(whole)).toBe('taken')
  })

  it('a file with a checksum that fits and numbers that do not is refused, and never drawn from', () => {
    const path = join(folder, 'forged.replay')
    const buffer = filled(33, { prioritized: true, nStep: { n: 3, gamma: 0.9 }, dtype: 'float6_e2m3fn' })
    buffer.save(path)
    const whole = readFileSync(path)
    const size = whole.readUInt32LE(12)
    type Json = { settings: Record<string, unknown>; facts: Record<string, unknown> }
    const forged = (change: (json: Json) => unknown, rows = whole.subarray(64 + size)): string => {
      const json = JSON.parse(whole.toString('utf8', 64, 64 + size))
      const header = Buffer.from(JSON.stringify(change(json) ?? json))
      const bytes = Buffer.concat([whole.subarray(0, 64), header, rows])
      bytes.writeUInt32LE(header.length, 12)
      bytes.writeDoubleLE(bytes.length, 16)
      createHash('sha256').update(bytes.subarray(0, 32)).update(bytes.subarray(64)).digest().copy(bytes, 32)
      writeFileSync(path, bytes)
      try {
        ReplayBuffer.load(path, inProcess)
        return 'taken'
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
        return (error as Error).message
          .replace(` [${path}]`, '')
          .replace('load: a file that save did not write, ', '')
      }
    }
    expect(forged(() => undefined)).toBe('taken')
    expect(
      forged(({ facts }) => {
        facts['added'] = 2 ** 64 - 1
      }),
    ).toBe('added is no count, 18446744073709552000')
    expect(
      forged(({ facts }) => {
        facts['added'] = 5
      }),
    ).toMatch(/^its rows need \d+ bytes$/)
    expect(
      forged(({ facts }) => {
        facts['pending'] = { replacement: true, indices: [40], lasts: [40], relative: [1] }
      }),
    ).toBe('a prefetched batch of rows that do not exist')
    expect(
      forged(({ facts }) => {
        facts['pending'] = { replacement: true, indices: [20], lasts: [30], relative: [1] }
      }),
    ).toBe('a batch drawn ahead with other ends than its rows have')
    expect(
      forged(({ settings }) => {
        settings['capacity'] = 0
      }),
    ).toBe('ReplayBuffer: capacity is not an integer in 1..2^32-1 [0]')
    expect(forged(() => [])).toBe('its header has no settings')
    const codes = Buffer.from(whole.subarray(64 + size))
    // Behind the first row's four bytes of float32 stand its six-bit observations.
    codes.fill(255, 4, 8)
    expect(forged(() => undefined, codes)).toBe('obs holds no code of float6_e2m3fn')
    rmSync(path)
  })

  it('a file that is not there, and a folder that is not, are the system’s errors', () => {
    expect(() => ReplayBuffer.load(join(folder, 'none'))).toThrow('ENOENT')
    expect(() => filled(1).save(join(folder, 'none', 'x'))).toThrow('ENOENT')
  })

  const rounds = isLong ? 50 : 12
  it(`the file is the old one or the new one after each of ${rounds} kills while saving`, async () => {
    const inside = join(folder, 'kill')
    mkdirSync(inside)
    const path = join(inside, 'state')
    const script = join(folder, 'saver.mjs')
    // Version n has n rows more than the ring, and all of them whole.
    await bundleScript(
      `
          import { ReplayBuffer } from './src/replay/index.ts'
          import { step } from './test/replay/rows.ts'
          const path = process.argv[2]
          const buffer = process.argv[3] === 'new' ? new ReplayBuffer({ capacity: 200, obsDim: 500, actionDim: 1 }) : ReplayBuffer.load(path)
          for (let saves = 0; ; saves++) {
            buffer.add(step(buffer.added, 500))
            buffer.save(path)
            if (saves === 0) process.stdout.write('saved')
          }`,
      script,
    )
    const random = seeded(`kill ${seed}`)
    let interrupted = 0
    let before = 0
    for (let round = 0; round < rounds; round++) {
      const child = spawn(process.execPath, [script, path, round === 0 ? 'new' : 'old'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      await sleep(15 * random())
      child.kill('SIGKILL')
      await once(child, 'exit')
      const buffer = ReplayBuffer.load(path, inProcess)
      expect(buffer.added).toBeGreaterThan(before)
      before = buffer.added
      const there = Array.from({ length: buffer.size }, (_, i) => buffer.oldest + i)
      expect(brokenRows(buffer.gather(there), 500)).toEqual([])
      for (const name of readdirSync(inside).filter((name) => name !== 'state')) {
        rmSync(join(inside, name))
        interrupted++
      }
    }
    // Else the kills all fell between two saves and showed nothing.
    expect(interrupted).toBeGreaterThan(0)
    expect(before).toBeGreaterThanOrEqual(rounds)
  })
})
