import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { LabBrowser, OpenLab } from '../support/labPage.js'
import { colorRules, violations } from '../support/violations.js'

const ready = 'main[aria-busy="false"] h1'

/** What the page around the sections is to do. */
export function shellClaims(lab: () => OpenLab, browser: LabBrowser): void {
  describe('the page of the lab', () => {
    it('loads under 200 kB of JavaScript before its first section, gzipped', () => {
      expect(lab().built.initialBytes).toBeGreaterThan(5_000)
      expect(lab().built.initialBytes).toBeLessThan(200_000)
    })

    it('shows its start under a subpath and a strict policy, and logs no error', async () => {
      const { page, errors, context } = await lab().open()
      await page.waitForSelector(ready)
      expect(await page.title()).toBe('tpu-toolkit lab')
      const policy = await page.locator('meta[http-equiv]').getAttribute('content')
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("connect-src 'none'")
      expect(policy).not.toContain('unsafe-inline')
      expect(policy).not.toContain("'unsafe-eval'")
      expect(errors).toEqual([])
      await context.close()
    })

    it('follows the back button, and an unknown section is the start', async () => {
      const { page, context } = await lab().open('#no-such-section')
      await page.waitForSelector(ready)
      expect(await page.locator('h1').innerText()).toContain('become NaN in the next one?')
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
    it.each([400, 1400])(
      'is reached by a press of its name, and neither logs an error nor scrolls sideways, at %i px',
      async (width) => {
        const { page, context, errors } = await lab().open('', { viewport: { width, height: 900 } })
        await page.waitForSelector(ready)
        const names = await page.locator('nav a').allInnerTexts()
        expect(names.length).toBeGreaterThan(10)
        for (const name of names) {
          await page.click(`nav a:text-is("${name}")`)
          await page.waitForSelector(`${ready}:text-is("${name}")`)
          await page.waitForSelector('text=Being computed', { state: 'detached' })
          const [wide, seen] = await widths(page)
          expect([name, wide]).toEqual([name, seen])
        }
        expect(errors).toEqual([])
        await context.close()
      },
    )

    if (browser === 'firefox') return

    it('is gone through by the keyboard alone: reached, every control shown to have the focus, and left again', async () => {
      const { page, context, errors } = await lab().open('')
      await page.waitForSelector(ready)
      const names = await page.locator('nav a').allInnerTexts()
      for (const name of names) {
        await page.evaluate('document.activeElement?.blur()')
        for (let i = 0; i < 40 && (await focused(page)).text !== name; i++) await page.keyboard.press('Tab')
        await page.keyboard.press('Enter')
        await page.waitForSelector(`${ready}:text-is("${name}")`)
        await page.waitForSelector('text=Being computed', { state: 'detached' })
        await page.waitForTimeout(300)
        // From the beginning of the section to the foot of the page, or round to its top.
        const seen = new Set<string>()
        let left = false
        for (let i = 0; i < 400 && !left; i++) {
          await page.keyboard.press('Tab')
          let at = await focused(page)
          // The editor draws its focus a moment later.
          for (let wait = 0; at.inMain && !at.outlined && wait < 20; wait++) {
            await page.waitForTimeout(50)
            at = await focused(page)
          }
          const { place, inMain, outlined, text } = at
          left = !inMain
          if (left) break
          expect([name, text, outlined]).toEqual([name, text, true])
          seen.add(place)
        }
        expect([name, left]).toEqual([name, true])
        expect([name, seen.size]).toEqual([name, expect.any(Number)])
        expect(seen.size).toBeGreaterThan(1)
      }
      expect(errors).toEqual([])
      await context.close()
    }, 240_000)

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
        for (const link of ['#start', ...links]) {
          await page.goto(`${lab().url}${link}`)
          await page.waitForSelector(ready)
          await page.waitForSelector('text=Being computed', { state: 'detached' })
          await page.waitForTimeout(300)
          expect([link, await violations(page)]).toEqual([link, []])
          // The other colours on the same elements.
          await page.emulateMedia({ colorScheme: otherScheme })
          expect([link, otherScheme, await violations(page, colorRules)]).toEqual([link, otherScheme, []])
          await page.emulateMedia({ colorScheme })
          const [wide, seen] = await widths(page)
          expect([link, wide]).toEqual([link, seen])
        }
        expect(errors).toEqual([])
        await context.close()
      },
    )
  })
}

/** How wide the page is, and how much of it is seen. */
function widths(page: Page): Promise<[number, number]> {
  return page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )
}

/** What has the focus: where it is, whether in the section, whether that is seen, what it says. */
function focused(page: Page): Promise<{ place: string; inMain: boolean; outlined: boolean; text: string }> {
  return page.evaluate(`(() => {
    const outer = document.activeElement
    const at = outer.shadowRoot?.activeElement ?? outer
    const { outlineStyle, outlineWidth } = getComputedStyle(at)
    const within = at.closest('.cm-editor')
    const around = within ? getComputedStyle(within) : undefined
    return {
      place: String([...document.querySelectorAll('*')].indexOf(outer)),
      inMain: outer.closest('main') !== null && outer.tagName !== 'MAIN',
      outlined: [outlineStyle, around?.outlineStyle].some((style) => style !== undefined && style !== 'none') && outlineWidth !== '0px',
      text: (at.innerText ?? '').trim(),
    }
  })()`)
}
