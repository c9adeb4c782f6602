import { mkdirSync } from 'node:fs'
import { openLab } from '../support/labPage.js'

// Pictures of every section at both widths, light and dark, into build/lab-shots: `npm run lab:shots [section ...]`. To be looked at.

const folder = 'build/lab-shots'
mkdirSync(folder, { recursive: true })
const lab = await openLab()
try {
  const { page: first } = await lab.open()
  await first.waitForSelector('nav a')
  const links = await first
    .locator('nav a')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  const asked = process.argv.slice(2)
  const sections = links.flatMap((href) => href?.slice(1) ?? [])
  for (const section of asked.length > 0 ? asked : sections) {
    for (const [width, colorScheme] of [
      [1400, 'light'],
      [1400, 'dark'],
      [400, 'light'],
      [400, 'dark'],
    ] as const) {
      const { page, context, errors } = await lab.open(`#${section}`, {
        viewport: { width, height: 900 },
        colorScheme,
      })
      await page.waitForSelector('main[aria-busy="false"]')
      await page.waitForTimeout(section.startsWith('nan&run') ? 9000 : 2500)
      // What is still computed says so with an ellipsis, or that it grows.
      for (let tenths = 0; tenths < 600; tenths++) {
        const said = await page.locator('.said').allInnerTexts()
        if (!said.some((words) => /…$|^It grows/.test(words))) break
        await page.waitForTimeout(100)
      }
      await page.screenshot({
        path: `${folder}/${section.replace(/\W+/g, '-')}-${width}-${colorScheme}.png`,
        fullPage: true,
      })
      console.log(section, width, colorScheme, ...errors)
      await context.close()
    }
  }
} finally {
  await lab.close()
}
