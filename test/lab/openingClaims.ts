import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { labSections } from '../../lab/shell/sections.js'
import type { LabBrowser, OpenLab } from '../support/labPage.js'
import { violations } from '../support/violations.js'

/** What is seen after an experiment, by section, in the order of its buttons; last, after the prediction. */
const seen: Readonly<Record<string, readonly [string, string, string, string]>> = {
  number: [
    'tr.marked:has-text("nearest-even")',
    '.said:has-text("0.001 is 0.001953125 in float8_e4m3fn")',
    'tr:has-text("NVFP4"):has-text("17")',
    '.said:has-text("NaN")',
  ],
  drift: [
    '.said:has-text("ends at 16,")',
    '.said:has-text("ends at 1024,")',
    '.said:has-text("ends at 102.5,")',
    '.said:has-text("ends at 32, the exact one at 102.5")',
  ],
  nan: [
    'text=The run beside it is clean at step 330.',
    'text=The run beside it is clean at step 330.',
    'text=The run beside it is NaN at step 275',
    'text=The run beside it is NaN at step 1:',
  ],
  optimizers: [
    '.said:has-text("are 1 different numbers")',
    '.said:has-text("0.03 to nearest")',
    'td:text-is("muP"), th:text-is("width 512")',
    '.said:has-text("After 1000 steps")',
  ],
  automaton: [
    '.said:has-text("At step 80")',
    '.said:has-text("At step 16")',
    '.said:has-text("A bfloat16 state loses 91.6 % of the updates")',
    '.said:has-text("with a float32 state")',
  ],
  sums: [
    'tr:has-text("tree"):has-text("32")',
    '.said:has-text("same bits")',
    '.said:has-text("3 different sums")',
    'tr:has-text("ring"):has-text("0x4110")',
  ],
  attention: [
    '.said:has-text("49.6 % of the pairs are not computed")',
    '.said:has-text("70.8 % are masked")',
    '.said:has-text("to blocks of 512")',
    '.said:has-text("28 of 64 blocks are skipped")',
  ],
  plan: [
    '.error:has-text("17.92 GiB of 15.75")',
    '.said:has-text("bound by HBM")',
    'tr:has-text("44.4 %")',
    'tr:has-text("layer.attention"):has-text("hbm")',
  ],
  editor: [
    '.cm-content:has-text("naiveSum")',
    '.cm-content:has-text("The mean of the squares")',
    '.cm-content:has-text("The mean subtracted first")',
    '.cm-content:has-text("log1p")',
  ],
  jax: [
    '.said:has-text("The first comes from ssm.py:14")',
    '.said:has-text("every result of the run is finite")',
    '.said:has-text("transformer.mlir")',
    '.said:has-text("ssm.py:14")',
  ],
  file: [
    '.said:has-text("4 tensors quantised")',
    'section[aria-label="Formats of layer.0.gradient"]',
    'section[aria-label="Formats of layer.0.activations"]',
    'tr:has-text("float8_e4m3fn"):has-text("100 %")',
  ],
  results: [
    '.said:has-text("A sample of drift")',
    '.said:has-text("A sample of drift")',
    '.said:has-text("A sample of nan")',
    '.said:has-text("A sample of nan")',
  ],
}

