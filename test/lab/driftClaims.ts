import { errorBound, exactSum, naiveCumsum } from 'tpu-toolkit/numerics'
import { abs, cumsum, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import type { LabBrowser, OpenLab } from '../support/labPage.js'

/** What the section is to do, in the lab that is open. */
export function driftClaims(lab: () => OpenLab, browser: LabBrowser): void {
  describe('the drift explorer', () => {
    it('says where the sum of ones in bfloat16 stops, its errors and its bound, as the library does', async () => {
      const { page, context, errors } = await lab().open('#drift')
      await page.waitForSelector(
        'text=The sum ends at 256, the exact one at 1024; after 256 values it no longer changes.',
      )
      const x = tensor(new Float64Array(1024).fill(1), { dtype: 'bfloat16' })
      const { bound } = errorBound('cumsum', { n: 1024, dtype: 'bfloat16' }, { sumAbs: exactSum(abs(x)) })
      const cells = await page.locator('td').allInnerTexts()
      expect(cells[0]).toBe(String(1024 - naiveCumsum(x).toNumbers().at(-1)!))
      expect(cells[3]).toBe(String(Number(bound.toPrecision(6))))
      expect(errors).toEqual([])
      await context.close()
    })

    it('sums numbers of the reader own in every order, which the address keeps', async () => {
      const { page, context } = await lab().open('#drift&series=own&dtype=float8_e4m3fn&order=kahan')
      await page.fill('textarea', '1 0.3, 7\n2.5 x 100')
      const x = tensor([1, 0.3, 7, 2.5, 100], { dtype: 'float8_e4m3fn' })
      const last = cumsum(x, { order: 'kahan' }).toNumbers().at(-1)!
      await page.waitForSelector(
        `text=The sum ends at ${last}, the exact one at ${Number(exactSum(x).toPrecision(6))}`,
      )
      await page.waitForSelector('span[role="status"]:has-text("is none and was left out.")')
      await page.waitForURL('**&own=1+0.3%2C+7%0A2.5+x+100')
      await context.close()
    })

    it('sums the numbers of a file, and says where their sum stands still', async () => {
      const { page, context, errors } = await lab().open('#drift&series=own')
      const values = Array.from({ length: 3000 }, (_, i) => 0.25 + (i % 3) / 8)
      await page.setInputFiles('main input[type="file"]', {
        name: 'mine.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(values.join('\n')),
      })
      const x = tensor(values, { dtype: 'bfloat16' })
      const sums = naiveCumsum(x).toNumbers()
      const last = sums.at(-1)!
      await page.waitForSelector(
        `text=The sum ends at ${last}, the exact one at ${exactSum(x)}; after ${sums.indexOf(last) + 1} values it no longer changes.`,
      )
      await page.waitForSelector('span[role="status"]:text-is("3,000 numbers.")')
      expect(errors).toEqual([])
      await context.close()
    })

    if (browser === 'firefox') return
    // Once is enough: the library and the page have no branches for browsers here.

    it('answers a change within 20 ms of work at 4,096 values, once its tables are made', async () => {
      const { page, context } = await lab().open('#drift&power=12')
      await page.waitForSelector('text=the exact one at 4096')
      const times = await page.evaluate<number[]>(`new Promise((done) => {
        const worker = new Worker('workers/drift.js', { type: 'module' })
        const times = []
        const values = Float64Array.from({ length: 4096 }, (_, i) => 1 / (i + 1))
        const ask = () => worker.postMessage({ id: times.length, values, dtype: 'bfloat16', order: 'sequential', accumulate: 'bfloat16' })
        worker.onmessage = ({ data }) => {
          times.push(data.answer.milliseconds)
          if (times.length < 40) ask()
          else done(times)
        }
        ask()
      })`)
      const median = times.slice(20).sort((a, b) => a - b)[10]!
      expect(median).toBeLessThan(20)
      await context.close()
    })
  })
}
