import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { naiveSum } from 'tpu-toolkit/numerics'
import { certify } from 'tpu-toolkit/precision'
import { key, normal } from 'tpu-toolkit/random'
import { div, exp, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { type LabExample, labExamples } from '../../scripts/labExamples.js'
import { codeBlocks } from '../support/examples.js'
import type { LabBrowser, OpenLab } from '../support/labPage.js'
import { root } from '../support/project.js'

/** The lines that the pages promise, by program. */
function promised(): Map<string, readonly string[]> {
  const pages = new Set(labExamples(root).map(({ name }) => name.split(':')[0]!))
  const files = [...pages].map((page) => (page === 'README' ? 'README.md' : `docs/${page}.md`))
  return new Map(
    files.flatMap((file) =>
      codeBlocks(readFileSync(root + file, 'utf8')).map(({ code, printed }) => [code, printed] as const),
    ),
  )
}

/** In the page: runs programs one after another in a worker, and gives what each printed and how it ended. */
export const runAll = `(programs) => new Promise((done) => {
  const worker = new Worker('workers/program.js', { type: 'module' })
  const results = []
  let printed = []
  const next = () => worker.postMessage({ code: programs[results.length], examine: false })
  worker.onmessage = ({ data }) => {
    if ('printed' in data) printed.push(data.printed)
    if (!('ended' in data)) return
    results.push({ printed, ended: data.ended })
    printed = []
    if (results.length < programs.length) return next()
    worker.terminate()
    done(results)
  }
  worker.onerror = ({ message }) => done([{ printed: [message], ended: 'badly' }])
  next()
})`

/** What the section is to do, in the lab that is open. */
export function programClaims(lab: () => OpenLab, browser: LabBrowser): void {
  describe('the editor', () => {
    it('runs its first program, and the doctor certifies the bound that it certifies in Node', async () => {
      const { page, context, errors } = await lab().open('#editor')
      await page.waitForSelector('.cm-content')
      await page.click('button:text-is("Run")')
      await page.waitForSelector('h2:text("What the doctor says")')
      const x = tensor(normal(key(1), 512), { dtype: 'bfloat16' })
      const softmax = (inputs: { x: typeof x }) => {
        const weights = exp(inputs.x)
        return div(weights, naiveSum(weights))
      }
      const most = certify(softmax, { x })
        .bounds[0]!.toNumbers()
        .reduce((a, b) => Math.max(a, b), 0)
      expect(await page.locator('section[aria-label="Certified bounds"]').innerText()).toContain(
        most.toPrecision(4),
      )
      // The sum, one rounding after another, is what loses them; it stands in line 6.
      const first = await page
        .locator('section[aria-label="The lines that lose the bits"] td')
        .allInnerTexts()
      expect([first[0], first[2]]).toEqual(['6', expect.stringMatching(/^sum/)])
      expect(await page.locator('.cm-line.marked').count()).toBeGreaterThan(0)
      expect(errors).toEqual([])
      await context.close()
    })

    it('ends a program that does not end, and the page lives', async () => {
      const { page, context } = await lab().open('#editor&seconds=2')
      await type(page, "console.log('begun')\nfor (;;) {}")
      await page.click('button:text-is("Run")')
      await page.waitForSelector('text=Ended after 2 s: it had not come to its end.')
      expect(await page.locator('.output').innerText()).toBe('begun')
      await context.close()
    })

    it('says what is wrong and in which line, and which module a page does not have', async () => {
      const { page, context } = await lab().open('#editor')
      await type(
        page,
        "import { tensor } from 'tpu-toolkit'\n\nconsole.log(tensor([1], { dtype: 'bf16' as never }))",
      )
      await page.click('button:text-is("Run")')
      await page.waitForSelector('.output :text("program.ts:3: ")')
      await type(page, "import { readFileSync } from 'node:fs'\nreadFileSync('/etc/passwd')")
      await page.click('button:text-is("Run")')
      await page.waitForSelector('text=a page has no such module, it needs Node or another package [node:fs]')
      await type(page, 'const = 3')
      await page.click('button:text-is("Run")')
      await page.waitForSelector('text=/SyntaxError: .*program.ts/')
      await context.close()
    })

    it('is run by Ctrl-Enter, and answers in sentences', async () => {
      const { page, context, errors } = await lab().open('#editor')
      await page.click('.cm-content')
      await page.keyboard.press('ControlOrMeta+Enter')
      await page.waitForSelector('.answer:has-text("It is certain that no output is off by more than")')
      const answer = await page.locator('.answer').innerText()
      expect(answer).toMatch(
        /^The result keeps [\d.]+ of 8 bits in its worst element\. Line 6 makes \d+ % of the error, in sum/,
      )
      expect(errors).toEqual([])
      await context.close()
    })

    it('underlines a wrong import, says what was meant, and goes there', async () => {
      const { page, context, errors } = await lab().open('#editor')
      await type(page, "// First.\nimport { tensr } from 'tpu-toolkit'\nconsole.log(tensr([1]))")
      await page.waitForSelector('.problems:has-text("tpu-toolkit has no tensr, did you mean tensor?")')
      await expect.poll(() => page.locator('.cm-line .wrong').allInnerTexts()).toEqual(['tensr'])
      expect(await page.locator('.cm-line .wrong').getAttribute('title')).toContain('did you mean tensor?')
      await page.click('button:text-is("Run")')
      await page.waitForSelector('.output :text("program.ts:2:10: tpu-toolkit has no tensr")')
      expect(await page.locator('.output').innerText()).toContain('  |          ^^^^^')
      await page.click('.problems button')
      // What is selected is typed over.
      await page.keyboard.type('tensor')
      await page.waitForSelector('.problems', { state: 'detached' })
      expect(errors).toEqual([])
      await context.close()
    })

    it('completes the names of a module with their first sentence, by the keyboard', async () => {
      const { page, context, errors } = await lab().open('#editor')
      await type(page, "import {  } from 'tpu-toolkit/formats'\n")
      await page.keyboard.press('ControlOrMeta+Home')
      for (let i = 0; i < 'import { '.length; i++) await page.keyboard.press('ArrowRight')
      await page.keyboard.type('nextU')
      const option = page.locator('.cm-tooltip-autocomplete li[aria-selected]')
      await option.waitFor()
      expect(await option.innerText()).toContain('nextUp')
      await page.waitForSelector(
        '.cm-completionInfo:has-text("The least value of the format above a number")',
      )
      // An answer of the completion that is younger than this is not taken.
      await page.waitForTimeout(150)
      await page.keyboard.press('Enter')
      await page.waitForSelector('.cm-line:has-text("import { nextUp } from \'tpu-toolkit/formats\'")')
      expect(errors).toEqual([])
      await context.close()
    })

    it('has its examples in groups, of which a search leaves those that have its words', async () => {
      const { page, context, errors } = await lab().open('#editor')
      const choice = page.locator('label:has-text("a program of the guides") select')
      await expect.poll(() => choice.locator('option').count()).toBeGreaterThan(40)
      expect(await choice.locator('optgroup').count()).toBeGreaterThan(10)
      const all = await choice.locator('option').count()
      await page.fill('input[type="search"]', 'kahan cumsum')
      await expect.poll(() => choice.locator('option').count()).toBeLessThan(all / 4)
      await page.fill('input[type="search"]', 'nosuchword')
      await page.waitForSelector('option:text("none has it")', { state: 'attached' })
      await page.fill('input[type="search"]', 'stableCumsum')
      const name = await choice.locator('optgroup option').first().getAttribute('value')
      await choice.selectOption(name!)
      const code = labExamples(root).find((one) => one.name === name)!.code
      await page.waitForSelector(`.cm-line:has-text(${JSON.stringify(code.split('\n')[0])})`)
      expect(errors).toEqual([])
      await context.close()
    })

    it('shows an error in the line of the program, and marks it', async () => {
      const { page, context, errors } = await lab().open('#editor')
      await type(
        page,
        "import { tensor } from 'tpu-toolkit'\nconst f = (dtype: string) =>\n  tensor([1], { dtype: dtype as never })\nf('bf16')",
      )
      await page.click('button:text-is("Run")')
      await page.waitForSelector('.output :text("program.ts:3: TypeError")')
      const printed = await page.locator('.output').innerText()
      expect(printed).toContain('3 |   tensor([1], { dtype: dtype as never })')
      expect(printed).toContain("called from line 4 | f('bf16')")
      await expect
        .poll(() => page.locator('.cm-line.marked').allInnerTexts())
        .toEqual(['  tensor([1], { dtype: dtype as never })'])
      expect(errors).toEqual([])
      await context.close()
    })

    it('runs every program of README and the guides that needs no Node, and prints what the pages say', async () => {
      const { page, context } = await lab().open('#number')
      const programs: readonly LabExample[] = labExamples(root)
      expect(programs.length).toBeGreaterThan(40)
      const results = await page.evaluate<readonly { printed: string[]; ended: string }[]>(
        `(${runAll})(${JSON.stringify(programs.map(({ code }) => code))})`,
      )
      const said = promised()
      const wrong = programs.flatMap(({ name, code }, i) => {
        const { printed, ended } = results[i]!
        const lines = printed.join('\n').replace(/\s+/g, '')
        const kept = lines === (said.get(code) ?? []).join('\n').replace(/\s+/g, '')
        return ended === 'well' && kept ? [] : [`${name}: ${ended}: ${printed.join('\n').slice(0, 300)}`]
      })
      expect(wrong).toEqual([])
      await context.close()
    }, 240_000)

    if (browser === 'firefox') return
    // Once is enough: the library and the page have no branches for browsers here.

    it('has its program in the address, and opens the code of other sections, from where the back button leads back', async () => {
      const { page, context } = await lab().open('#editor')
      await type(page, "console.log('shared', 1 + 1)")
      await page.waitForURL('**/#editor&program=*')
      const link = page.url()
      await context.close()
      const shared = await lab().open(link.slice(link.indexOf('#')))
      await shared.page.waitForSelector(".cm-content:has-text('shared')")
      await shared.page.goto(`${lab().url}#drift&power=4`)
      await shared.page.click('summary:text("Show the code")')
      await shared.page.click('text=Open in the editor')
      await shared.page.waitForSelector(".cm-content:has-text('stableCumsum')")
      await shared.page.click('button:text-is("Run")')
      await shared.page.waitForSelector('text=It ran to its end')
      await shared.page.goBack()
      await shared.page.waitForSelector('h1:text("Drift explorer")')
      await shared.context.close()
    })

    it('runs a program that asks for threads, which a page that may share no memory does alone', async () => {
      const { page, context } = await lab().open('#number')
      const code = `import { compile } from 'tpu-toolkit/compile'
import { matmul, ones } from 'tpu-toolkit/tensor'
const product = compile((x, y) => matmul(x, y), { threads: 4 })
console.log(product(ones([256, 256]), ones([256, 256])).data[0], product.plan().steps.map(({ parts }) => parts))`
      const [told] = await page.evaluate<readonly { printed: string[] }[]>(
        `(${runAll})(${JSON.stringify([code])})`,
      )
      expect(told?.printed).toEqual(['256 [ 1 ]'])
      await context.close()
    })
  })
}

/** Puts a program in the place of the one in the editor: pasted, since not every driver types lines as they are. */
export async function type(page: Page, code: string): Promise<void> {
  await page.click('.cm-content')
  await page.keyboard.press('ControlOrMeta+A')
  await page.evaluate(`(() => {
    const [data, dataType] = [${JSON.stringify(code)}, 'text/plain']
    const clipboardData = new DataTransfer()
    clipboardData.setData(dataType, data)
    const kind = { bubbles: true, cancelable: true }
    // Chromium takes a clipboard, Firefox what is to be on it.
    const given = [{ ...kind, clipboardData }, { ...kind, data, dataType }]
    const pasted = given
      .map((init) => new ClipboardEvent('paste', init))
      .find((event) => event.clipboardData?.getData(dataType) === data)
    document.querySelector('.editor').shadowRoot.querySelector('.cm-content').dispatchEvent(pasted)
  })()`)
}