/** How every section begins, how one comes back to it, and how its figures stand elsewhere. */
export function openingClaims(lab: () => OpenLab, browser: LabBrowser): void {
  describe('the opening of a section', () => {
    it.each(labSections.map(({ id }) => id))(
      'of #%s: each experiment sets the state and shows what it says, and Back returns to what was set',
      async (id) => {
        const { page, errors, context } = await lab().open(`#${id}`)
        await page.waitForSelector('main[aria-busy="false"] .opening')
        expect(await page.locator('.opening svg.mechanism').getAttribute('aria-label')).toBeTruthy()
        for (const i of browser === 'firefox' ? [0] : [0, 1, 2]) {
          const before = page.url()
          await page.locator('.experiments button').nth(i).click()
          await page.waitForSelector(seen[id]![i]!)
          if (i === 0 && page.url() !== before) {
            await page.goBack()
            await page.waitForURL(before)
            await page.goForward()
          }
        }
        expect(errors).toEqual([])
        await context.close()
      },
    )

    it.each(labSections.map(({ id, opening }) => [id, opening.prediction] as const))(
      'of #%s: the prediction is answered before its result is there, and the section shows it',
      async (id, { answers, right }) => {
        if (browser === 'firefox' && id !== 'drift') return
        const { page, errors, context } = await lab().open(`#${id}`)
        await page.waitForSelector('main[aria-busy="false"] .opening')
        expect(await page.locator('.because').innerText()).toBe('')
        await page.click(`.predict button:text-is("${answers[right === 0 ? 1 : 0]}")`)
        await page.waitForSelector(`.because:has-text("It is: ${answers[right]}.")`)
        await page.click(`.predict button:text-is("${answers[right]}")`)
        await page.waitForSelector('.because:has-text("Right.")')
        if (id === 'editor') await page.click('button:text-is("Run")')
        await page.waitForSelector(seen[id]![3])
        if (id === 'editor') await page.waitForSelector('.output:has-text("log(1 + x)")')
        if (browser === 'chromium') expect(await violations(page)).toEqual([])
        expect(errors).toEqual([])
        await context.close()
      },
    )

    it('has a link to its guide, which is there', async () => {
      const { page, context } = await lab().open()
      for (const { id, opening } of labSections) {
        await page.goto(`${lab().url}#${id}`)
        const link = page.locator(`.opening a:text-is("${opening.guide}")`)
        const address = (await link.getAttribute('href'))!
        const answer = await fetch(address)
        expect([id, answer.status]).toEqual([id, 200])
        expect(await answer.text()).toContain(`<h1`)
      }
      const at = await page.locator('.opening a').first().getAttribute('href')
      await page.goto(at!)
      await page.waitForSelector('main.guide h1')
      if (browser === 'chromium') expect(await violations(page)).toEqual([])
      await context.close()
    })
  })

  describe('navigation', () => {
    it('begins with every section as a card with a picture, in four groups', async () => {
      const { page, errors, context } = await lab().open()
      await page.waitForSelector('.cards')
      expect(await page.locator('h2').allInnerTexts()).toEqual([
        'Numbers',
        'Training',
        'Hardware',
        'Your data',
      ])
      const cards = page.locator('.cards a')
      expect(await cards.count()).toBe(labSections.length)
      expect(await page.locator('.cards svg > *').count()).toBeGreaterThan(5 * labSections.length)
      await page.click('.cards a:has-text("Drift explorer")')
      await page.waitForSelector('h1:text-is("Drift explorer")')
      await page.click('a.brand')
      await page.waitForSelector('.cards')
      expect(errors).toEqual([])
      await context.close()
    })

    it('returns by Back to what was set a moment before', async () => {
      const { page, context } = await lab().open('#drift')
      await page.waitForSelector('.said')
      await page.locator('label:has-text("dtype") select').first().selectOption('float16')
      await page.click('nav a:text-is("A number")')
      await page.waitForSelector('h1:text-is("A number")')
      await page.goBack()
      await page.waitForSelector('h1:text-is("Drift explorer")')
      expect(await page.locator('label:has-text("dtype") select').first().inputValue()).toBe('float16')
      await context.close()
    })

    if (browser === 'firefox') return

    it.each([
      ['optimizers', 'muP.', '.said >> nth=-1'],
      ['plan', 'Batch', '.said >> nth=0'],
      ['file&sample=1', 'quantised', '.said'],
      ['jax&steps=1', 'gain', '.said'],
    ])('finds the finished run of #%s again', async (address, words, place) => {
      const { page, context } = await lab().open(`#${address}`)
      await page.waitForSelector(`${place.split(' ')[0]}:has-text("${words}")`)
      const said = await page.locator(place).innerText()
      await page.click('nav a:text-is("A number")')
      await page.waitForSelector('h1:text-is("A number")')
      const started = watchWorkers(page)
      await page.goBack()
      await page.waitForSelector('main[aria-busy="false"] .said')
      expect(await page.locator(place).innerText()).toBe(said)
      await page.waitForTimeout(400)
      expect(await page.locator(place).innerText()).toBe(said)
      expect(started()).toBe(0)
      await context.close()
    })

    it('finds what a program printed again', async () => {
      const { page, context } = await lab().open('#editor')
      await page.waitForSelector('.cm-content')
      await page.click('button:text-is("Run")')
      await page.waitForSelector('.said:has-text("It ran to its end")')
      await page.click('nav a:text-is("A number")')
      await page.waitForSelector('h1:text-is("A number")')
      await page.goBack()
      await page.waitForSelector('.said:has-text("It ran to its end")')
      await page.waitForSelector('.output:has-text("the sum of the weights")')
      await context.close()
    })

    it('chooses the parts of a plan by tabs and arrow keys, which the address keeps', async () => {
      const { page, context } = await lab().open('#plan')
      await page.waitForSelector('section[aria-label="Memory of each device"]')
      await page.focus('[role="tab"][aria-selected="true"]')
      await page.keyboard.press('ArrowRight')
      await page.waitForSelector('svg.chips')
      await page.waitForURL('**/#plan&tab=torus')
      await page.keyboard.press('End')
      await page.waitForSelector('text=Flags of your own')
      expect(await violations(page)).toEqual([])
      await context.close()
    })
  })

  describe('an embedded figure', () => {
    let host: Server | undefined
    let [code, address] = ['', '']
    beforeAll(async () => {
      // A static host: the files of the lab without its headers, and a page of another origin that shows a figure.
      host = createServer(async ({ url = '/' }, response) => {
        if (url === '/lecture.html') {
          response
            .writeHead(200, { 'content-type': 'text/html' })
            .end(`<!doctype html><title>x</title>${code}`)
          return
        }
        const given = await fetch(new URL(url, lab().url))
        response
          .writeHead(given.status, { 'content-type': given.headers.get('content-type') ?? '' })
          .end(Buffer.from(await given.arrayBuffer()))
      })
      host.listen(0, '127.0.0.1')
      await once(host, 'listening')
      address = `127.0.0.1:${(host.address() as AddressInfo).port}`
    })
    afterAll(() => {
      host?.closeAllConnections()
      host?.close()
    })

    it('is in a page of another origin what it is here, alone, and answers the keyboard', async () => {
      const { page, context } = await lab().open()
      code = `<iframe src="http://${address}/sub/?figure=running-sum#drift&amp;dtype=float8_e4m3fn" title="a sum" width="700" height="420"></iframe>`
      await page.goto(`http://localhost:${address.split(':')[1]}/lecture.html`)
      const frame = page.frameLocator('iframe')
      await frame.locator('figure.only canvas').waitFor()
      expect(await frame.locator('canvas:visible').count()).toBe(1)
      expect(await frame.locator('nav').count()).toBe(0)
      expect(await frame.locator('select:visible').count()).toBe(0)
      expect(await frame.locator('canvas:visible').getAttribute('aria-label')).toContain(
        'The sum ends at 16,',
      )
      // Over WebDriver BiDi, Firefox is given no keys inside a frame of another origin.
      if (browser === 'chromium') {
        await frame.locator('figure.only .reader').press('End')
        await frame.locator('.values:has-text("1,024")').waitFor()
      }
      await context.close()
    })

    it('says which figure there is none of', async () => {
      const { page, context } = await lab().open('?figure=nothing#drift')
      await page.waitForSelector('text=The figure "nothing" is not there yet')
      await page.goto(`${lab().url}?figure=x#nowhere`)
      await page.waitForSelector('.error:has-text("no section")')
      await context.close()
    })

    if (browser === 'firefox') return

    it('is copied as HTML with the state that it has', async () => {
      const { page, context } = await lab().open('#drift&dtype=float16', {
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      await page.click('button:text-is("Embed") >> nth=1')
      await page.waitForSelector('.actions:has-text("Copied.")')
      const copied = await page.evaluate<string>('navigator.clipboard.readText()')
      expect(copied).toContain(`src="${lab().url}?figure=error#drift&amp;dtype=float16"`)
      await context.close()
    })
  })
}

/** Counts the workers that start from now on. */
function watchWorkers(page: Page): () => number {
  let started = 0
  page.on('worker', () => {
    started++
  })
  return () => started
}
