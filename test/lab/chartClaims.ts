import { describe, expect, it } from 'vitest'
import type { LabBrowser, OpenLab } from '../support/labPage.js'

/** What every chart is to do, shown on one, in the lab that is open. */
export function chartClaims(lab: () => OpenLab, browser: LabBrowser): void {
  describe('a chart', () => {
    it('is read with the pointer and the keyboard, and shows the part that is dragged over', async () => {
      const { page, errors, context } = await lab().open('#nan')
      const reader = page.locator('.reader').first()
      const said = (): Promise<string | null> => reader.getAttribute('aria-valuetext')
      await reader.hover({ position: { x: 62, y: 100 } })
      await page.waitForSelector('.values:has-text("position 0")')
      expect(await said()).toBe('position 0: as bfloat16 adds it 16.375, exactly 16.375')
      await reader.focus()
      await page.keyboard.press('End')
      expect(await said()).toBe('position 127: as bfloat16 adds it 16.375, exactly 24.2505')
      await page.keyboard.press('ArrowLeft')
      expect(await said()).toContain('position 126: ')
      const { x, y, width } = (await reader.boundingBox())!
      await page.mouse.move(x + width / 2, y + 100)
      await page.mouse.down()
      await page.mouse.move(x + width / 2 + 60, y + 100)
      await page.mouse.up()
      await page.waitForSelector('button:text-is("Show all")')
      // In the part that is shown, the same place is another point.
      await reader.hover({ position: { x: 62, y: 100 } })
      expect(await said()).toMatch(/^position 5\d: /)
      await page.keyboard.press('0')
      await page.waitForSelector('button:text-is("Show all")', { state: 'detached' })
      expect(errors).toEqual([])
      await context.close()
    })

    if (browser === 'firefox') return

    it('gives its values to the clipboard, in columns', async () => {
      const { page, context } = await lab().open('#nan', {
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      await page.click('button:text-is("Copy values") >> nth=0')
      await page.waitForSelector('.actions:has-text("Copied.")')
      const lines = (await page.evaluate<string>('navigator.clipboard.readText()')).split('\n')
      expect(lines.slice(0, 2)).toEqual(['position\tas bfloat16 adds it\texactly', '0\t16.375\t16.375'])
      expect(lines.length).toBe(129)
      await context.close()
    })
  })
}
