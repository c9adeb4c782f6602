import { checkArray, checkText, nearestName } from '../../base/options/index.js'
import { BadInput } from './badInput.js'

/** A name among those that are known; `what` is what it is called. */
export function readName<Name extends string>(what: string, text: string, known: readonly Name[]): Name {
  checkText('readName', 'text', text)
  checkArray('readName', 'known', known)
  const found = known.find((name) => name === text)
  if (found === undefined) throw unknownName(what, text, known)
  return found
}

/** Names separated by commas, in the order of `known`; `what` is what one of them is called. */
export function readNames<Name extends string>(what: string, text: string, known: readonly Name[]): Name[] {
  checkText('readNames', 'text', text)
  checkArray('readNames', 'known', known)
  const asked = text.split(',').map((name) => name.trim())
  const unknown = asked.filter((name) => !known.some((other) => other === name))
  if (unknown.length > 0) throw unknownName(what, unknown.join(', '), known)
  return known.filter((name) => asked.includes(name))
}

function unknownName(what: string, text: string, known: readonly string[]): BadInput {
  const near = nearestName(text, known)
  const advice = near === undefined ? '' : `, did you mean ${near}`
  return new BadInput(`unknown ${what} [${text.slice(0, 50)}]${advice}, there are ${known.join(', ')}`)
}
