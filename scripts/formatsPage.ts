import {
  decode,
  encode,
  encodeArray,
  type FloatFormat,
  type FormatName,
  format,
  formatNames,
  isNaNCode,
} from '../src/numbers/formats/index.js'
import { roundings } from '../src/numbers/formats/rounding.js'

// The tables of docs/formats.md, from the formats themselves.

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

/** The facts of every record. */
const factRows = (): string[] =>
  each((name, record) => {
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

/** The codes that special values become. */
const specialRows = (): string[] =>
  each((name, record) => {
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

/** What overflow gives in every mode. */
function overflowRows(): string[] {
  const kinds = [
    'float8_e5m2',
    'float8_e4m3fn',
    'float8_e4m3fnuz',
    'float8_e8m0fnu',
    'float4_e2m1fn',
  ] as const
  const name = (value: number, record: FloatFormat): string =>
    Math.abs(value) === record.max ? (value > 0 ? 'max' : '-max') : String(value)
  return roundings.map((rounding) =>
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
}

/** docs/formats.md with its tables as they are; its words stay. */
export function formatsPage(page: string): string {
  const tables: Readonly<Record<string, readonly string[]>> = {
    'The named formats': factRows(),
    'What special values become': specialRows(),
    'Overflow in every mode': overflowRows(),
  }
  return Object.entries(tables).reduce((text, [heading, rows]) => withRows(text, heading, rows), page)
}

/** The page with the rows of the one table under a heading, whose two head lines stay. */
function withRows(page: string, heading: string, rows: readonly string[]): string {
  const table = new RegExp(`(^## ${heading}\\n(?:(?!## |\\|).*\\n)*(?:\\|.*\\n){2})(?:\\|.*\\n)*`, 'm')
  if (!table.test(page)) throw new Error(`formatsPage: no table under the heading [${heading}]`)
  return page.replace(table, (_, head: string) => `${head}${rows.map((line) => `${line}\n`).join('')}`)
}
