import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { isLong } from '../support/long.js'
import { root } from '../support/project.js'

const folder = mkdtempSync(join(tmpdir(), 'stopped-workers-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

// A thread may answer while it is being stopped: that must not end the process. One of about thirty passes met it.
const passes = isLong ? 60 : 5

describe('load with workers, as tsc -b leaves it', () => {
  it(`runs its workers, stops them while they answer in ${passes} passes, and lets the process end`, () => {
    const transforms = join(folder, 'double.mjs')
    writeFileSync(transforms, 'export const double = (x) => 2 * x\n')
    const built = pathToFileURL(`${root}dist/training/pipeline/index.js`).href
    const path = join(folder, 'program.mjs')
    writeFileSync(
      path,
      `
import { arraySource, fromModule, pipeline } from '${built}'
const pipe = pipeline(arraySource([1, 2, 3, 4])).map(fromModule('${pathToFileURL(transforms).href}', 'double')).batch(2)
for await (const batch of pipe.load({ workers: 2 })) console.log(batch)
for (let pass = 0; pass < ${passes}; pass++) for await (const batch of pipe.load({ workers: 1 })) break
`,
    )
    expect(execFileSync(process.execPath, [path], { encoding: 'utf8', timeout: 300_000 })).toBe(
      'Float64Array(2) [ 2, 4 ]\nFloat64Array(2) [ 6, 8 ]\n',
    )
  })
})
