import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { step2750Options, sweepRow } from 'tpu-toolkit/step2750'
import { checkRow, findExperiment, loadExperiment } from 'tpu-toolkit/sweep'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'experiment-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const file = join(folder, 'mine.mjs')
writeFileSync(
  file,
  `export default ({ lr }) => ({ loss: lr * 2 })
export const train = async ({ lr }, { steps = 1 }) => ({ loss: lr * steps })
export const rate = 3
export const bad = () => ({ loss: new Float32Array(2) })
`,
)
const context = { signal: new AbortController().signal, report: () => {} }

describe('loadExperiment', () => {
  it('loadExperiment(file) takes the default export, file#name another one', async () => {
    const plain = await loadExperiment(file)
    expect([plain.name, await plain.run({ lr: 3 }, context)]).toEqual(['mine.mjs', { loss: 6 }])
    const named = await loadExperiment(`${file}#train`)
    expect([named.name, await named.run({ lr: 3 }, { ...context, steps: 5 })]).toEqual([
      'mine.mjs#train',
      { loss: 15 },
    ])
    expect(named.digest).toMatch(/^[\da-f]{16}$/)
    expect(plain.digest).toBe(named.digest)
  })

  it('loadExperiment(step2750) runs the experiment itself, its defaults filled in', async () => {
    const { run, complete, digest } = await loadExperiment('step2750')
    expect(digest).toBeNull()
    expect(complete({ lr: 0.01 })).toEqual(step2750Options({ lr: 0.01 }))
    const { options: _, ...row } = sweepRow(step2750Options({ lr: 0.01, steps: 3, length: 8 }))
    expect(await run(complete({ lr: 0.01, steps: 3, length: 8 }), context)).toEqual(row)
    expect(await run(complete({ lr: 0.01, length: 8 }), { ...context, steps: 3 })).toEqual(row)
    expect(() => complete({ cumsum: 'best' })).toThrow(/unknown cumsum, there are .* \[best\]/)
  })

  it.each([
    ['step2751', /neither step2750, recipe nor the file of a module, such as .* \[step2751\]/],
    ['./absent.mjs', /no such file \[\.\/absent\.mjs\]/],
    [`${file}#trian`, /mine\.mjs has no export trian, did you mean train \[bad, default, rate, train\]/],
    [`${file}#rate`, /rate of mine\.mjs is not a function \[3\]/],
  ])('loadExperiment(%s) says what is wrong', async (specifier, message) => {
    const found = loadExperiment(specifier)
    await expect(found).rejects.toThrow(RangeError)
    await expect(found).rejects.toThrow(message)
  })

  it('a row that JSON cannot hold is refused where it is returned', async () => {
    const { run } = await loadExperiment(`${file}#bad`)
    await expect(run({ lr: 1 }, context)).rejects.toThrow(
      new TypeError('mine.mjs#bad: the row.loss is not plain JSON [Float32Array]'),
    )
  })
})

describe('findExperiment', () => {
  const inner = join(folder, 'inner')
  mkdirSync(inner)
  writeFileSync(join(inner, 'marks.mjs'), 'globalThis.marked = true\nexport default () => ({})\n')
  symlinkSync(file, join(inner, 'link.mjs'))

  it('findExperiment(file) hashes the bytes and runs nothing of them', async () => {
    const found = findExperiment(`${join(inner, 'marks.mjs')}#other`)
    expect(found).toEqual({
      ...{ file: join(inner, 'marks.mjs'), name: 'other' },
      digest: (await loadExperiment(join(inner, 'marks.mjs'))).digest,
    })
    const untouched = join(inner, 'untouched.mjs')
    writeFileSync(untouched, 'globalThis.touched = true\n')
    findExperiment(untouched, { folders: [inner] })
    expect('touched' in globalThis).toBe(false)
  })

  it.each([file, join(inner, '..', 'mine.mjs'), join(inner, 'link.mjs')])(
    'findExperiment(%s) is refused outside of the folders, symbolic links followed',
    (path) => {
      expect(() => findExperiment(path, { folders: [inner] })).toThrow(
        /^findExperiment: the file is outside of the folders for experiments \[/,
      )
      expect(findExperiment(path, { folders: [inner, folder] }).name).toBe('default')
    },
  )
})

describe('checkRow', () => {
  it('checkRow(row) returns what JSON keeps of it: what is not finite is null, what is undefined is gone', () => {
    expect(checkRow('f', { a: NaN, b: [1, { c: -Infinity }], d: undefined, e: 'text' })).toEqual({
      a: null,
      b: [1, { c: null }],
      e: 'text',
    })
  })

  const circle: Record<string, unknown> = {}
  circle['again'] = circle
  it.each([
    [7, 'f: the row is not an object [7]'],
    [{ check: 1 }, "f: a field of the row has a name of the sweep's own [check]"],
    [{ at: new Date(0) }, 'f: the row.at is not plain JSON [Date]'],
    [{ big: [1n] }, 'f: the row.big.0 is not plain JSON [1n]'],
    [{ say: () => 1 }, 'f: the row.say is not plain JSON [function say]'],
  ])('checkRow(%o) is a TypeError', (row, message) => {
    expect(() => checkRow('f', row)).toThrow(new TypeError(message))
  })

  it('checkRow(row) of a circle ends', () => {
    expect(() => checkRow('f', circle)).toThrow(/goes deeper than 50 levels/)
  })

  it('checkRow(row, metric) wants a number of that name, or null', () => {
    expect(checkRow('f', { loss: NaN }, 'loss')).toEqual({ loss: null })
    expect(() => checkRow('f', { los: 1 }, 'loss')).toThrow(
      new RangeError('f: the row has no loss, did you mean los [los]'),
    )
    expect(() => checkRow('f', { loss: '1' }, 'loss')).toThrow(
      new TypeError('f: loss of the row is not a number [1]'),
    )
  })
})
