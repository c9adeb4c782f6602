import type { Page } from 'playwright-core'
import { createMesh, deviceSlices } from 'tpu-toolkit/sharding'
import { cycles, trace } from 'tpu-toolkit/systolic'
import { describe, expect, it } from 'vitest'
import type { LabBrowser, OpenLab } from '../support/labPage.js'
import { runCli } from '../support/runCli.js'

/** The cells of a table of the page, row by row. */
async function tableOf(page: Page, name: string): Promise<string[][]> {
  const rows = page.locator(`section[aria-label="${name}"] tbody tr`)
  return rows.evaluateAll((all) =>
    all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.innerText)),
  )
}

/** The words of a row that a command prints. */
const rowOf = (out: string, first: string): string[] =>
  out
    .split('\n')
    .map((line) => line.trim().split(/\s{2,}/))
    .find(([word]) => word === first) ?? []

/** What the section is to do, in the lab that is open. */
export function planClaims(lab: () => OpenLab, browser: LabBrowser): void {
  describe('the plan', () => {
    it.each([
      ['', ['llama3-8b']],
      [
        '&model=llama3-70b&chip=v6e&topology=16x16&batch=512&tensor=4&remat=block',
        ['llama3-70b', '--slice', 'v6e-256', '--batch', '512', '--tensor', '4', '--remat', 'block'],
      ],
      [
        '&model=own&D=1024&F=4096&L=8&N=8&V=32000&chip=v5e&topology=4x4&params=bfloat16',
        ['family=decoder,D=1024,F=4096,L=8,N=8,V=32000', '--slice', 'v5e-16', '--params', 'bfloat16'],
      ],
    ] as const)('at #plan%s has the numbers that the command prints', async (values, args) => {
      const { out } = await runCli('plan', ...args)
      const { page, context, errors } = await lab().open(`#plan${values}`)
      await page.waitForSelector('section[aria-label="Memory of each device"]')
      const memory = await tableOf(page, 'Memory of each device')
      expect(memory.map(([what]) => what)).toEqual(
        expect.arrayContaining(['weights', 'activations', 'in all']),
      )
      for (const [what, bytes] of memory) expect([what, bytes]).toEqual(rowOf(out, what!).slice(0, 2))
      for (const [what, time] of await tableOf(page, 'A step')) {
        const name = what!.replace(' (bounds it)', '')
        expect([name, time]).toEqual(rowOf(out, name).slice(0, 2))
      }
      await page.click('button[role="tab"]:text-is("Parameters on the torus")')
      const spread = await tableOf(page, 'Each parameter, split over the ways named')
      expect(spread.length).toBeGreaterThan(5)
      for (const [name, ...rest] of spread) {
        expect([name, ...rest.slice(0, 4)]).toEqual(rowOf(out, name!).slice(0, 5))
      }
      expect(/batch (\d+)/.exec(out)![1]).toBe(
        /Batch (\d+)/.exec(await page.locator('.said').first().innerText())![1],
      )
      expect(errors).toEqual([])
      await context.close()
    })

    it('shows on the torus which devices hold a part, chosen by the keyboard or by pressing a chip', async () => {
      const { page, context } = await lab().open(
        '#plan&tab=torus&tensor=4&data=2&topology=4x4x8&parameter=layer.mlp.down&device=17',
      )
      const mesh = createMesh('v5p:4x4x8', {
        axes: { data: 2, fsdp: 16, tensor: 4 },
        splitPhysicalAxes: true,
      })
      const slices = deviceSlices(mesh, ['tensor', 'fsdp'], [14336, 4096])
      const held = (device: number): string =>
        `it holds ${slices[device]!.map(([start, stop]) => `${start} to ${stop - 1}`).join(', ')}; 2 devices hold that part.`
      await page.waitForSelector(`text=${held(17)}`)
      await page.focus('label:has-text("device:") input')
      await page.keyboard.press('ArrowRight')
      await page.waitForSelector(`text=${held(18)}`)
      await page.click('rect[data-device="100"]')
      await page.waitForSelector(`text=${held(100)}`)
      const framed = await page.locator('rect[data-device][stroke="var(--ink)"]').count()
      expect(framed).toBe(slices.filter((slice) => String(slice) === String(slices[100])).length)
      await page.waitForURL('**device=100**')
      await context.close()
    })

    it('exports the flags that the command prints, and finds what is wrong with those of the reader', async () => {
      const { page, context } = await lab().open('#plan&tab=flags&chip=v6e&level=aggressive&experts=1')
      const { out } = await runCli('flags', 'v6e', '--level', 'aggressive', '--experts')
      await page.waitForSelector('pre.text:has-text("export")')
      expect((await page.locator('[role="tabpanel"] > pre.text').innerText()).trim()).toBe(out.trim())
      await page.waitForSelector('text=2 of them are wrong; 2 would end the process.')
      await page.fill('label:has-text("LIBTPU_INIT_ARGS") textarea', '')
      await page.waitForSelector('text=Nothing is wrong with them.')
      await context.close()
    })

    if (browser === 'firefox') return
    // Once is enough: the library and the page have no branches for browsers here.

    it('has the operations of the command roofline, and says what cannot be', async () => {
      const { page, context } = await lab().open(
        '#plan&tab=operations&chip=v6e&topology=2x2&model=gpt2&rows=8&tokens=1&context=1024&pass=forward',
      )
      const { out } = await runCli(
        ...['roofline', 'gpt2', '--chip', 'v6e', '--batch', '8', '--sequence', '1', '--context', '1024'],
        ...['--pass', 'forward', '--json'],
      )
      const told = JSON.parse(out) as { operations: { name: string; boundBy: string; intensity: number }[] }
      await page.waitForSelector('section[aria-label="Operations"] td')
      const rows = await tableOf(page, 'Operations')
      expect(rows.map(([name, , , , , , , bound]) => [name, bound])).toEqual(
        told.operations.map(({ name, boundBy }) => [name, boundBy]),
      )
      const drawn = told.operations.filter(({ intensity }) => intensity > 0)
      expect(await page.locator('svg.roofline > circle, svg.roofline > rect').count()).toBe(drawn.length)
      await page.fill('label:has-text("tensor ways") input', '5')
      await page.press('label:has-text("tensor ways") input', 'Tab')
      await page.waitForSelector('.error:has-text("5")')
      await context.close()
    })

    it('steps through the cycles of a systolic array by the keyboard, plays to its end, and has the product', async () => {
      const { page, context } = await lab().open('#plan&tab=unit&dataflow=os&high=2&wide=2&m=3&k=2&n=2')
      const matrix = (rows: number, columns: number, times: number): number[][] =>
        Array.from({ length: rows }, (_, i) =>
          Array.from({ length: columns }, (_, j) => ((times * i + j + 1) % 7) - 2),
        )
      const problem = { dataflow: 'os', rows: 2, columns: 2 } as const
      const { product, totalCycles, frames } = trace({ ...problem, a: matrix(3, 2, 3), b: matrix(2, 2, 2) })
      expect(totalCycles).toBe(cycles({ ...problem, m: 3, n: 2, k: 2 }).totalCycles)
      await page.waitForSelector(`text=Cycle 0 of ${totalCycles}`)
      await page.focus('button:text("One cycle on")')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Enter')
      await page.waitForSelector(`text=Cycle 2 of ${totalCycles}`)
      const sums = await page
        .locator('section[aria-label="The cells of the array"] text:has-text("sum")')
        .allTextContents()
      expect(sums).toEqual(frames[2]!.cells.flat().flatMap(({ sum }) => (sum === null ? [] : [`sum ${sum}`])))
      const row = (await tableOf(page, 'Cycles of the product'))[0]!
      expect([row[0], row.at(-1)]).toEqual([
        String(totalCycles),
        product.map((line) => line.join(' ')).join('; '),
      ])
      await page.click('button:text-is("Play")')
      await page.waitForSelector(`text=Cycle ${totalCycles} of ${totalCycles}`)
      await page.waitForSelector('button:text-is("Play")')
      await context.close()
    })

    it('shows code that runs in the editor, each of its five programs', async () => {
      const { page, context } = await lab().open('#plan')
      for (const tab of ['memory', 'torus', 'operations', 'unit', 'flags']) {
        await page.goto(`${lab().url}#plan&tab=${tab}&topology=2x2x4`)
        await page.locator('.show-code summary').click()
        await page.locator('.show-code >> text=Open in the editor').click()
        await page.waitForSelector('.cm-content:has-text("import")')
        await page.click('button:text-is("Run")')
        await page.waitForSelector('text=It ran to its end')
      }
      await context.close()
    })
  })
}
