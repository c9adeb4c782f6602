import { decode, defineFormat, describe as describeCode, encode, round } from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import type { LabBrowser, OpenLab } from '../support/labPage.js'

/** What the section is to do, in the lab that is open. */
export function numberClaims(lab: () => OpenLab, browser: LabBrowser): void {
  describe('a number', () => {
    it.each([
      ['bfloat16', '0.1'],
      ['float8_e4m3fn', '300.5'],
      ['float4_e2m1fn', '-1.25'],
      ['float8_e5m2', '3 * 2^-16'],
    ] as const)(
      'in %s: %s has the bits, the value and the roundings of the library',
      async (format, typed) => {
        const x = typed === '3 * 2^-16' ? 3 * 2 ** -16 : Number(typed)
        const { page, context, errors } = await lab().open(
          `#number&format=${format}&number=${encodeURIComponent(typed)}`,
        )
        const code = encode(x, format)
        await page.waitForSelector('.bits button')
        const bits = await page.locator('.bits button').allInnerTexts()
        expect(bits.join('')).toBe(describeCode(code, format).bits.replaceAll(' ', ''))
        expect(await page.locator('.said').innerText()).toContain(`is ${decode(code, format)} in ${format}`)
        for (const rounding of [
          'nearest-even',
          'nearest-away',
          'toward-zero',
          'up',
          'down',
          'to-odd',
        ] as const) {
          const cells = await page.locator(`tr:has(td:text-is("${rounding}")) td`).allInnerTexts()
          expect(cells[1]).toBe(String(round(x, format, { rounding })))
          expect(cells[3]).toBe(String(round(Math.fround(x), format, { rounding })))
        }
        expect(errors).toEqual([])
        await context.close()
      },
    )

    it('is changed bit by bit with the keyboard alone', async () => {
      const { page, context } = await lab().open('#number&format=float8_e4m3fn&number=1')
      await page.waitForSelector('.bits button')
      await page.locator('.bits button[tabindex="0"]').focus()
      for (const key of ['End', 'ArrowLeft', 'Space']) await page.keyboard.press(key)
      const value = decode(encode(1, 'float8_e4m3fn') ^ 2, 'float8_e4m3fn')
      await page.waitForSelector(`.said:has-text("is ${value} in float8_e4m3fn")`)
      await page.waitForURL(`**/#number&format=float8_e4m3fn&number=${value}`)
      await context.close()
    })

    it('may be in a format of the reader own, and a format that cannot be is named', async () => {
      const { page, context } = await lab().open('#number&format=own&exponent=3&mantissa=4&bias=3&number=0.3')
      const own = defineFormat({
        name: 'own',
        exponentBits: 3,
        mantissaBits: 4,
        bias: 3,
        nan: 'ieee',
        infinity: true,
      })
      await page.waitForSelector('.bits button')
      expect(await page.locator('.said').innerText()).toContain(`is ${round(0.3, own)} in own`)
      await page.selectOption('label:has-text("NaN") select', 'none')
      await page.uncheck('label:has-text("has infinities") input')
      await page.waitForSelector('.bits button')
      await page.focus('label:has-text("mantissa bits") input')
      for (const key of ['ControlOrMeta+A', '0', 'Tab']) await page.keyboard.press(key)
      await expect.poll(() => page.locator('.bits button').count()).toBe(4)
      await context.close()
    })

    if (browser === 'firefox') return
    // Once is enough: the library and the page have no branches for browsers here.

    it('shows a number that rounding twice gets wrong, and the bits are those of the library', async () => {
      const { page, context } = await lab().open('#number&format=bfloat16')
      await page.click('text=Show a number that rounding twice gets wrong')
      await page.waitForSelector('tr.marked:has(td:text-is("nearest-even"))')
      const cells = await page.locator('tr.marked:has(td:text-is("nearest-even")) td').allInnerTexts()
      expect([cells[1], cells[3]]).toEqual(['1.0078125', '1'])
      await context.close()
    })
  })
}
