import { type ShownWay, shownLengths, shownWays, unitErrors } from './unitErrors.js'

// The picture of docs/kernels.md: what matrix units lose over k, drawn from their own results. SVG by hand, so that the same
// bytes come out on every machine.

const colors = {
  light: { page: '#ffffff', ink: '#1d2127', soft: '#5a626d', rule: '#dcdfe3' },
  dark: { page: '#0d1117', ink: '#e6e8eb', soft: '#a3abb6', rule: '#333a43' },
} as const

/** The lines of the picture, by the label of their way; those of fp8 in red, promoted in blue, wider formats in grey. */
const lines = [
  { label: 'Ada, e4m3', light: '#e07a1f', dark: '#f0a35e', dash: '2 4' },
  { label: 'H100, e4m3', light: '#c0272d', dark: '#ff7b72', dash: '' },
  { label: 'H100, e4m3, promoted every 128', light: '#1f5fbf', dark: '#79b0ff', dash: '' },
  { label: 'B200, e4m3', light: '#2b8a3e', dark: '#7ee787', dash: '' },
  { label: 'A100, float16 into float16', light: '#8250df', dark: '#d2a8ff', dash: '7 3' },
  { label: 'A100, bfloat16', light: '#5a626d', dark: '#a3abb6', dash: '7 3' },
  { label: 'H100, bfloat16', light: '#5a626d', dark: '#a3abb6', dash: '' },
] as const

const [left, right, top, bottom] = [84, 500, 78, 398]
const x = (k: number): number => left + (Math.log2(k / 128) / 6) * (right - left)
const y = (error: number): number => bottom - ((Math.log10(error) + 9) / 9) * (bottom - top)

/** The errors of every line, on positive data. */
export type Errors = ReadonlyMap<string, readonly number[]>

export function pictureErrors(): Errors {
  return new Map(
    lines.map(({ label }) => {
      const way = shownWays.find((one: ShownWay) => one.label === label)!
      return [label, shownLengths.map((k) => unitErrors(way, k, true).error)]
    }),
  )
}

export function unitPicture(errors: Errors, scheme: 'light' | 'dark'): string {
  const { page, ink, soft, rule } = colors[scheme]
  const ends = labelPlaces(lines.map(({ label }) => y(errors.get(label)!.at(-1)!)))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="760" height="440" viewBox="0 0 760 440" font-family="-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif" font-size="14" fill="${soft}">`,
    '<title>Relative error of inner products of positive numbers by length, on the matrix units of GPUs</title>',
    `<rect width="760" height="440" rx="8" fill="${page}"/>`,
    `<text x="${left - 60}" y="28" font-size="18" font-weight="600" fill="${ink}">What the matrix units of GPUs lose of a sum</text>`,
    `<text x="${left - 60}" y="54">relative error of inner products of positive numbers, against the same codes exactly</text>`,
    ...[-8, -6, -4, -2, 0].map((power) => {
      const at = fixed(y(10 ** power))
      const label =
        power === 0 ? '1' : power === -2 ? '1 %' : `10<tspan dy="-5" font-size="10">${power}</tspan>`
      return `<path d="M${left} ${at}H${right}" stroke="${rule}"/><text x="${left - 8}" y="${fixed(y(10 ** power) + 5)}" text-anchor="end">${label}</text>`
    }),
    ...shownLengths.map(
      (k) =>
        `<text x="${fixed(x(k))}" y="${bottom + 24}" text-anchor="middle">${k === 128 ? 'k = ' : ''}${k.toLocaleString('en-US')}</text>`,
    ),
    ...lines.flatMap(({ label, dash, ...color }, i) => {
      const values = errors.get(label)!
      const points = values.map(
        (error, j) => `${j === 0 ? 'M' : 'L'}${fixed(x(shownLengths[j]!))} ${fixed(y(error))}`,
      )
      const dashed = dash === '' ? '' : ` stroke-dasharray="${dash}"`
      return [
        `<path d="${points.join('')}" fill="none" stroke="${color[scheme]}" stroke-width="2"${dashed} stroke-linejoin="round"/>`,
        `<text x="${right + 10}" y="${fixed(ends[i]! + 5)}" fill="${color[scheme]}">${label}</text>`,
      ]
    }),
    '</svg>',
    '',
  ].join('\n')
}

/** Heights of labels, in the order of their lines' ends, 18 apart. */
function labelPlaces(heights: readonly number[]): number[] {
  const order = heights.map((_, i) => i).sort((a, b) => heights[a]! - heights[b]!)
  const places = [...heights]
  for (let i = 1; i < order.length; i++) {
    places[order[i]!] = Math.max(heights[order[i]!]!, places[order[i - 1]!]! + 18)
  }
  return places
}

const fixed = (value: number): string => String(Number(value.toFixed(1)))
