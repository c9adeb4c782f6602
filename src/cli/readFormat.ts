import { type FloatFormat, type FormatName, format, formatNames } from '../formats/index.js'
import { BadInput } from './badInput.js'

/** The format of a name on the command line. */
export function readFormat(name: string): FloatFormat {
  if (!(formatNames as readonly string[]).includes(name))
    throw new BadInput(`unknown format [${name.slice(0, 50)}], there are ${formatNames.join(', ')}`)
  return format(name as FormatName)
}
