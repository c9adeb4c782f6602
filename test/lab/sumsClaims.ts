import { allReduce } from 'tpu-toolkit/collectives'
import { key, normal } from 'tpu-toolkit/random'
import { sum, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import type { OpenLab } from '../support/labPage.js'

const orders = ['ring', 'tree', 'all-to-all'] as const

/** What the section is to do, in the lab that is open. */
export function sumsClaims(lab: () => OpenLab): void {
  describe('sums of many machines', () => {
    it.each([
      ['', 32, 'bfloat16', 'bfloat16'],
      ['&hosts=64&seed=3', 64, 'bfloat16', 'bfloat16'],
      ['&hosts=6&dtype=float16&accumulate=float32', 6, 'float16', 'float32'],
    ] as const)(
      'have the sums and bits of the library at #sums%s',
      async (values, hosts, dtype, accumulate) => {
        const { page, context, errors } = await lab().open(`#sums${values}`)
        await page.waitForSelector('section[aria-label="The additions"] td')
        const seed = values.includes('seed=3') ? 3 : 1
        const draws = normal(key(seed), 64).subarray(0, hosts)
        const machines = Array.from(draws, (x) => tensor([1 + x / 4], { dtype }))
        for (const order of orders) {
          const total = allReduce(machines, { order, accumulate })
          const row = page.locator(
            `section[aria-label="The sum in three orders"] tr:has(td:text-is("${order}")) td`,
          )
          expect((await row.allInnerTexts()).slice(1, 3)).toEqual([
            String(total.item()),
            `0x${total.toBits()[0]!.toString(16)}`,
          ])
          // The additions shown one by one end with the sum before its last rounding.
          await page.selectOption('label:has-text("order") select', order)
          const last = page.locator('section[aria-label="The additions"] tr.marked td').nth(4)
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
        const sums = orders.map((order) => allReduce(machines, { order, accumulate: 'bfloat16' }))
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
  })
}
