import { runStep2750 } from 'tpu-toolkit/step2750'
import { describe, expect, it } from 'vitest'
import { hashOf } from '../../lab/sections/nan/lossHash.js'
import { nodeHashes } from '../../lab/sections/nan/nodeHashes.js'
import type { LabBrowser, OpenLab } from '../support/labPage.js'

/** What the section is to do, in the lab that is open. */
export function nanClaims(lab: () => OpenLab, browser: LabBrowser): void {
  describe('the run to NaN', () => {
    it('is NaN at the step that Node finds, with the bits of its losses, and explains itself in the same words', async () => {
      const { page, errors, context } = await lab().open('#nan&rate=2.75e-3')
      const here = runStep2750({ lr: 2.75e-3, steps: 330 })
      await page.waitForSelector('text=Your browser: equal bits.')
      expect(await page.locator('main').innerText()).toContain(hashOf(here.loss))
      expect(hashOf(here.loss)).toBe(nodeHashes['2.75e-3'])
      expect(await page.locator('.said').innerText()).toContain(
        `The naive run is NaN at step ${here.firstNonFiniteStep}: overflow in exp.`,
      )
      expect(await page.locator('pre.text').innerText()).toBe(here.explanation.text)
      expect(errors).toEqual([])
      await context.close()
    })

    if (browser === 'firefox') return
    // Once is enough: the library and the page have no branches for browsers here.

    it('shows beside it what another form does, which the address keeps', async () => {
      const { page, context } = await lab().open('#nan&rate=2.75e-3')
      await page.waitForSelector('text=The run beside it is clean at step 330.')
      await page.selectOption('label:has-text("running sum") select', 'sequential')
      await page.selectOption('label:has-text("form") select', 'pairwise-mask-after')
      const there = runStep2750({ lr: 2.75e-3, steps: 330, form: 'pairwise-mask-after' })
      await page.waitForSelector(
        `text=The run beside it is NaN at step ${there.firstNonFiniteStep}: overflow in exp.`,
      )
      await page.click('text=The run beside it >> nth=-1')
      await page.waitForURL('**/#nan&cumsum=sequential&form=pairwise-mask-after&rate=2.75e-3')
      const link = page.url()
      await context.close()
      const shared = await lab().open(link.slice(link.indexOf('#')))
      expect(await shared.page.locator('label:has-text("form") select').inputValue()).toBe(
        'pairwise-mask-after',
      )
      await shared.context.close()
    })

    it('steps through the last ten steps by the keyboard, and says what each did', async () => {
      const { page, context } = await lab().open('#nan&rate=2.75e-3')
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

    it('waits for its button where motion is not wanted, and stops where it is told to', async () => {
      const { page, context } = await lab().open('', { reducedMotion: 'reduce' })
      await page.waitForSelector('text=The naive run waits.')
      await page.click('text=Run again')
      await page.waitForSelector('text=The naive run is under way.')
      await page.click('button:text("Stop")')
      await page.waitForSelector('text=The naive run was stopped at step')
      await context.close()
    })
  })
}
