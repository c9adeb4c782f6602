import { BadInput } from './badInput.js'

/** Names separated by commas, in the order of `known`; `what` is what one of them is called. */
export function readNames(what: string, text: string, known: readonly string[]): string[] {
  const asked = text.split(',').map((name) => name.trim())
  const unknown = asked.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new BadInput(`unknown ${what} [${unknown.join(', ').slice(0, 50)}], there are ${known.join(', ')}`)
  return known.filter((name) => asked.includes(name))
}
