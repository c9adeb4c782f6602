import { checkArray, checkText } from '../../base/options/index.js'

/** Whether a source line is among those to be left out of a report: `model.ts:12`, `model.ts:12:7`, or a file, `model.ts`. */
export function isIgnored(site: string | undefined, ignore: readonly string[]): boolean {
  return site !== undefined && ignore.some((line) => site === line || site.startsWith(`${line}:`))
}

/** Throws unless `ignore` is a list of texts. */
export function checkIgnore(op: string, ignore: readonly string[]): void {
  checkArray(op, 'ignore', ignore)
  for (const line of ignore) checkText(op, 'an entry of ignore', line)
}
