import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { jsonLines } from 'tpu-toolkit/monitor'
import { chromeTrace, profile } from 'tpu-toolkit/profile'
import { runStep2750 } from 'tpu-toolkit/step2750'
import { exp, zeros } from 'tpu-toolkit/tensor'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleFile } from '../../lab/sections/file/sampleFile.js'
import type { LabBrowser, OpenLab } from '../support/labPage.js'
import { runCli } from '../support/runCli.js'

const folder = mkdtempSync(join(tmpdir(), 'lab-results-'))
const sample = join(folder, 'sample.safetensors')

/** Commands, what the section calls their reports, and the list that it shows first with the one that it draws. */
const commands = [
  [
    ['drift', '--only', 'sum', '--length', '64,256', '--out', join(folder, 'drift'), '--json'],
    'The drift bench',
    'rows',
  ],
  [
    ['quantize', sample, '--format', 'mxfp4,bfloat16', '--json'],
    'What formats make of the tensors',
    'totals',
  ],
  [['nan', '--lr', '2.75e-3', '--steps', '300', '--json'], 'A run of the step-2750 experiment', 'records'],
  [['roofline', 'gpt2', '--json'], 'What bounds each operation', 'operations'],
  [
    ['plan', 'gpt2', '--slice', 'v5e-8', '--sequence', '1024', '--json'],
    'A plan of a model',
    'sharding.parameters',
  ],
  [['flags', 'v5e', '--json'], 'Flags of libtpu', 'flags'],
  [
    ['gallery', '--only', 'ones-stall', '--out', join(folder, 'gallery'), '--json'],
    'The gallery',
    'failures',
  ],
  [['inspect', '0.1', '--json'], 'A number in every format', 'formats'],
  [['audit', 'S', '--json'], 'How the sizes of a model fit', 'findings'],
  [['schedule', '--json'], 'A learning-rate schedule', 'points'],
  [
    [
      ...['kernels', '--only', 'rope', '--length', '32,64', '--steps', '0'],
      ...['--out', join(folder, 'kernels'), '--json'],
    ],
    'Kernels in low precision',
    'rows',
  ],
  [
    [
      ...['formats', '--measure', '--weights', sample, '--data', 'file', '--only', 'mxfp4,nvfp4'],
      ...['--out', join(folder, 'formats'), '--json'],
    ],
    'What formats and block schemes make of numbers',
    'rows',
  ],
  [
    ['doctor', 'softmax', '--out', join(folder, 'doctor'), '--json'],
    'What the precision doctor found',
    'shadow.operations',
  ],
  [
    ['rl', '--task', 'cartpole', '--steps', '512', '--out', join(folder, 'rl'), '--json'],
    'Agents trained with PPO',
    'rows',
  ],
  [
    ['vq', sample, '--length', '2', '--codes', '16', '--bits', '4.5', '--json'],
    'Vector quantisation of the tensors',
    'totals',
  ],
  [['diagnose', join(folder, 'run'), '--json'], 'What is wrong with a run', 'problems'],
] as const

/** Lists without a number. */
const wordsOnly: readonly string[] = ['flags', 'audit']

/** Gives the page a file. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  await page.setInputFiles('main input[type="file"]', { name, mimeType: '', buffer: Buffer.from(text) })
}

function listAt(json: unknown, path: string): readonly unknown[] {
  const found = path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], json)
  return found as readonly unknown[]
}

/** Rows of a table by their headings, as they are read. */
async function tableRows(page: Page, name: string): Promise<Record<string, string>[]> {
  const table = page.locator(`section[aria-label="${name}"]`)
  const head = await table.locator('thead th').allInnerTexts()
  const rows = await table
    .locator('tbody tr')
    .evaluateAll((all) =>
      all.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent)),
    )
  return rows.map((cells) => Object.fromEntries(head.map((column, i) => [column, cells[i] ?? ''])))
}

/** The numbers of a record by their paths, in the six digits that the page shows. */
function numbersOf(record: unknown, path = ''): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(record ?? {})) {
    if (typeof value === 'number') {
      found[path + name] = String(Number(value.toPrecision(6)))
    } else if (typeof value === 'object' && !Array.isArray(value)) {
      Object.assign(found, numbersOf(value, `${path}${name}.`))
    }
  }
  return found
}

