import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockFile, waitForLock, writeFileAtomic } from 'tpu-toolkit/files'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleScript } from '../support/bundleScript.js'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A claim as a process of this machine leaves it. */
const claim = (changes: object): string => {
  const path = join(folder, 'model')
  const lock = lockFile(path)
  const written = JSON.parse(readFileSync(`${path}.lock`, 'utf8'))
  lock.release()
  return JSON.stringify({ ...written, token: '0123456789abcdef', ...changes })
}

describe('lockFile', () => {
  it('is held once, given back once, and leaves nothing', () => {
    const path = join(folder, 'once')
    const lock = lockFile(path)
    expect(() => lockFile(path, { op: 'save' })).toThrow(
      new RangeError(`save: this process is writing the file already [${path}]`),
    )
    lock.release()
    const second = lockFile(path)
    lock.release()
    expect(() => lockFile(path)).toThrow('this process is writing')
    second.release()
    expect(readdirSync(folder)).toEqual([])
  })

  it('a claim of a process that is gone, of another process with its pid, or of a machine that was started again, is taken over', () => {
    const path = join(folder, 'stale')
    const stale = [
      claim({ pid: 2 ** 22 + 1 }),
      claim({ started: '1' }),
      ...(existsSync('/proc/self/ns/pid') ? [claim({ boot: 'before' }), claim({ namespace: '1' })] : []),
    ]
    for (const text of stale) {
      writeFileSync(`${path}.lock`, text)
      const lock = lockFile(path)
      expect(() => lockFile(path)).toThrow('this process is writing')
      lock.release()
      expect(readdirSync(folder)).toEqual([])
    }
  })

  it('a claim of a living process, of another machine, or none that can be read, is respected', () => {
    const path = join(folder, 'held')
    const refusals = [
      [claim({}), `lockFile: this process is writing the file already [${path}]`],
      [
        claim({ host: `not-${hostname()}`, pid: 7 }),
        `lockFile: locked by process 7 of the machine not-${hostname()}, remove the lock if that is over [${path}.lock]`,
      ],
      ['', `lockFile: a lock that names no process, remove it if nobody writes [${path}.lock]`],
      ['{"pid":1}', `lockFile: a lock that names no process, remove it if nobody writes [${path}.lock]`],
    ]
    for (const [text, message] of refusals) {
      writeFileSync(`${path}.lock`, text!)
      expect(() => lockFile(path)).toThrow(new RangeError(message!))
      expect(readFileSync(`${path}.lock`, 'utf8')).toBe(text)
    }
    rmSync(`${path}.lock`)
  })

  it('of four processes that race for 150 abandoned locks exactly one gets each', async () => {
    const slots = 150
    const inside = mkdtempSync(join(folder, 'race-'))
    const abandoned = claim({ pid: 2 ** 22 + 1 })
    for (let slot = 0; slot < slots; slot++) {
      writeFileSync(join(inside, `${slot}.lock`), abandoned)
      // Abandoned twice: the one who took it over was killed too.
      if (slot % 3 === 0) {
        writeFileSync(
          join(inside, `${slot}.lock.0123456789abcdef`),
          claim({ pid: 2 ** 22 + 2, token: 'fedcba9876543210' }),
        )
      }
    }
    const script = join(folder, 'racer.mjs')
    await bundleScript(
      `
      import { writeSync } from 'node:fs'
      import { lockFile } from './src/training/files/index.ts'
      const [inside, slots] = process.argv.slice(2)
      const held = []
      process.stdin.once('data', () => {
        for (let slot = 0; slot < slots; slot++)
          try { lockFile(inside + '/' + slot); held.push(slot) } catch (error) { if (!/is writing/.test(error.message)) throw error }
        writeSync(1, JSON.stringify(held) + '\\n')
      })
      process.stdin.once('end', () => process.exit())
      writeSync(1, 'ready\\n')`,
      script,
    )
    const racers = Array.from({ length: 4 }, () =>
      spawn(process.execPath, [script, inside, String(slots)], { stdio: ['pipe', 'pipe', 'inherit'] }),
    )
    await Promise.all(racers.map((racer) => once(racer.stdout, 'data')))
    const results = racers.map(async (racer) => JSON.parse(String((await once(racer.stdout, 'data'))[0])))
    for (const racer of racers) racer.stdin.write('go')
    // Nobody ends before all have tried: what a process held that is gone would be had again.
    const held: number[][] = await Promise.all(results)
    for (const racer of racers) racer.stdin.end()
    await Promise.all(racers.map((racer) => once(racer, 'exit')))
    expect(held.flat().sort((a, b) => a - b)).toEqual([...Array(slots).keys()])
  })

  it('claims that a kill left behind are removed by the next holder', () => {
    const path = join(folder, 'left')
    writeFileSync(`${path}.lock.0123456789abcdef`, claim({ pid: 2 ** 22 + 1 }))
    writeFileSync(`${path}.lock.mine`, '')
    lockFile(path).release()
    expect(readdirSync(folder).filter((name) => name.startsWith('left'))).toEqual(['left.lock.mine'])
  })

  it('waitForLock waits until it is given back, and no longer than it was told', async () => {
    const path = join(folder, 'wait')
    const lock = lockFile(path)
    await expect(waitForLock(path, { op: 'save', wait: 20 })).rejects.toThrow(
      new RangeError(`save: this process is writing the file already [${path}]`),
    )
    const next = waitForLock(path)
    setTimeout(lock.release, 20)
    ;(await next).release()
    await expect(waitForLock(path, { wait: -1 })).rejects.toThrow(
      new RangeError('waitForLock: wait is not a finite number, 0 or more [-1]'),
    )
  })
})

describe('the temporary files of writers', () => {
  it('of a killed one are removed by the next write to the folder, those of others stay', async () => {
    const inside = mkdtempSync(join(folder, 'swept-'))
    const script = join(folder, 'killed.mjs')
    await bundleScript(
      `
      import { writeFileAtomic } from './src/training/files/index.ts'
      writeFileAtomic(process.argv[2], (function* () { yield new Uint8Array(100); process.kill(process.pid, 'SIGKILL') })())`,
      script,
    )
    for (const name of ['a', 'b']) {
      const child = spawn(process.execPath, [script, join(inside, name)])
      await once(child, 'exit')
    }
    const names = readdirSync(inside)
    expect(names.length).toBe(1)
    expect(names[0]).toMatch(/^\.tpu-toolkit-\d+-[\da-fx-]+\.tmp$/)
    const living = names[0]!.replace(/(?<=^\.tpu-toolkit-)\d+/, String(process.pid))
    const other = names[0]!.replace(/[\da-f]{8}(?=-[\da-f]{16}\.tmp$)/, '00000000')
    for (const name of [other, '.tpu-toolkit-other.tmp']) writeFileSync(join(inside, name), '')
    writeFileAtomic(
      join(inside, 'c'),
      (function* () {
        // While this process writes, another one comes by.
        yield Uint8Array.of(1)
        const own = readdirSync(inside).find((name) => name.includes(`-${process.pid}-`))!
        expect(own).not.toBe(living)
        expect(readdirSync(inside).sort()).toEqual([own, other, '.tpu-toolkit-other.tmp'].sort())
      })(),
    )
    expect(readdirSync(inside).sort()).toEqual([other, '.tpu-toolkit-other.tmp', 'c'].sort())
  })
})
