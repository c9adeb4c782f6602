import { round } from 'tpu-toolkit/formats'
import { coordinateCheck } from 'tpu-toolkit/optimizer'
import * as schedules from 'tpu-toolkit/schedule'
import { describe, expect, it } from 'vitest'
import { scheduleNames } from '../../lab/sections/optimizers/scheduleNames.js'
import { storedRuns } from '../../lab/sections/optimizers/storedRuns.js'
import type { LabBrowser, OpenLab } from '../support/labPage.js'
import { runAll } from './programClaims.js'

const peakValue = 3e-4
const warm = { initValue: 0, peakValue, warmupSteps: 100 }
const falls = { initValue: peakValue, transitionSteps: 1000 }
const boundariesAndScales = { 300: 0.5, 600: 0.2 }
const cycle = { initValue: 0, peakValue, endValue: 0, warmupSteps: 0 }

/** What each schedule is at first, by the library's own functions. */
const expected: Readonly<Record<(typeof scheduleNames)[number], schedules.Schedule>> = {
  constantSchedule: schedules.constantSchedule(peakValue),
  linearSchedule: schedules.linearSchedule({ ...falls, endValue: 0 }),
  polynomialSchedule: schedules.polynomialSchedule({ ...falls, endValue: 0, power: 2 }),
  cosineDecaySchedule: schedules.cosineDecaySchedule({ initValue: peakValue, decaySteps: 1000 }),
  exponentialDecay: schedules.exponentialDecay({ ...falls, decayRate: 0.1 }),
  warmupConstantSchedule: schedules.warmupConstantSchedule(warm),
  warmupCosineDecaySchedule: schedules.warmupCosineDecaySchedule({ ...warm, decaySteps: 1000 }),
  warmupExponentialDecaySchedule: schedules.warmupExponentialDecaySchedule({
    ...{ ...warm, transitionSteps: 1000, decayRate: 0.1 },
  }),
  inverseSqrtSchedule: schedules.inverseSqrtSchedule({ ...warm, timescale: 100 }),
  wsdSchedule: schedules.wsdSchedule({ ...warm, stableSteps: 600, decaySteps: 1000 }),
  piecewiseConstantSchedule: schedules.piecewiseConstantSchedule({
    ...{ initValue: peakValue, boundariesAndScales },
  }),
  piecewiseInterpolateSchedule: schedules.piecewiseInterpolateSchedule({
    ...{ initValue: peakValue, boundariesAndScales, interpolateType: 'linear' },
  }),
  linearOnecycleSchedule: schedules.linearOnecycleSchedule({ transitionSteps: 1000, peakValue }),
  cosineOnecycleSchedule: schedules.cosineOnecycleSchedule({ transitionSteps: 1000, peakValue }),
  joinSchedules: (step) =>
    step < 100 ? (peakValue * step) / 100 : peakValue * 0.1 ** (Math.max(0, step - 700) / 1000),
  sgdrSchedule: schedules.sgdrSchedule([
    { ...cycle, warmupSteps: 100, decaySteps: 250 },
    { ...cycle, decaySteps: 300 },
    { ...cycle, decaySteps: 600 },
  ]),
  doublingRestartsSchedule: schedules.doublingRestartsSchedule({ ...warm, totalSteps: 1000, cycles: 3 }),
}

