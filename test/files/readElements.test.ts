import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSafetensors, writeSafetensors } from 'tpu-toolkit/files'
import { tensor, zeros } from 'tpu-toolkit/tensor'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'elements-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('openSafetensors(path).readElements(name, start, end)', () => {
  it('readElements reads a stretch of a tensor of any shape, and nothing else of it', () => {
    const path = join(folder, 'elements.safetensors')
    const x = tensor(
      Array.from({ length: 24 }, (_, i) => i),
      { shape: [2, 3, 4], dtype: 'bfloat16' },
    )
    writeSafetensors(path, { x, scalar: tensor(7), none: zeros([2, 0]) })
    const opened = openSafetensors(path)
    const part = opened.readElements('x', 5, 9)
    expect([part.dtype, part.shape, part.toNested()]).toEqual(['bfloat16', [4], [5, 6, 7, 8]])
    expect(opened.readElements('x', 0, 24).toNested()).toEqual([...x.toNumbers()])
    expect(opened.readElements('x', 24, 24).shape).toEqual([0])
    expect(opened.readElements('scalar', 0, 1).toNested()).toEqual([7])
    expect(opened.readElements('none', 0, 0).shape).toEqual([0])
    for (const [start, end] of [
      [0, 25],
      [3, 2],
      [-1, 2],
      [0.5, 1],
    ] as const) {
      expect(() => opened.readElements('x', start, end)).toThrow(
        new RangeError(`readElements: not elements of the 24 of x [${start}, ${end}]`),
      )
    }
    expect(() => opened.readElements('y', 0, 1)).toThrow('readElements: no tensor of this name [y]')
    opened.close()
  })
})
