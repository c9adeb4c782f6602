import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drawData, runStep2750, type Step2750Options, step2750Options } from 'tpu-toolkit/step2750'
import { checkpointFile } from 'tpu-toolkit/step2750Files'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'step2750-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const path = (name: string): string => join(folder, name)
const from = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i)

describe('checkpointFile(path)', () => {
  const options: Step2750Options = { steps: 120, length: 16, zeroNans: true, lr: 1e-2 }
  const whole = runStep2750(options)

  it('lets a run go on where it was left, at any step, and ends with the same bits', () => {
    for (const left of [1, 37, 50, 99, 119]) {
      const checkpoint = path(`left-${left}.json`)
      const stop = new Error('stopped')
      const onStep = (step: number): void => {
        if (step === left + 1) throw stop
      }
      expect(() =>
        runStep2750(options, { checkpoint: checkpointFile(checkpoint), checkpointEvery: left, onStep }),
      ).toThrow(stop)
      const seen: number[] = []
      const rest = runStep2750(options, {
        checkpoint: checkpointFile(checkpoint),
        onStep: (step) => seen.push(step),
      })
      expect(seen).toEqual(from(left + 1, 120))
      expect(rest).toEqual(whole)
      const written = readFileSync(checkpoint, 'utf8')
      expect(
        runStep2750(options, { checkpoint: checkpointFile(checkpoint), onStep: () => seen.push(0) }),
      ).toEqual(whole)
      expect(readFileSync(checkpoint, 'utf8')).toBe(written)
      expect(seen).not.toContain(0)
    }
  })

  it('lets a run go on to more steps than before, as if it had always been meant to', () => {
    const checkpoint = path('more.json')
    runStep2750({ ...options, steps: 60 }, { checkpoint: checkpointFile(checkpoint) })
    expect(runStep2750(options, { checkpoint: checkpointFile(checkpoint) })).toEqual(whole)
  })

  it('refuses what is no checkpoint of this run, and leaves the file as it was', () => {
    const checkpoint = path('kept.json')
    runStep2750(options, { checkpoint: checkpointFile(checkpoint) })
    const good = readFileSync(checkpoint, 'utf8')
    const refused = (text: string, changes: Step2750Options, message: string): void => {
      writeFileSync(checkpoint, text)
      expect(() =>
        runStep2750({ ...options, ...changes }, { checkpoint: checkpointFile(checkpoint) }),
      ).toThrow(new RangeError(`step2750: ${message} [${checkpoint}]`))
      expect(readFileSync(checkpoint, 'utf8')).toBe(text)
    }
    refused('', {}, 'the file is no checkpoint of this command')
    refused('not JSON', {}, 'the file is no checkpoint of this command')
    refused('[1]', {}, 'the file is no checkpoint of this command')
    refused('{"kind":"another"}', {}, 'the file is no checkpoint of this command')
    refused(good.slice(0, 500), {}, 'the file is no checkpoint of this command')
    refused(good.replace('"version":1', '"version":2'), {}, 'the checkpoint has version 2, not 1')
    refused(good.replace('"step":120', '"step":119'), {}, 'the checkpoint is damaged, its checksum differs')
    refused(good, { lr: 1e-3 }, 'the checkpoint is of another run, lr 0.01, not 0.001')
    refused(good, { steps: 119 }, 'the checkpoint is 120 steps on, more than 119')
    const data = drawData(step2750Options({ ...options, seed: 2 }))
    writeFileSync(checkpoint, good)
    expect(() => runStep2750(options, { checkpoint: checkpointFile(checkpoint), data })).toThrow(
      new RangeError(`step2750: the checkpoint is of another run, on other data [${checkpoint}]`),
    )
    expect(() => runStep2750(options, { checkpoint: checkpointFile(folder) })).toThrow(
      new RangeError(`step2750: the checkpoint is no file [${folder}]`),
    )
    const nowhere = path('no/such.json')
    expect(() => runStep2750(options, { checkpoint: checkpointFile(nowhere) })).toThrow(
      new RangeError(`step2750: there is no folder for the checkpoint [${nowhere}]`),
    )
    expect(() =>
      runStep2750(options, { checkpoint: checkpointFile(checkpoint), checkpointEvery: 0 }),
    ).toThrow(new RangeError('step2750: checkpointEvery is not a whole number, 1 or more [0]'))
  })
})
