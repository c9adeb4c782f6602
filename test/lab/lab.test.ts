import { afterAll, beforeAll } from 'vitest'
import { type OpenLab, openLab } from '../support/labPage.js'
import { attentionClaims } from './attentionClaims.js'
import { automatonClaims } from './automatonClaims.js'
import { driftClaims } from './driftClaims.js'
import { fileClaims } from './fileClaims.js'
import { nanClaims } from './nanClaims.js'
import { numberClaims } from './numberClaims.js'
import { optimizersClaims } from './optimizersClaims.js'
import { planClaims } from './planClaims.js'
import { programClaims } from './programClaims.js'
import { resultsClaims } from './resultsClaims.js'
import { shellClaims } from './shellClaims.js'
import { sumsClaims } from './sumsClaims.js'

// One browser for all of it: a section's claims stand in a file of their own.
let lab: OpenLab | undefined
beforeAll(async () => {
  lab = await openLab()
}, 60_000)
afterAll(() => lab?.close())

const open = (): OpenLab => {
  if (!lab) throw new Error('lab: it is not open')
  return lab
}

shellClaims(open)
nanClaims(open)
numberClaims(open)
driftClaims(open)
programClaims(open)
sumsClaims(open)
optimizersClaims(open)
attentionClaims(open)
automatonClaims(open)
planClaims(open)
fileClaims(open)
resultsClaims(open)
