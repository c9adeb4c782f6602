import {
  andMask,
  attention,
  blockMap,
  causalMask,
  chunkedMask,
  dilatedMask,
  fixedMask,
  flashAttention,
  fullMask,
  globalMask,
  type Mask,
  orMask,
  prefixMask,
  segmentMask,
  stridedMask,
  windowMask,
} from 'tpu-toolkit/kernels'
import { drift } from 'tpu-toolkit/numerics'
import { foldIn, key, normal } from 'tpu-toolkit/random'
import { cast, mul } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { mapOf } from '../../lab/sections/attention/mapOf.js'
import type { LabBrowser, OpenLab } from '../support/labPage.js'
import { runAll } from './programClaims.js'

const window = windowMask({ left: 255, right: 0 })

/** What each mask is at first, of 1,024 tokens. */
const masks: Readonly<Record<string, Mask>> = {
  full: fullMask(),
  causal: causalMask(),
  window,
  chunked: chunkedMask({ size: 256 }),
  prefix: prefixMask({ length: 200 }),
  segments: segmentMask({ lengths: [307, 512, 205] }),
  strided: stridedMask({ stride: 128 }),
  fixed: fixedMask({ stride: 128, summary: 8 }),
  dilated: dilatedMask({ reach: 3, step: 128 }),
  longformer: orMask(window, globalMask({ count: 64 })),
}

