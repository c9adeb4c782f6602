import { type QuantizationWay, quantizationWays } from '../../tensors/blocks/index.js'
import { readName } from '../io/readNames.js'

const schemes = [...new Set(quantizationWays.map(({ scheme }) => scheme))]

/** What `--way` takes. */
export const wayNames: readonly string[] = [...new Set(quantizationWays.map(({ way }) => wordOf(way)))]

/** Of a scheme, the way that is taken where none is named. */
const usual: readonly string[] = ['plain', 'floor', 'two-levels', 'stored', 'rows']

/**
 * The ways of the schemes that are named: a name, or the beginning of several up to an underscore (`mxfp8`). Of a scheme
 * that has none of the ways named its usual one is taken.
 */
export function readWays(formatText: string | undefined, wayText: string | undefined): QuantizationWay[] {
  const chosen = formatText === undefined ? schemes : readSchemes(formatText)
  const named = wayText === undefined ? usual : readWayNames(wayText)
  return chosen.flatMap((scheme) => {
    const there = quantizationWays.filter((one) => one.scheme === scheme)
    const asked = there.filter(({ way }) => named.includes(wordOf(way)))
    return asked.length > 0 ? asked : there.filter(({ way }) => usual.includes(wordOf(way)))
  })
}

function readSchemes(text: string): string[] {
  const found = namesOf(text).map((name) => {
    const known = schemes.filter((scheme) => scheme.startsWith(`${name}_`))
    return known.length > 0 ? known : [readName('format', name, schemes)]
  })
  return schemes.filter((scheme) => found.flat().includes(scheme))
}

function readWayNames(text: string): string[] {
  return namesOf(text).flatMap((name) =>
    readName('way', name, [...wayNames, 'all']) === 'all' ? wayNames : [name],
  )
}

const namesOf = (text: string): string[] => text.split(',').map((name) => name.trim())

/** A way as one word of the command line. */
function wordOf(way: string): string {
  return way.replace(' ', '-')
}
