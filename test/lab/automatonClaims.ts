import {
  damageCircle,
  drawPicture,
  fireMasks,
  lostUpdates,
  ncaStep,
  seedState,
  trainedFlower,
} from 'tpu-toolkit/nca'
import { foldIn, key, uniform } from 'tpu-toolkit/random'
import { reshape, slice } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { arithmetics } from '../../lab/sections/automaton/automatonMessages.js'
import { readWounds, withWound } from '../../lab/sections/automaton/readWounds.js'
import { standStill } from '../../lab/sections/automaton/standStill.js'
import type { LabBrowser, OpenLab } from '../support/labPage.js'
import { runAll } from './programClaims.js'

/** Of which Node computes the growth anew; the program that is shown has all of them. */
const anew = arithmetics.filter(({ name }) =>
  ['float32', 'bfloat16, state at random', 'float8_e4m3fn'].includes(name),
)

/** The flower after 17 steps, hurt after 16, by single steps that are not compiled: what it is off, and what it loses. */
function flowerOf({ name, dtype, stateDtype, rounding }: (typeof arithmetics)[number]): string[] {
  const params = trainedFlower()
  const rule = { dtype, stateDtype, alive: {} } as const
  let state = seedState({ shape: [24, 24], channels: 12, dtype: stateDtype })
  let lost = 0
  for (let step = 0; step < 17; step++) {
    if (step === 16) state = damageCircle(state, { center: [-0.2, 0.3], radius: 0.5 })
    if (step === 16) lost = lostUpdates(params, state, rule).share
    const drawn = foldIn(key(7), step)
    const mask = reshape(fireMasks(foldIn(drawn, 0), { steps: 1, shape: [24, 24] }), [24, 24])
    const draws = uniform(foldIn(drawn, 1), [24, 24, 12])
    state = ncaStep(params, state, { ...rule, mask, ...(rounding === 'stochastic' && { draws }) })
  }
  const target = drawPicture('flower').toNumbers()
  const cells = slice(state, [null, null, [0, 4]]).toNumbers()
  const off = cells.reduce((sum, value, i) => sum + (value - target[i]!) ** 2, 0) / cells.length
  return [name, String(Number(off.toPrecision(3))), `${(100 * lost).toFixed(1)} %`]
}

