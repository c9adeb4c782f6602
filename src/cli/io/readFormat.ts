import { checkText } from '../../base/options/index.js'
import { type FloatFormat, type FormatName, format, formatNames } from '../../numbers/formats/index.js'
import { readName } from './readNames.js'

/** The format of a name on the command line. */
export function readFormat(name: string): FloatFormat & { readonly name: FormatName } {
  checkText('readFormat', 'name', name)
  const known = readName('format', name, formatNames)
  return { ...format(known), name: known }
}
