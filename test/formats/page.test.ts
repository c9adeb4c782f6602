import {
  decode,
  encode,
  encodeArray,
  type FloatFormat,
  type FormatName,
  format,
  formatNames,
  isNaNCode,
  type Rounding,
} from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { readText } from '../support/project.js'

const page = readText('docs/formats.md')

/** The lines of the page's table that stands under a heading, without its two head lines. */
function tableUnder(heading: string): string[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const lines = section.split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2)
}

const row = (...cells: readonly unknown[]): string => `| ${cells.join(' | ')} |`

const hex = (code: number | undefined, record: FloatFormat): string =>
  (code ?? Number.NaN).toString(16).padStart(Math.ceil(record.bits / 4), '0')

/** A number with few significant bits: as it is, or as an odd number times a power of two where that is shorter. */
function short(value: number | null): string {
  if (value === null) return 'none'
  const plain = String(value)
  let [odd, power] = [value, 0]
  for (; !Number.isInteger(odd); power--) odd *= 2
  for (; odd % 2 === 0; power++) odd /= 2
  const product = odd === 1 ? `2^${power}` : `${odd} * 2^${power}`
  return plain.length <= 6 ? plain : product
}

/** Codes as ranges of hexadecimal numbers. */
function ranges(codes: readonly number[], record: FloatFormat): string {
  const starts = codes.filter((code) => !codes.includes(code - 1))
  const ends = codes.filter((code) => !codes.includes(code + 1))
  const text = starts.map((start, i) =>
    start === ends[i] ? hex(start, record) : `${hex(start, record)}..${hex(ends[i], record)}`,
  )
  return text.join(' ') || 'none'
}

const each = (line: (name: FormatName, record: FloatFormat) => string): string[] =>
  formatNames.map((name) => line(name, format(name)))

describe('docs/formats.md', () => {
  it('has the facts of every record', () => {
    const facts = each((name, record) => {
      const codes = Array.from({ length: 2 ** record.bits }, (_, code) => code)
      const nans = codes.filter((code) => isNaNCode(code, record))
      const infinities = codes.filter((code) => Math.abs(decode(code, record)) === Infinity)
      const layout = [record.signed ? 1 : 0, record.exponentBits, record.mantissaBits].join(' + ')
      return row(
        name,
        layout,
        record.bias,
        short(record.max),
        short(record.minNormal),
        short(record.minSubnormal),
        short(record.eps),
        ranges(infinities, record),
        ranges(nans, record),
        record.negativeZero ? 'yes' : 'no',
      )
    })
    expect(tableUnder('The named formats')).toEqual(facts)
  })

  it('has the codes that special values become', () => {
    const specials = each((name, record) => {
      const nan = new Float64Array(BigUint64Array.of(0x7ff8000000000000n, 0xfff8000000000000n).buffer)
      const nans = Array.from(encodeArray(nan, name))
      const all = (...values: readonly number[]): string =>
        values.map((x) => hex(encode(x, name), record)).join(' ')
      const saturated = [Infinity, -Infinity]
        .map((x) => hex(encode(x, name, { saturate: true }), record))
        .join(' ')
      const tiny = record.minPositive / 4
      return row(
        name,
        nans.map((code) => hex(code, record)).join(' '),
        all(Infinity, -Infinity),
        saturated,
        all(0, -0),
        all(tiny, -tiny),
        all(-1),
      )
    })
    expect(tableUnder('What special values become')).toEqual(specials)
  })

  it('has what overflow gives in every mode', () => {
    const modes: readonly Rounding[] = [
      'nearest-even',
      'nearest-away',
      'toward-zero',
      'up',
      'down',
      'to-odd',
      'stochastic',
    ]
    const kinds = [
      'float8_e5m2',
      'float8_e4m3fn',
      'float8_e4m3fnuz',
      'float8_e8m0fnu',
      'float4_e2m1fn',
    ] as const
    const name = (value: number, record: FloatFormat): string =>
      Math.abs(value) === record.max ? (value > 0 ? 'max' : '-max') : String(value)
    const rows = modes.map((rounding) =>
      row(
        rounding,
        ...kinds.map((kind) => {
          const record = format(kind)
          const options = { rounding, random: () => 0 }
          const ends = record.signed ? [3, -3] : [3]
          return ends
            .map((scale) => name(decode(encode(scale * record.max, kind, options), kind), record))
            .join(', ')
        }),
      ),
    )
    expect(tableUnder('Overflow in every mode')).toEqual(rows)
  })
})
