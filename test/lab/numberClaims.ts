import {
  decode,
  defineFormat,
  dequantizeBlocks,
  describe as describeCode,
  encode,
  formatNames,
  format as formatOf,
  nextDown,
  nextUp,
  quantizeBlocks,
  round,
} from 'tpu-toolkit/formats'
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

    it('is in every format at once, beside its neighbours, and a press chooses the format', async () => {
      const { page, context, errors } = await lab().open('#number&number=1%2F3')
      const rows = page.locator('section[aria-label="The number in every format"] tbody tr')
      await rows.first().waitFor()
      expect(await rows.count()).toBe(formatNames.length + 2)
      for (const [i, name] of formatNames.entries()) {
        const cells = await rows.nth(i).locator('td').allInnerTexts()
        const code = encode(1 / 3, name).toString(16)
        const digits = Math.ceil(formatOf(name).bits / 4)
        expect(cells[0]!.split(/\s+/)).toEqual([name, `0x${code.padStart(digits, '0')}`])
        expect(cells[2]).toBe(String(round(1 / 3, name)))
        const drawn = await rows.nth(i).locator('svg').getAttribute('aria-label')
        expect(drawn).toContain(`below is ${nextDown(round(1 / 3, name), name)}`)
        expect(drawn).toContain(`above ${nextUp(round(1 / 3, name), name)}`)
      }
      const wide = await rows.filter({ hasText: 'float64' }).locator('td').allInnerTexts()
      expect(wide[0]).toContain('0x3fd5555555555555')
      expect(wide[2]).toBe(String(1 / 3))
      await page.locator('button.plain:text-is("float8_e5m2")').focus()
      await page.keyboard.press('Enter')
      await page.waitForSelector('.said:has-text("is 0.3125 in float8_e5m2")')
      expect(await page.locator('tr.marked').first().innerText()).toContain('float8_e5m2')
      expect(errors).toEqual([])
      await context.close()
    })

    it('is refused with the reason where it is none, and a code is one of the format, as in inspect', async () => {
      const { page, context, errors } = await lab().open('#number')
      await page.waitForSelector('.bits button')
      const input = page.locator('.number-input input')
      await input.fill('abc')
      await page.waitForSelector('.error:has-text("“abc” is no number.")')
      expect(await page.locator('.bits').count()).toBe(0)
      // The opening of the section speaks of NaN.
      const below = '#below-the-opening ~ *'
      expect((await page.locator(below).allInnerTexts()).join()).not.toContain('NaN')
      await input.fill('0x3dcd')
      await page.waitForSelector('.said:has-text("0.10009765625 is 0.10009765625 in bfloat16")')
      // A NaN keeps the bits that were typed.
      await input.fill('0x7f81')
      await page.waitForSelector('.bits:has-text("0x7f81")')
      await input.fill(`0.1${'0'.repeat(80)}`)
      await page.waitForSelector('.said:has-text("0.1 is 0.10009765625 in bfloat16")')
      expect(await input.inputValue()).toHaveLength(83)
      expect(errors).toEqual([])
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

    it('has a map whose codes are named under the pointer, and chosen by a press', async () => {
      const { page, context, errors } = await lab().open('#number&format=float8_e5m2&number=1')
      const map = page.locator('canvas.map')
      await map.scrollIntoViewIfNeeded()
      const { width, height } = (await map.boundingBox())!
      // The column 13 of the row 7.
      const position = { x: (13.5 / 16) * width, y: (7.5 / 16) * height }
      await map.hover({ position })
      await page.waitForSelector('.pointed:has-text("0x7d, 0 11111 01: NaN")')
      await map.click({ position })
      await page.waitForSelector('.bits:has-text("0x7d")')
      await page.locator('h1').hover()
      await expect.poll(() => page.locator('.pointed').innerText()).toBe('')
      expect(errors).toEqual([])
      await context.close()
    })

    it('loses the neighbours of an outlier that the mouse drags, and the keyboard, as the library does in MXFP8, MXFP4 and NVFP4', async () => {
      const { page, context, errors } = await lab().open('#number')
      const slider = page.locator('label:has-text("the outlier") input')
      const others = Array.from({ length: 32 }, (_, i) => Math.fround(Math.sin(0.7 * i + 0.3) * 0.98))
      const compare = async (): Promise<number> => {
        const power = Number(await slider.inputValue())
        const values = Float32Array.from(others, (value, i) => (i === 7 ? 2 ** power : value))
        const expected = (
          [
            ['MXFP8', { element: 'float8_e4m3fn' }],
            ['MXFP4', { element: 'float4_e2m1fn' }],
            ['NVFP4', { element: 'float4_e2m1fn', scheme: 'nvfp4', blockSize: 16 }],
          ] as const
        ).map(([name, options]) => {
          const made = dequantizeBlocks(quantizeBlocks(values, options))
          const zeros = made.filter((value, i) => value === 0 && i !== 7).length
          return [name, String(zeros), String(Number(made[7]!.toPrecision(5)))]
        })
        const shown = async (): Promise<string[][]> => {
          const rows = await page.locator('section[aria-labelledby="blocks"] tbody tr').all()
          const cells = await Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()))
          return cells.map(([name = '', , zeros = '', , outlier = '']) => [name, zeros, outlier])
        }
        await expect.poll(shown).toEqual(expected)
        return power
      }
      await slider.scrollIntoViewIfNeeded()
      const { x, y, width, height } = (await slider.boundingBox())!
      await page.mouse.move(x + 8, y + height / 2)
      await page.mouse.down()
      const powers = [await compare()]
      for (const share of [0.3, 0.6, 0.95]) {
        await page.mouse.move(x + share * width, y + height / 2, { steps: 4 })
        powers.push(await compare())
      }
      await page.mouse.up()
      expect(powers).toEqual([...new Set(powers)].sort((a, b) => a - b))
      expect(powers.at(-1)).toBeGreaterThan(10)
      await slider.focus()
      await page.keyboard.press('Home')
      expect(await compare()).toBe(0)
      for (let i = 0; i < 30; i++) await page.keyboard.press('ArrowRight')
      expect(await compare()).toBeCloseTo(3, 9)
      await page.keyboard.press('End')
      expect(await compare()).toBe(12)
      expect(errors).toEqual([])
      await context.close()
    })

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