/** What the section is to do, in the lab that is open. */
export function optimizersClaims(lab: () => OpenLab, browser: LabBrowser): void {
  describe('the optimizers', () => {
    it('follow a slider that the keyboard moves, keep it in the address, and say what the library refuses', async () => {
      const { page, context } = await lab().open('#optimizers&peakValue=1')
      await page.waitForSelector('text=The highest rate is 1, at step 100.')
      await page.focus('label:has-text("warmupSteps") input')
      await page.keyboard.press('ArrowRight')
      await page.waitForSelector('text=The highest rate is 1, at step 101.')
      await page.waitForURL('**/#optimizers&peakValue=1&warmupSteps=101')
      await page.focus('label:has-text("warmupSteps") input')
      await page.keyboard.press('End')
      await page.waitForSelector('[role="alert"]:has-text("decaySteps, warm-up included, is not above")')
      await context.close()
    })

    it("have the slopes of the library's coordinate check", async () => {
      const { page, context } = await lab().open('#optimizers&width=128&adamSteps=2&trained=10')
      const table = page.locator('section[aria-label="Outputs by width"]')
      await page.waitForSelector('section[aria-label="Outputs by width"] tr:has-text("muP") td')
      for (const [name, parametrization] of [
        ['one rate for all widths', 'standard'],
        ['muP', 'mup'],
      ] as const) {
        const widths = [32, 64, 128]
        const { outputs, slope } = coordinateCheck({ parametrization, widths, steps: 2, seeds: [0] })
        const cells = await table.locator(`tr:has(td:text-is("${name}")) td`).allInnerTexts()
        expect(cells).toEqual([name, ...outputs.map((size) => size.toPrecision(4)), slope.toFixed(3)])
      }
      await context.close()
    })

    if (browser === 'firefox') return
    // Once is enough: the library and the page have no branches for browsers here.

    it('draw every schedule of the library, with its rates, and the programs that are shown print them', async () => {
      const functions = Object.keys(schedules).filter((name) => name !== 'doublingPeriods')
      expect([...scheduleNames].sort()).toEqual(functions.sort())
      const { page, context, errors } = await lab().open('#optimizers')
      await page.click('summary:text("Eleven of the rates")')
      await page.locator('section[aria-labelledby="schedules"] summary:text("Show the code")').click()
      const programs: string[] = []
      const wanted: string[] = []
      for (const name of scheduleNames) {
        await page.selectOption('label:has-text("schedule") select', name)
        const cells = await page.locator('section[aria-label="Rates"] td').allInnerTexts()
        const rates = Array.from({ length: 11 }, (_, i) => expected[name](100 * i))
        const digits = (rate: number): string => String(Number(rate.toPrecision(7)))
        const rows = rates.flatMap((rate, i) => [
          ...[(100 * i).toLocaleString('en'), digits(rate), digits(round(rate, 'bfloat16'))],
        ])
        expect([name, cells]).toEqual([name, rows])
        programs.push(await page.locator('section[aria-labelledby="schedules"] pre').innerText())
        const half = expected[name](500)
        wanted.push(`500 ${half.toPrecision(13)} ${round(half, 'bfloat16')}`)
      }
      const results = await page.evaluate<readonly { printed: readonly string[] }[]>(
        `(${runAll})(${JSON.stringify(programs)})`,
      )
      // An engine's power and cosine may differ in their last bit.
      const printed = results.map((result) => (result.printed[5] ?? '').split(' '))
      expect(
        printed.map(([step, rate, narrow]) => `${step} ${Number(rate).toPrecision(13)} ${narrow}`),
      ).toEqual(wanted)
      expect(errors).toEqual([])
      await context.close()
    })

    it('train in four ways to the distances of Node, and the program that is shown prints them', async () => {
      const { page, context, errors } = await lab().open(
        '#optimizers&trained=40&optimizer=lion&rounded=float32&stored=float16',
      )
      const asked = { optimizer: 'lion', rate: 1e-3, dtype: 'float16', steps: 40, seed: 1 } as const
      const runs = [...storedRuns({ kind: 'stored', ...asked })]
      const ends = runs.map(({ distance }) => String(Number(distance.at(-1)!.toPrecision(3))))
      await page.waitForSelector('.said:has-text("master copy.")')
      const said = page.locator('section[aria-label="The four ways"] td:last-child')
      expect((await said.allInnerTexts()).map(Number)).toEqual(ends.map(Number))
      const stored = page.locator('section[aria-labelledby="stored"]')
      await stored.locator('summary:text("Show the code")').click()
      await stored.locator('text=Open in the editor').click()
      await page.waitForSelector(".cm-content:has-text('storedParams')")
      await page.click('button:text-is("Run")')
      await page.waitForSelector('text=It ran to its end')
      expect(await page.locator('.output').innerText()).toBe(
        runs.map(({ mode }, i) => `${mode} ${Number(ends[i])}`).join('\n'),
      )
      expect(errors).toEqual([])
      await context.close()
    })
  })
}
