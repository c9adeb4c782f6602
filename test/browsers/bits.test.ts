import { expect, it } from 'vitest'
import { digestsOf } from '../../lab/bits/digestsOf.js'
import { nodeDigests } from '../../lab/bits/nodeDigests.js'

// The same test runs in Node, with all others, and in Chromium and Firefox by `npm run test:browsers`.
it('digestsOf() are those of Node: formats, tables, float32 functions, sums, random draws, a run to NaN', () =>
  expect(digestsOf()).toEqual(nodeDigests))
