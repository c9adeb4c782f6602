import { afterAll, beforeAll } from 'vitest'
import { type OpenLab, openLab } from '../support/labPage.js'
import { labClaims } from './labClaims.js'

// Run by `npm run test:browsers`: the claims of inChromium.ts that a browser may change, in Debian's Firefox.
let lab: OpenLab | undefined
beforeAll(async () => {
  lab = await openLab('firefox')
}, 120_000)
afterAll(() => lab?.close())

labClaims(() => {
  if (!lab) throw new Error('lab: it is not open')
  return lab
}, 'firefox')
