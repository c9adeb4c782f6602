import { describe, expect, it } from 'vitest'
import { labSections } from '../../lab/shell/sections.js'
import type { OpenLab } from '../support/labPage.js'

/** What a value without a text of its own leaves in a sentence; -0.0 is a number that rounds to 0 with its sign. */
const mistakes = /\[object|undefined|NaN is|-0\.0+(?!\d)/

/** In the page: its text, and the texts of drawings that reach out of them. */
const read = `() => {
  const clipped = []
  for (const text of document.querySelectorAll('main svg text')) {
    const [inner, outer] = [text.getBoundingClientRect(), text.closest('svg').getBoundingClientRect()]
    if (inner.width === 0) continue
    const out = Math.max(outer.left - inner.left, inner.right - outer.right, outer.top - inner.top, inner.bottom - outer.bottom)
    if (out > 2) clipped.push(text.textContent)
  }
  return { text: document.querySelector('main').innerText, clipped }
}`

/** What no section may write, in the lab that is open. */
export function textClaims(lab: () => OpenLab): void {
  describe('the text', () => {
    it.each([...labSections.map(({ id }) => id), 'number&number=abc', 'plan&chip=v5e'])(
      'of #%s has no [object, undefined, NaN is or -0.0, and no drawing cuts a text off',
      async (address) => {
        const { page, context, errors } = await lab().open(`#${address}`)
        await page.waitForSelector('main .opening')
        await page.waitForLoadState('networkidle')
        if (address === 'editor') {
          await page.click('button:text-is("Run")')
          await page.waitForSelector('h3:text("The least to keep wide")')
        }
        await page.waitForTimeout(500)
        const { text, clipped } = (await page.evaluate(`(${read})()`)) as { text: string; clipped: string[] }
        expect(text).not.toMatch(mistakes)
        expect(clipped).toEqual([])
        expect(errors).toEqual([])
        await context.close()
      },
    )
  })
}
