import { describe, expect, it } from 'vitest'
import type { OpenLab } from '../support/labPage.js'
import { colorRules, violations } from '../support/violations.js'

const ready = 'main[aria-busy="false"] h1'

/** What the page around the sections is to do. */
export function shellClaims(lab: () => OpenLab): void {
  describe('the page of the lab', () => {
    it('loads under 200 kB of JavaScript before its first section, gzipped', () => {
      expect(lab().built.initialBytes).toBeGreaterThan(5_000)
      expect(lab().built.initialBytes).toBeLessThan(200_000)
    })

    it('shows its first section under a subpath and a strict policy, and logs no error', async () => {
      const { page, errors, context } = await lab().open()
      await page.waitForSelector(ready)
      expect(await page.title()).toBe('The run to NaN: tpu-toolkit lab')
      const policy = await page.locator('meta[http-equiv]').getAttribute('content')
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("connect-src 'none'")
      expect(policy).not.toContain('unsafe-inline')
      expect(policy).not.toContain("'unsafe-eval'")
      expect(errors).toEqual([])
      await context.close()
    })

    it('follows the back button, and an unknown section is the first', async () => {
      const { page, context } = await lab().open('#no-such-section')
      await page.waitForSelector(ready)
      expect(await page.locator('h1').innerText()).toBe('The run to NaN')
      await page.goto(`${lab().url}#number`)
      await page.waitForSelector('h1:text("A number")')
      await page.click('nav a:text("The run to NaN")')
      await page.waitForSelector('h1:text("The run to NaN")')
      await page.goBack()
      await page.waitForSelector('h1:text("A number")')
      await context.close()
    })

    it('computes the bits of Node in this browser when its button is pressed, and says so', async () => {
      const { page, errors, context } = await lab().open('#number')
      await page.click('text=Has this browser the bits of Node?')
      await page.waitForSelector(
        "text=Your browser: equal bits. The same as Node's: every code of 13 formats",
      )
      expect(errors).toEqual([])
      await context.close()
    })

    it('is there again with the network off', async () => {
      const { page, context } = await lab().open('', { serviceWorkers: 'allow' })
      await page.waitForSelector(ready)
      await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
      await context.setOffline(true)
      await page.reload()
      await page.waitForSelector(ready)
      await page.click('nav a:text("A number")')
      await page.waitForSelector('h1:text("A number")')
      await context.close()
    })
  })

  describe('every section', () => {
    it.each([
      [400, 'light', 'dark'],
      [1400, 'dark', 'light'],
    ] as const)(
      'has no violation that axe finds, and no sideways scrolling, at %i px in %s, and in %s',
      async (width, colorScheme, otherScheme) => {
        const { page, context, errors } = await lab().open('', {
          viewport: { width, height: 900 },
          colorScheme,
        })
        await page.waitForSelector(ready)
        const links = await page
          .locator('nav a')
          .evaluateAll((all) => all.map((link) => link.getAttribute('href')))
        expect(links.length).toBeGreaterThan(0)
        for (const link of links) {
          await page.goto(`${lab().url}${link}`)
          await page.waitForSelector(ready)
          await page.waitForSelector('text=Being computed', { state: 'detached' })
          await page.waitForTimeout(300)
          expect([link, await violations(page)]).toEqual([link, []])
          // The other colours on the same elements.
          await page.emulateMedia({ colorScheme: otherScheme })
          expect([link, otherScheme, await violations(page, colorRules)]).toEqual([link, otherScheme, []])
          await page.emulateMedia({ colorScheme })
          const [wide, seen] = await page.evaluate<[number, number]>(
            '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
          )
          expect([link, wide]).toEqual([link, seen])
        }
        expect(errors).toEqual([])
        await context.close()
      },
    )
  })
}