/** What the section is to do, in the lab that is open. */
export function resultsClaims(lab: () => OpenLab, browser: LabBrowser): void {
  describe('results', () => {
    // Both browsers run in one worker, which loads this file once.
    beforeAll(() => void mkdirSync(folder, { recursive: true }))
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    it('of a run to NaN have its losses with the step marked, its records and its explanation', async () => {
      const { page, context } = await lab().open('#results&sample=nan')
      await page.waitForSelector('h2:text("The figure: loss")')
      const run = runStep2750({ lr: 2.75e-3, steps: 330 })
      expect(await page.locator('pre.text').innerText()).toBe(run.explanation.text)
      const rows = await page
        .locator('section[aria-label="records"] tbody tr')
        .evaluateAll((all) => all.map((row) => row.querySelector('td')!.innerText))
      expect(rows).toEqual(run.records.map(({ step }) => String(step)))
      await context.close()
    })

    it('are looked through by words, sorted by the keyboard, drawn, and the address keeps it', async () => {
      const { page, context } = await lab().open('#results&sample=drift&words=lognormal+256')
      await page.waitForSelector('section[aria-label="rows"] tbody tr')
      const cells = (column: number): Promise<string[]> =>
        page.locator(`section[aria-label="rows"] tbody tr td:nth-child(${column})`).allInnerTexts()
      expect(new Set(await cells(3)).size).toBe(1)
      await page.locator('button.sort:text-is("maxAbs")').focus()
      await page.keyboard.press('Enter')
      const column = (await page.locator('button.sort').allInnerTexts()).findIndex((name) =>
        name.startsWith('maxAbs'),
      )
      const up = (await cells(column + 1)).map(Number)
      expect(up).toEqual([...up].sort((a, b) => a - b))
      await page.keyboard.press('Enter')
      expect((await cells(column + 1)).map(Number)).toEqual([...up].reverse())
      await page.fill('input[type="search"]', 'kahan')
      await page.selectOption('label:text-matches("^up") select', 'maxUlps')
      await page.selectOption('label:has-text("a line for each") select', 'input')
      await page.waitForURL('**by=input**')
      const link = page.url()
      await context.close()
      const shared = await lab().open(link.slice(link.indexOf('#')))
      await shared.page.waitForSelector('canvas[aria-label^="maxUlps over length, 5 lines"]')
      await shared.page.click('summary:text("Show the code")')
      await shared.page.click('text=Open in the editor')
      await shared.page.waitForSelector('.cm-content:has-text("maxUlps")')
      await shared.page.click('button:text-is("Run")')
      await shared.page.waitForSelector('text=It ran to its end')
      await shared.page.goBack()
      await shared.page.waitForSelector('h1:text("Results")')
      await shared.context.close()
    })

    it('may be lines of JSON: the rows of a sweep, the samples of a run; and a trace, its spans by name', async () => {
      const { page, context } = await lab().open('#results')
      await page.waitForSelector('main input[type="file"]')
      const out = join(folder, 'sweep')
      await runCli('sweep', '--lr', '2.75e-3', '--cumsum', 'sequential,stable', '--steps', '20', '--out', out)
      const rows = readFileSync(join(out, 'rows.jsonl'), 'utf8')
      await drop(page, 'rows.jsonl', rows)
      await page.waitForSelector('text=2 of 2 rows')
      const named = await page.locator('button.sort').allInnerTexts()
      expect(named).toContain('options.cumsum')
      await drop(
        page,
        'run.jsonl',
        [1, 2, 3]
          .map((step) =>
            JSON.stringify({ step, time: step, values: { loss: step === 3 ? 'NaN' : 1 / step } }),
          )
          .join('\n'),
      )
      await page.waitForSelector('.said:has-text("The samples of a run")')
      await page.waitForSelector('canvas[aria-label^="values.loss over step"]')
      const trace = chromeTrace(profile(() => exp(zeros([4])), { runs: 1 }))
      await drop(page, 'trace.json', JSON.stringify(trace))
      const spans = new Set(trace.traceEvents.filter(({ ph }) => ph === 'X').map(({ name }) => name)).size
      await page.waitForSelector(`text=${spans} of ${spans} rows`)
      await context.close()
    })

    if (browser === 'firefox') return
    // Once is enough: the library and the page have no branches for browsers here.

    it('are recognised by what they hold, for the reports of sixteen commands, and every number of their lists is there', async () => {
      writeFileSync(sample, sampleFile())
      const sink = jsonLines(join(folder, 'run', 'run.jsonl'))
      for (let step = 1; step <= 20; step++) {
        sink.write({
          step,
          time: step,
          values: { loss: step > 10 ? Number.NaN : 1 / step, step },
          nonFinite: {},
        })
      }
      sink.close()
      const { page, context, errors } = await lab().open('#results')
      await page.waitForSelector('main input[type="file"]')
      for (const [args, about, path] of commands) {
        const { out } = await runCli(...args)
        // The name says nothing.
        await drop(page, 'report.json', out)
        await page.waitForSelector(`.said:has-text("report.json: ${about}")`)
        const choice = page.locator('h2:text-is("Tables") + .controls select')
        if ((await choice.count()) > 0) await choice.selectOption(path)
        const words = page.locator('input[type="search"]')
        if ((await words.inputValue()) !== '') await words.fill('')
        const list = listAt(JSON.parse(out), path)
        const count = list.length
        await page.waitForSelector(`text=${count} of ${count} rows`)
        expect(await page.locator(`section[aria-label="${path}"] tbody tr`).count()).toBe(
          Math.min(count, 200),
        )
        const numbers = list.slice(0, 200).map((record) => numbersOf(record))
        expect([args[0], numbers.some((some) => Object.keys(some).length > 0)]).toEqual([
          args[0],
          !wordsOnly.includes(args[0]),
        ])
        expect([args[0], await tableRows(page, path)]).toMatchObject([args[0], numbers])
      }
      expect(errors).toEqual([])
      await context.close()
    }, 180_000)

    it.each([
      [
        '{"weather": "fine", "degrees": 20}',
        'none of the reports that the commands write; it has the fields weather, degrees',
      ],
      ['{"benchmark": "drift", "rows": [', 'JSON'],
      ['{"step": 1, "values": {}}\nand then', 'line 2 is no JSON'],
      ['[1, 2]', 'not an object of JSON [[1, 2]]'],
      ['{"traceEvents": []}', 'no spans of time among its events [0 events]'],
    ] as const)('that are none are said to be: %s', async (text, why) => {
      const { page, context } = await lab().open('#results')
      await page.waitForSelector('main input[type="file"]')
      await drop(page, 'mine.json', text)
      await page.waitForSelector('.said:has-text("mine.json is not shown.")')
      expect(await page.locator('[role="alert"]').innerText()).toContain(why)
      await context.close()
    })
  })
}
