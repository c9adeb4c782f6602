import { checkFunction, checkText } from '../../base/options/index.js'

/** A value on the command line, or in a file that it names, that a command cannot take: one line, exit status 2. */
export class BadInput extends Error {}

/** Runs something whose RangeErrors are mistakes of the user; `own` is the name that its messages begin with. */
export function mistakesAsBadInput<T>(own: string, run: () => T): T {
  checkText('mistakesAsBadInput', 'own', own)
  checkFunction('mistakesAsBadInput', 'run', run)
  try {
    return run()
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    const begins = `${own}: `
    throw new BadInput(
      thrown.message.startsWith(begins) ? thrown.message.slice(begins.length) : thrown.message,
    )
  }
}