/** What the section is to do, in the lab that is open. */
export function automatonClaims(lab: () => OpenLab, browser: LabBrowser): void {
  describe('the automaton', () => {
    it('is hurt by the keyboard and by a press, lives on, stops, steps, and goes back to its seed', async () => {
      const { page, context } = await lab().open('#automaton&step=4&steps=16')
      await page.waitForSelector('.said:has-text("At step 4:")')
      const picture = page.locator('button.cells').nth(1)
      await picture.focus()
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Enter')
      // It goes on by itself, so that one sees whether it heals.
      await page.waitForSelector('text=/^Step ([6-9]|\\d\\d), 1 wound\\./')
      await page.click('button:text-is("Pause")')
      await page.waitForURL((url) => url.hash.includes('wounds=4%3A0.3%2C0.4%2C0.35'))
      await page.waitForSelector('.said:has-text("The wound of step 4:")')
      await picture.click({ position: { x: 10, y: 10 } })
      await page.waitForSelector('text=/^Step \\d+, 2 wounds\\./')
      await page.click('button:text-is("Pause")')
      await page.waitForSelector('.said:has-text("At step")')
      const step = Number(/Step (\d+)/.exec(await page.locator('main').innerText())![1])
      await page.click('button:text-is("One step")')
      await page.waitForSelector(`.said:has-text("At step ${step + 1}:")`)
      await page.click('button:text-is("Back to the seed")')
      await page.waitForSelector('text=/^Step 0\\./')
      await context.close()
    })

    it('stands still in the states, and by the numbers, of Node', async () => {
      const { page, context } = await lab().open('#automaton&step=0&steps=16&power=-3')
      const table = page.locator('section[aria-label="Errors of the states"] td:last-child')
      await page.waitForSelector('section[aria-label="Errors of the states"] td')
      const { ways, lost } = standStill({ kind: 'stand', deviation: 1e-3, steps: 16 })
      expect((await table.allInnerTexts()).map(Number)).toEqual(
        ways.map(({ off }) => Number(off.at(-1)!.toPrecision(3))),
      )
      expect(await page.locator('.said').last().innerText()).toContain(
        `loses ${Number((100 * lost).toPrecision(lost < 0.1 ? 2 : 3))} % of the updates`,
      )
      await page.locator('section[aria-labelledby="stand-still"] summary').click()
      const program = await page.locator('section[aria-labelledby="stand-still"] pre').innerText()
      const [ran] = await page.evaluate<readonly { printed: readonly string[] }[]>(
        `(${runAll})(${JSON.stringify([program])})`,
      )
      expect(ran?.printed).toEqual(
        ways.map(({ name, off }) => `${name}: ${Number(off.at(-1)!.toPrecision(3))}`),
      )
      await context.close()
    })

    if (browser === 'firefox') return
    // Once is enough: the library and the page have no branches for browsers here.

    it('lives on once it is grown, where no step was asked for', async () => {
      const { page, context, errors } = await lab().open('#automaton')
      await page.waitForSelector('text=/^Step (6[6-9]|[789]\\d|1\\d\\d)\\./', { timeout: 120_000 })
      await page.click('button:text-is("Pause")')
      await page.waitForSelector('.said:has-text("At step")')
      expect(errors).toEqual([])
      await context.close()
    })

    it('stalls in fp8 where its updates are an eighth, and the pictures of the differences show it', async () => {
      const { page, context, errors } = await lab().open('#automaton&steps=16')
      await page.click('button:text-is("Updates times 1/8: fp8 stalls")')
      await page.waitForSelector('text=/^Step (1[2-9]|[2-9]\\d|\\d\\d\\d)\\./')
      await page.click('button:text-is("Pause")')
      await page.waitForSelector('.said:has-text("At step")')
      expect(await page.locator('label:has-text("updates times") select').inputValue()).toBe('1/8')
      const items = page.locator('.pairs li')
      expect(await items.count()).toBe(arithmetics.length)
      expect(await page.locator('canvas.difference').count()).toBe(arithmetics.length - 1)
      // Where the state moves, the one that fp8 holds does not, and they differ more than those of bfloat16.
      const differs = async (name: string): Promise<number> => {
        const text = await items.filter({ has: page.locator(`strong:text-is("${name}")`) }).innerText()
        return Number(/differs by (\S+) at most/.exec(text)![1])
      }
      expect(await differs('float8_e4m3fn')).toBeGreaterThan(2 * (await differs('bfloat16')))
      expect(errors).toEqual([])
      await context.close()
    })

    it('grows in every arithmetic to what Node grows, with the wounds of a link, and the program that is shown prints it', async () => {
      const { page, context, errors } = await lab().open(
        '#automaton&seed=7&step=17&wounds=16:0.3,-0.2,0.5&steps=16',
      )
      await page.waitForSelector('.said:has-text("At step 17:")')
      await page.click('summary:text("The numbers of step 17")')
      const cells = await page
        .locator('section[aria-label="The flower in each arithmetic"] td')
        .allInnerTexts()
      const rows = arithmetics.map((_, i) => {
        const [name, off, lost] = cells.slice(3 * i, 3 * i + 3)
        return [name, String(Number(off)), lost]
      })
      const known = anew.map(({ name }) => name)
      expect(rows.filter(([name]) => known.some((one) => one === name))).toEqual(anew.map(flowerOf))
      const flower = page.locator('section[aria-labelledby="flower"]')
      await flower.locator('summary:text("Show the code")').click()
      await flower.locator('text=Open in the editor').click()
      await page.waitForSelector(".cm-content:has-text('trainedFlower')")
      await page.selectOption('label:has-text("it may take") select', '60')
      await page.click('button:text-is("Run")')
      await page.waitForSelector('text=It ran to its end')
      expect((await page.locator('.output').innerText()).split('\n')).toEqual(
        rows.map(([name, off, lost]) => `${name}: ${off} off, ${lost} under half an ulp`),
      )
      expect(errors).toEqual([])
      await context.close()
    })

    it('shows nobody who asked for stillness the steps on the way, and runs when it is told to', async () => {
      const { page, context } = await lab().open('#automaton&step=24&steps=16', { reducedMotion: 'reduce' })
      const seen = await page.evaluate<string[]>(`new Promise((done) => {
        const seen = new Set()
        const look = () => {
          for (const [step] of document.body.innerText.matchAll(/^Step \\d+/gm)) seen.add(step)
          if (seen.has('Step 24')) done([...seen])
          else requestAnimationFrame(look)
        }
        look()
      })`)
      expect(seen).toEqual(['Step 24'])
      await page.click('button:text-is("Run")')
      await page.waitForSelector('text=/^Step 2[6-9]/')
      await context.close()
    })

    it('keeps its wounds in the address, and leaves out what is none', () => {
      const one = withWound('', { step: 96, x: 0.35, y: -0.2, radius: 0.3 })
      expect(one).toBe('96:0.35,-0.2,0.3')
      expect(readWounds(`${one};4:2,0,0.1;x;5:0,0;${one}`)).toHaveLength(2)
    })
  })
}