/** What the section is to do, in the lab that is open. */
export function attentionClaims(lab: () => OpenLab, browser: LabBrowser): void {
  describe('attention', () => {
    it('counts the blocks of every mask as the library does, and the programs that are shown print them', async () => {
      const { page, context, errors } = await lab().open('#attention&mask=full')
      const row = (name: string) =>
        page.locator(`section[aria-label="The blocks"] tr:has(td:text-is("${name}")) td`)
      await page.locator('section[aria-labelledby="blocks-of-masks"] summary').click()
      const [programs, wanted]: [string[], string[]] = [[], []]
      for (const [name, mask] of Object.entries(masks)) {
        await page.selectOption('label:has-text("mask") select', name)
        const map = blockMap(mask, { tq: 1024, tk: 1024 })
        const saved = `${(100 * map.saved).toFixed(1)} %`
        const masked = `${(100 * map.wasted).toFixed(1)} %`
        await page.waitForSelector(
          `text=${map.skipped} of 64 blocks are skipped: ${saved} of the pairs are not computed. Of those that are, ${masked} are masked.`,
        )
        const numbers = await Promise.all(
          ['masks to keep, unlike partial blocks', 'most blocks in a row, the grid', 'pairs that attend'].map(
            async (what) => (await row(what).allInnerTexts())[1]?.replaceAll(',', ''),
          ),
        )
        expect([name, ...numbers.map(Number)]).toEqual([name, map.distinctPartial, map.steps, map.allowed])
        programs.push(
          (await page.locator('section[aria-labelledby="blocks-of-masks"] pre').textContent()) ?? '',
        )
        wanted.push(`${map.skipped} skipped ${map.partial} partial ${map.full} full`)
      }
      const results = await page.evaluate<readonly { printed: readonly string[] }[]>(
        `(${runAll})(${JSON.stringify(programs)})`,
      )
      expect(results.map(({ printed }) => printed[0])).toEqual(wanted)
      expect(errors).toEqual([])
      await context.close()
    })

    it('chooses a block by the arrow keys, makes the mask causal, and says which documents are none', async () => {
      const { page, context } = await lab().open('#attention&mask=longformer&powerQ=6&powerK=8&row=2')
      await page.waitForSelector('text=Block 2, 0: queries 128 to 191, keys 0 to 255, partial.')
      await page.focus('button.picture')
      for (const pressed of ['ArrowRight', 'ArrowRight', 'ArrowDown']) await page.keyboard.press(pressed)
      await page.waitForSelector('text=Block 3, 2: queries 192 to 255, keys 512 to 767, skipped.')
      await page.waitForURL('**/#attention&mask=longformer&powerQ=6&powerK=8&row=3&column=2')
      await page.check('label:has-text("and causal") input')
      const causal = andMask(masks['longformer']!, causalMask())
      const { skipped } = blockMap(causal, { tq: 1024, tk: 1024, blockQ: 64, blockK: 256 })
      await page.waitForSelector(`text=${skipped} of 64 blocks are skipped`)
      await page.selectOption('label:has-text("mask") select', 'segments')
      await page.fill('label:has-text("documents") input', '3, x')
      await page.waitForSelector('[role="alert"]:has-text("not shares as in 3, 5, 2 [3, x]")')
      await page.fill('label:has-text("documents") input', '1 1')
      await page.waitForSelector('[role="alert"]', { state: 'detached' })
      await context.close()
    })

    if (browser === 'firefox') return
    // Once is enough: the library and the page have no branches for browsers here.

    it.each([64, 512, 1024, 1984])(
      'has the shares of blockMap by the size of blocks, of %i tokens',
      (tokens) => {
        for (const mask of Object.values(masks).filter(({ kind }) => kind !== 'segments')) {
          const { sizes } = mapOf({ kind: 'map', mask, tokens, blockQ: 512, blockK: 512 })
          for (const { size, computed } of sizes.filter((one) => one.size > 8)) {
            const { saved } = blockMap(mask, { tq: tokens, tk: tokens, blockQ: size, blockK: size })
            expect(computed).toBeCloseTo(1 - saved, 12)
          }
        }
      },
    )

    it('has the errors of Node in every form, and the program that is shown prints them', async () => {
      const { page, context, errors } = await lab().open('#attention&mask=causal&rows=64&sharp=2&seed=5')
      await page.waitForSelector('.said:has-text("whole, op by op")')
      await page.click('summary:text("Every error, and its bound")')
      const cells = await page.locator('section[aria-label="Errors by form and size"] td').allInnerTexts()
      const rows = Array.from({ length: cells.length / 5 }, (_, i) => cells.slice(5 * i, 5 * i + 5))
      expect(rows.length).toBe(4 * 3 + 2)
      const drawn = (stream: number) => normal(foldIn(key(5), stream), [1, 64, 64])
      const [q, k, v] = [
        cast(mul(drawn(0), 4), 'bfloat16'),
        cast(drawn(1), 'bfloat16'),
        cast(drawn(2), 'bfloat16'),
      ]
      const mask = causalMask()
      const exact = attention(cast(q, 'float64'), cast(k, 'float64'), cast(v, 'float64'), { mask }).out
      for (const [form, block, rms, most, bound] of rows) {
        expect(bound === 'none' || Number(most) <= Number(bound)).toBe(true)
        const size = Number(block)
        const known = (['flash2', 'splash', 'pallas', 'bfloat16'] as const).find((name) => name === form)
        const { out } = known
          ? flashAttention(q, k, v, { mask, form: known, blockQ: size, blockK: size })
          : attention(q, k, v, form === 'whole, op by op' ? { mask } : { mask, internal: 'float32' })
        expect([form, block, Number(rms)]).toEqual([
          form,
          block,
          Number(drift(out, exact).rms.toPrecision(3)),
        ])
      }
      const figure = page.locator('section[aria-labelledby="errors-of-kernels"]')
      await figure.locator('summary:text("Show the code")').click()
      await figure.locator('text=Open in the editor').click()
      await page.waitForSelector(".cm-content:has-text('flashAttention')")
      await page.click('button:text-is("Run")')
      await page.waitForSelector('text=It ran to its end')
      const printed = (await page.locator('.output').innerText()).split('\n')
      expect(printed.map((line) => line.split(' ').at(-1)).map(Number)).toEqual(
        rows.map(([, , rms]) => Number(rms)),
      )
      expect(errors).toEqual([])
      await context.close()
    })
  })
}
