import { allReduce } from 'tpu-toolkit/collectives'
import { key, normal } from 'tpu-toolkit/random'
import { sum, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { additionsOf } from '../../lab/sections/sums/additionsOf.js'
import type { LabBrowser, OpenLab } from '../support/labPage.js'

const orders = ['ring', 'tree', 'all-to-all'] as const

/** In the page: keeps from where whatever moves from here on begins. */
const countMoves = `(() => {
  const own = Element.prototype.animate
  globalThis.begun = []
  Element.prototype.animate = function (frames, options) {
    globalThis.begun.push(frames[0].transform)
    return own.call(this, frames, options)
  }
})()`

/** What the section is to do, in the lab that is open. */
export function sumsClaims(lab: () => OpenLab, browser: LabBrowser): void {
  describe('sums of many machines', () => {
    it.each([
      ['', 32, 'bfloat16', 'bfloat16'],
      ['&hosts=64&seed=3', 64, 'bfloat16', 'bfloat16'],
      ['&hosts=6&dtype=float16&accumulate=float32', 6, 'float16', 'float32'],
    ] as const)(
      'have the sums and bits of the library at #sums&step=63%s',
      async (values, hosts, dtype, accumulate) => {
        const { page, context, errors } = await lab().open(`#sums&step=63${values}`)
        await page.waitForSelector('section[aria-label="The additions"] td')
        const seed = values.includes('seed=3') ? 3 : 1
        const draws = normal(key(seed), 64).subarray(0, hosts)
        const machines = Array.from(draws, (x) => tensor([1 + x / 4], { dtype }))
        const ofNccl = accumulate === dtype ? (['nccl-ring', 'nccl-tree'] as const) : []
        for (const order of [...orders, ...ofNccl]) {
          const total =
            order === 'nccl-ring' || order === 'nccl-tree'
              ? allReduce(machines, { order })
              : allReduce(machines, { order, accumulate })
          const row = page.locator(
            `section[aria-label="The sum in every order"] tr:has(td:text-is("${order}")) td`,
          )
          expect((await row.allInnerTexts()).slice(1, 3)).toEqual([
            String(total.item()),
            `0x${total.toBits()[0]!.toString(16)}`,
          ])
          // The additions shown one by one end with the sum before its last rounding.
          await page.selectOption('label:has-text("the additions of") select', order)
          const last = page.locator('section[aria-label="The additions"] tr.marked td').nth(5)
          const narrow = tensor([Number(await last.innerText())], { dtype })
          expect(narrow.item()).toBe(total.item())
        }
        expect(errors).toEqual([])
        await context.close()
      },
    )

    it('of the same numbers have other bits on other numbers of machines, those of the library', async () => {
      const { page, context, errors } = await lab().open('#sums')
      const rows = page.locator('section[aria-label="The same numbers by the number of machines"] tbody tr')
      await rows.first().waitFor()
      const numbers = Array.from(normal(key(1), 64), (x) => 1 + x / 4)
      const expected = [2, 4, 8, 16, 32, 64].map((count) => {
        const machines = Array.from({ length: count }, (_, i) => {
          const own = numbers.slice((i * 64) / count, ((i + 1) * 64) / count)
          return sum(tensor(own, { dtype: 'bfloat16' }), { accumulate: 'bfloat16', keepDims: true })
        })
        const sums = [
          ...orders.map((order) => allReduce(machines, { order, accumulate: 'bfloat16' })),
          ...(['nccl-ring', 'nccl-tree'] as const).map((order) => allReduce(machines, { order })),
        ]
        return [
          String(count),
          ...sums.flatMap((one) => [String(one.item()), `0x${one.toBits()[0]!.toString(16)}`]),
        ]
      })
      const seen = await rows.all()
      expect(await Promise.all(seen.map((row) => row.locator('td').allInnerTexts()))).toEqual(expected)
      expect(new Set(expected.map(([, , bits]) => bits)).size).toBeGreaterThan(1)
      expect(errors).toEqual([])
      await context.close()
    })

    it('are shown as many additions as asked, by the keyboard', async () => {
      const { page, context } = await lab().open('#sums&hosts=4&step=0')
      const rows = page.locator('section[aria-label="The additions"] tbody tr')
      await page.waitForSelector('text=0 of 3')
      expect(await rows.count()).toBe(0)
      await page.focus('label:has-text("additions done") input')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowRight')
      await page.waitForSelector('text=2 of 3')
      expect(await rows.count()).toBe(2)
      await context.close()
    })

    it('are drawn in every order: the partial sum moves from the machine that sends to the one that adds', async () => {
      const { page, context, errors } = await lab().open('#sums&hosts=8&step=3')
      const values = tensor(
        Array.from(normal(key(1), 64).subarray(0, 8), (x) => 1 + x / 4),
        { dtype: 'bfloat16' },
      ).toNumbers()
      await page.waitForSelector('figure.order .token')
      const names = await page.locator('figure.order h3').allInnerTexts()
      expect(names).toEqual(['ring', 'tree', 'all-to-all', 'nccl-tree'])
      await page.evaluate(countMoves)
      for (const done of [4, 5]) {
        await page.click('button:text-is("One addition")')
        // All of them are sent on their way at once.
        await expect.poll(() => page.evaluate<number>('globalThis.begun.length')).toBe(4 * (done - 3))
        const shown = await page.locator('figure.order .token text').allTextContents()
        const sums = (['ring', 'tree', 'all-to-all', 'nccl-tree'] as const).map((order) => {
          const { sum: partial } = additionsOf([...values], order, 'bfloat16')[done - 1]!
          return String(Number(partial.toPrecision(7)))
        })
        expect(shown).toEqual(sums)
      }
      const begun = await page.evaluate<string[]>('globalThis.begun')
      for (const from of begun) expect(from).toMatch(/^translate\(.*[1-9].*\)$/)
      await page.click('button:text-is("One back")')
      await page.waitForSelector('text=4 of 7')
      await page.click('button:text-is("Play")')
      await page.waitForSelector('button:text-is("Play from the beginning")')
      const captions = await page.locator('figure.order figcaption').allInnerTexts()
      for (const caption of captions) expect(caption).toContain('Addition 7 of 7')
      expect(errors).toEqual([])
      await context.close()
    })

    it('say that NCCL has no sum in fp8, and show the other orders', async () => {
      const { page, context, errors } = await lab().open('#sums&dtype=float8_e5m2&order=nccl-tree')
      await page.waitForSelector('text=nccl-tree is not there')
      expect(await page.locator('figure.order').count()).toBe(3)
      expect(errors).toEqual([])
      await context.close()
    })

    if (browser === 'firefox') return

    it('stand still for those who asked for that', async () => {
      const { page, context } = await lab().open('#sums&hosts=8&step=3', { reducedMotion: 'reduce' })
      await page.waitForSelector('figure.order .token')
      await page.evaluate(countMoves)
      await page.click('button:text-is("One addition")')
      await page.waitForSelector('text=4 of 7')
      await page.waitForTimeout(200)
      const moving = await page.evaluate<number>('globalThis.begun.length')
      expect(moving).toBe(0)
      await context.close()
    })
  })
}
