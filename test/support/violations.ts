import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules that look at colours; the others find the same in every scheme of them. */
export const colorRules: readonly string[] = ['color-contrast', 'link-in-text-block']

/** What axe-core finds wrong on a page, by all of its rules or by some: the rule and the elements. */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // A script tag is stopped by the page's policy; what a driver evaluates is not.
  await page.evaluate(source)
  return page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(options?: {
          runOnly: readonly string[]
        }): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
      }
    }
    const { violations } = await (only ? axe.run({ runOnly: only }) : axe.run())
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
    )
  }, rules)
}
