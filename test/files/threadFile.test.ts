import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { jsonObject, threadFile } from 'tpu-toolkit/files'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)

describe('threadFile', () => {
  it.each(['src/experiments/sweep/threadRunner.ts', 'dist/experiments/sweep/threadRunner.js'])(
    'threadFile(op, %s, name) is the built file',
    (here) => {
      const path = threadFile('sweep', new URL(here, root).href, 'experiments/sweep/threadWorker.js')
      expect(path).toBe(fileURLToPath(new URL('dist/experiments/sweep/threadWorker.js', root)))
      expect(existsSync(path)).toBe(true)
    },
  )

  it('threadFile(op, here, name) says which file a bundle lacks', () =>
    expect(() =>
      threadFile('load', 'file:///app/out/bundle.js', 'training/pipeline/transform/worker.js'),
    ).toThrow(
      new Error(
        "load: the worker's file is missing, build the package or keep it out of the bundle [/training/pipeline/transform/worker.js]",
      ),
    ))
})

describe('jsonObject', () => {
  it.each([
    ['{"a":[1,null]}', { a: [1, null] }],
    ['{"a":1', undefined],
    ['', undefined],
    ['null', undefined],
    ['3', undefined],
    ['"text"', undefined],
  ])('jsonObject(%j) is %j', (text, value) => expect(jsonObject(text)).toEqual(value))
})
