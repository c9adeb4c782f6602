import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { writeFileAtomic } from 'tpu-toolkit/files'
import { seeded } from 'tpu-toolkit/random'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleScript } from '../support/bundleScript.js'
import { isLong } from '../support/long.js'
import { seed } from '../support/seed.js'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'atomic-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A path in a folder of its own. */
function freshPath(name: string): { inside: string; path: string } {
  const inside = join(folder, name)
  mkdirSync(inside)
  return { inside, path: join(inside, 'state') }
}

describe('writeFileAtomic', () => {
  it('writes text, bytes and pieces, over an old file too, and leaves nothing else', () => {
    const { inside, path } = freshPath('kinds')
    writeFileAtomic(path, 'ключ')
    expect(readFileSync(path, 'utf8')).toBe('ключ')
    writeFileAtomic(pathToFileURL(path), Uint8Array.of(1, 2))
    expect([...readFileSync(path)]).toEqual([1, 2])
    writeFileAtomic(path, [Uint8Array.of(1), new Uint8Array(0), Uint8Array.of(2, 3)])
    expect([...readFileSync(path)]).toEqual([1, 2, 3])
    writeFileAtomic(path, '')
    expect(statSync(path).size).toBe(0)
    expect(readdirSync(inside)).toEqual(['state'])
  })

  it('a failure on the way leaves the old file and no temporary one', () => {
    const { inside, path } = freshPath('failure')
    writeFileAtomic(path, 'old')
    const pieces = function* (): Generator<Uint8Array> {
      yield new Uint8Array(2 ** 20)
      expect(readdirSync(inside).length).toBe(2)
      throw new Error('no more')
    }
    expect(() => writeFileAtomic(path, pieces())).toThrow('no more')
    expect(readFileSync(path, 'utf8')).toBe('old')
    expect(readdirSync(inside)).toEqual(['state'])
  })

  it('a rename that fails leaves no temporary file, a folder that is not there is the system’s error', () => {
    const { inside, path } = freshPath('rename')
    mkdirSync(path)
    expect(() => writeFileAtomic(path, 'x')).toThrow(/EISDIR|EEXIST|ENOTEMPTY|EPERM/)
    expect(readdirSync(inside)).toEqual(['state'])
    expect(() => writeFileAtomic(join(inside, 'none', 'x'), 'x')).toThrow('ENOENT')
  })

  it.skipIf(process.platform === 'win32')('keeps the mode of an old file and the place of a link', () => {
    const { inside, path } = freshPath('mode')
    writeFileSync(path, 'old')
    chmodSync(path, 0o640)
    const link = join(inside, 'link')
    symlinkSync('state', link)
    writeFileAtomic(link, 'new')
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(path, 'utf8')).toBe('new')
    expect(statSync(path).mode & 0o777).toBe(0o640)
  })

  const rounds = isLong ? 20 : 6
  it(`the path has one whole version after each of ${rounds} kills at any moment (seed ${seed})`, async () => {
    const { inside, path } = freshPath('kill')
    const script = join(folder, 'writer.mjs')
    // Version n is n repeated: 2^18 times for even n, half as often for odd n.
    await bundleScript(
      `
          import { writeFileAtomic } from './src/training/files/atomic/writeFileAtomic.ts'
          for (let n = Number(process.argv[3]); ; n++) {
            writeFileAtomic(process.argv[2], [0, 1].map(() => new Uint8Array(new Uint32Array(2 ** (17 - n % 2)).fill(n).buffer)))
            if (n === Number(process.argv[3])) process.stdout.write('written')
          }`,
      script,
    )
    const random = seeded(`kill ${seed}`)
    let version = 0
    let interrupted = 0
    for (let round = 0; round < rounds; round++) {
      const child = spawn(process.execPath, [script, path, String(version + 1)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      await sleep(20 * random())
      child.kill('SIGKILL')
      await once(child, 'exit')
      const words = new Uint32Array(new Uint8Array(readFileSync(path)).buffer)
      const found = words[0]!
      expect(found).toBeGreaterThan(version)
      expect(words.length).toBe(2 ** (18 - (found % 2)))
      expect(words.every((word) => word === found)).toBe(true)
      version = found
      const left = readdirSync(inside).filter((name) => name !== 'state')
      expect(left.length).toBeLessThanOrEqual(1)
      for (const name of left) {
        expect(name).toMatch(/^\.tpu-toolkit-\d+-[\da-fx-]+-[\da-f]{16}\.tmp$/)
        rmSync(join(inside, name))
        interrupted++
      }
    }
    // Else the kills all fell between two writes and showed nothing.
    expect(interrupted).toBeGreaterThan(0)
  })
})
