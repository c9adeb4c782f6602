import type { LabBrowser, OpenLab } from '../support/labPage.js'
import { attentionClaims } from './attentionClaims.js'
import { automatonClaims } from './automatonClaims.js'
import { chartClaims } from './chartClaims.js'
import { driftClaims } from './driftClaims.js'
import { fileClaims } from './fileClaims.js'
import { jaxClaims } from './jaxClaims.js'
import { leakClaims } from './leakClaims.js'
import { nanClaims } from './nanClaims.js'
import { numberClaims } from './numberClaims.js'
import { openingClaims } from './openingClaims.js'
import { optimizersClaims } from './optimizersClaims.js'
import { planClaims } from './planClaims.js'
import { programClaims } from './programClaims.js'
import { resultsClaims } from './resultsClaims.js'
import { shellClaims } from './shellClaims.js'
import { sumsClaims } from './sumsClaims.js'
import { textClaims } from './textClaims.js'

/** What the page and every section are to do; in Firefox what differs by browser, in Chromium all of it. */
export function labClaims(lab: () => OpenLab, browser: LabBrowser): void {
  shellClaims(lab, browser)
  openingClaims(lab, browser)
  leakClaims(lab, browser)
  nanClaims(lab, browser)
  chartClaims(lab, browser)
  numberClaims(lab, browser)
  driftClaims(lab, browser)
  programClaims(lab, browser)
  sumsClaims(lab, browser)
  optimizersClaims(lab, browser)
  attentionClaims(lab, browser)
  automatonClaims(lab, browser)
  planClaims(lab, browser)
  fileClaims(lab, browser)
  jaxClaims(lab, browser)
  resultsClaims(lab, browser)
  if (browser === 'chromium') textClaims(lab)
}
