import { checkArray, checkRecord, shown } from '../base/options/index.js'

/** Throws a TypeError unless a value is a transformation: init and update. */
export function checkTransformation(op: string, what: string, value: unknown): void {
  const given = typeof value === 'object' && value !== null ? value : {}
  if (
    !(
      'init' in given &&
      typeof given.init === 'function' &&
      'update' in given &&
      typeof given.update === 'function'
    )
  ) {
    throw new TypeError(`${op}: ${what} is not a transformation with init and update [${shown(value)}]`)
  }
  const { fusion } = given as { readonly fusion?: unknown }
  if (fusion === undefined) return
  checkRecord(op, `fusion of ${what}`, fusion, ['kind'])
  if ('links' in (fusion as object)) {
    const { links } = fusion as { readonly links: unknown }
    checkArray(op, `links of ${what}`, links)
    for (const link of links as readonly unknown[]) checkTransformation(op, `a link of ${what}`, link)
  }
}
