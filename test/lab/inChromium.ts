import { afterAll, beforeAll } from 'vitest'
import { type OpenLab, openLab } from '../support/labPage.js'
import { labClaims } from './labClaims.js'

// Run by `npm run test:browsers`. One browser for all of it: a section's claims stand in a file of their own.
let lab: OpenLab | undefined
beforeAll(async () => {
  lab = await openLab('chromium')
}, 60_000)
afterAll(() => lab?.close())

labClaims(() => {
  if (!lab) throw new Error('lab: it is not open')
  return lab
}, 'chromium')
