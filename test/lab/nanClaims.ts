import { runStep2750 } from 'tpu-toolkit/step2750'
import { describe, expect, it } from 'vitest'
import { hashOf } from '../../lab/sections/nan/lossHash.js'
import { nodeHashes } from '../../lab/sections/nan/nodeHashes.js'
import { recordedRun } from '../../lab/sections/nan/recorded/recordedRun.js'
import type { LabBrowser, OpenLab } from '../support/labPage.js'

/** What the section is to do, in the lab that is open. */
export function nanClaims(lab: () => OpenLab, browser: LabBrowser): void {
  describe('the run to NaN', () => {
    it('has the recorded run at once, at the step before its end, and steps into the NaN', async () => {
      const { page, errors, context } = await lab().open('#nan')
      await page.waitForSelector(`.said:has-text("all 127 additions are rounded away")`)
      expect(await page.locator('dl.figures dd').allInnerTexts()).toEqual(['3.204', '0', '16.375', '24.250'])
      await page.click('text=One step on')
      await page.waitForSelector(
        `.said:has-text("Step ${recordedRun.end}: dt = 0.06298828125 is above 0.0625")`,
      )
      expect(await page.locator('dl.figures dd').allInnerTexts()).toEqual(['NaN', '112.8', '32', '24.375'])
      await page.click('text=Play the last 20 steps again')
      await page.waitForSelector(`.controls:has-text("step ${(recordedRun.end - 19).toLocaleString('en')}")`)
      await page.click('button:text-is("Pause")')
      expect(errors).toEqual([])
      await context.close()
    })

    it('is NaN at the step that Node finds, with the bits of its losses, and explains itself in the same words', async () => {
      const { page, errors, context } = await lab().open('#nan&run=1')
      const here = runStep2750({ lr: 2.75e-3, steps: 330 })
      await page.waitForSelector('text=Your browser: equal bits.')
      expect(await page.locator('main').innerText()).toContain(hashOf(here.loss))
      expect(hashOf(here.loss)).toBe(nodeHashes['2.75e-3'])
      expect(await page.locator('.said').last().innerText()).toContain(
        `The naive run is NaN at step ${here.firstNonFiniteStep}: overflow in exp.`,
      )
      expect(await page.locator('#last-steps ~ pre.text').innerText()).toBe(here.explanation.text)
      expect(errors).toEqual([])
      await context.close()
    })

    if (browser === 'firefox') return
    // Once is enough: the library and the page have no branches for browsers here.

    it('shows beside it what another form does, which the address keeps', async () => {
      const { page, context } = await lab().open('#nan&run=1')
      await page.waitForSelector('text=The run beside it is clean at step 330.')
      await page.selectOption('label:has-text("running sum") select', 'sequential')
      await page.selectOption('label:has-text("form") select', 'pairwise-mask-after')
      const there = runStep2750({ lr: 2.75e-3, steps: 330, form: 'pairwise-mask-after' })
      await page.waitForSelector(
        `text=The run beside it is NaN at step ${there.firstNonFiniteStep}: overflow in exp.`,
      )
      await page.click('button:text-is("The run beside it")')
      await page.waitForURL('**/#nan&cumsum=sequential&form=pairwise-mask-after&run=1')
      const link = page.url()
      await context.close()
      const shared = await lab().open(link.slice(link.indexOf('#')))
      expect(await shared.page.locator('label:has-text("form") select').inputValue()).toBe(
        'pairwise-mask-after',
      )
      await shared.context.close()
    })

    it('steps through the last ten steps by the keyboard, and says what each did', async () => {
      const { page, context } = await lab().open('#nan&run=1')
      const { records } = runStep2750({ lr: 2.75e-3, steps: 330 })
      await page.waitForSelector('tr.marked')
      const marked = (): Promise<string> => page.locator('tr.marked').innerText()
      expect(await marked()).toContain(records.at(-1)!.lossBits)
      await page.focus('label:has-text("steps before the end") input')
      await page.keyboard.press('ArrowRight')
      await page.waitForSelector(`tr.marked:has-text("${records.at(-2)!.lossBits}")`)
      await page.keyboard.press('End')
      await page.waitForSelector(`tr.marked:has-text("${records.at(-11)!.lossBits}")`)
      await context.close()
    })

    it('waits for its button, stops where it is asked to, and is still there behind the back button', async () => {
      const { page, context } = await lab().open('#nan')
      await page.click('button:text-is("Run it here")')
      await page.waitForSelector('text=The naive run is under way.')
      await page.click('button:text("Stop")')
      await page.waitForSelector('text=The naive run was stopped at step')
      const said = await page.locator('.said').last().innerText()
      await page.click('nav a:text-is("A number")')
      await page.waitForSelector('h1:text-is("A number")')
      await page.goBack()
      await page.waitForSelector('h1:text-is("The run to NaN")')
      expect(await page.locator('.said').last().innerText()).toBe(said)
      await context.close()
    })
  })
}
