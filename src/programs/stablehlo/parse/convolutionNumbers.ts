import type { Attribute, DialectAttribute } from '../module.js'
import type { Reader } from './reader.js'

/** The letters of the dimensions that are not spatial, in each of the three lists, and the names of their fields. */
const parts = [
  { prefix: 'input', letters: { b: 'batch', f: 'feature' } },
  { prefix: 'kernel', letters: { i: 'input_feature', o: 'output_feature' } },
  { prefix: 'output', letters: { b: 'batch', f: 'feature' } },
] as const

const separators = ['', 'x', '->']

/**
 * `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]` at the cursor: which dimension of operands and result is which. The entries have the names of
 * the specification, `input_batch_dimension`, `kernel_spatial_dimensions`, ...
 */
export function readConvolutionNumbers(reader: Reader, name: string): DialectAttribute {
  const { cursor } = reader
  const entries: Record<string, Attribute> = {}
  let text = ''
  parts.forEach(({ prefix, letters }, part) => {
    if (part > 0) cursor.expect(separators[part]!)
    const labels: string[] = []
    const spatial: number[] = []
    cursor.peek()
    const start = cursor.offset
    cursor.expect('[')
    cursor.list(']', () => {
      const label = cursor.name()
      const role = (letters as Readonly<Record<string, string>>)[label]
      const dimension = labels.push(label === '' && cursor.accept('?') ? '?' : label) - 1
      if (role !== undefined) {
        const field = `${prefix}_${role}_dimension`
        if (Object.hasOwn(entries, field)) cursor.fail(`dimension given twice [${label}]`)
        entries[field] = { kind: 'integer', value: dimension, type: 'i64' }
      } else if (/^\d{1,9}$/.test(label)) {
        if (spatial[Number(label)] !== undefined) cursor.fail(`dimension given twice [${label}]`)
        spatial[Number(label)] = dimension
      } else if (labels.at(-1) !== '?') {
        cursor.fail(`expected ${Object.keys(letters).join(', ')} or the number of a spatial dimension`)
      }
    })
    for (const [letter, role] of Object.entries(letters)) {
      if (!Object.hasOwn(entries, `${prefix}_${role}_dimension`)) {
        cursor.fail(`no dimension '${letter}'`, start)
      }
    }
    if (spatial.length > labels.length || spatial.includes(undefined as never)) {
      cursor.fail('spatial dimensions with a gap', start)
    }
    entries[`${prefix}_spatial_dimensions`] = { kind: 'denseArray', element: 'i64', values: spatial }
    text += `${separators[part]}[${labels.join(', ')}]`
  })
  return { kind: 'dialect', name, text, entries }
}
