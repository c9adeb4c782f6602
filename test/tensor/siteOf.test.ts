import { siteOf } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

describe('siteOf', () => {
  const at = (frame: string): Error => Object.assign(new Error('add'), { stack: `Error: add\n${frame}` })

  it.each([
    ['    at f (file:///home/me/model.ts:12:7)', 'model.ts:12:7'],
    ['    at /home/me/model.ts:12:7', 'model.ts:12:7'],
    ['    at f (C:\\me\\model.ts:12:7)', 'model.ts:12:7'],
    ['f@http://localhost:5173/model.ts:12:7', 'model.ts:12:7'],
    ['    at f (http://localhost:5173/model.ts?t=1795:12:7)', 'model.ts:12:7'],
    ['f@http://localhost:5173/model.ts?import&v=17#x:12:7', 'model.ts:12:7'],
    ['    at <anonymous>', undefined],
  ])('siteOf of the frame %j is %s', (frame, site) => {
    expect(siteOf({ site: at(frame) })).toBe(site)
  })
})
