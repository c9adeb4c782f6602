import { describe, expect, it } from 'vitest'
import { difference } from '../../src/adapters/queue/keepSweep.js'

const kept = { name: 's', experiment: './folder/mine.mjs', digest: 'abc', toolkit: '0.1.0' }

describe('difference', () => {
  it('is none where only the path differs', () => {
    expect(difference(kept, kept)).toBeUndefined()
    expect(difference(kept, { ...kept, experiment: '../mine.mjs' })).toBeUndefined()
  })

  it.each([
    [{ experiment: './other.mjs' }, 'its runs are of ./folder/mine.mjs'],
    [{ experiment: './folder/mine.mjs#two' }, 'its runs are of ./folder/mine.mjs'],
    [{ digest: 'abd' }, 'its runs are of another text of mine.mjs'],
    [{ toolkit: '0.2.0' }, 'its runs are of tpu-toolkit 0.1.0, this is 0.2.0'],
  ])('names it: %j', (other, text) => expect(difference(kept, { ...kept, ...other })).toBe(text))
})
