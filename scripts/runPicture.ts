import { runStep2750, type Step2750Options } from 'tpu-toolkit/step2750'

// README's picture: the run that is NaN near step 2750, drawn from the run itself. SVG by hand, since a picture of two
// panels needs no plotting library, and so that the same bytes come out on every machine.

/** What is drawn of a run. */
interface DrawnRun {
  /** The median of each ten losses, behind its step. */
  readonly loss: readonly Point[]
  /** The largest exponent of the layer, |A| (cs_end - cs_0). */
  readonly exponent: readonly Point[]
  /** The first step that is not finite, or null. */
  readonly end: number | null
}

type Point = readonly [step: number, value: number]

const steps = 3000

/** The run with a choice made otherwise, or with none: the naive one. */
export function drawnRun(options: Step2750Options): DrawnRun {
  const exponent: Point[] = []
  const { loss, firstNonFiniteStep, records } = runStep2750(
    { ...options, steps },
    {
      onStep: (step, record) => {
        const { span } = step % 10 === 0 ? record() : { span: null }
        if (span !== null) exponent.push([step, span])
      },
    },
  )
  for (const { step, span } of records) {
    if (span !== null && step > (exponent.at(-1)?.[0] ?? 0)) exponent.push([step, span])
  }
  const medians: Point[] = []
  for (let i = 0; i + 10 <= loss.length; i += 10) {
    const ten = [...loss.slice(i, i + 10)]
    if (ten.every(Number.isFinite)) medians.push([i + 5, ten.sort((a, b) => a - b)[5]!])
  }
  return { loss: medians, exponent, end: firstNonFiniteStep }
}

const colors = {
  light: {
    page: '#ffffff',
    ink: '#1d2127',
    soft: '#5a626d',
    rule: '#dcdfe3',
    red: '#c0272d',
    blue: '#1f5fbf',
  },
  dark: {
    page: '#0d1117',
    ink: '#e6e8eb',
    soft: '#a3abb6',
    rule: '#333a43',
    red: '#ff7b72',
    blue: '#79b0ff',
  },
} as const

const [left, right] = [64, 704]
const x = (step: number): number => left + (step / steps) * (right - left)

/** Both runs as one picture for light or for dark pages. */
export function runPicture(naive: DrawnRun, cured: DrawnRun, scheme: 'light' | 'dark'): string {
  const { page, ink, soft, rule, red, blue } = colors[scheme]
  if (naive.end === null || cured.end !== null) throw new Error('runPicture: the naive run alone is to end')
  const lossY = scale(-3, 3.2, 244, 104)
  const exponentY = scale(0, 118, 424, 302)
  const end = x(naive.end)
  const last = naive.exponent.at(-1)!
  const says = (value: string): string => `<text x="${left - 8}" y="0" text-anchor="end">${value}</text>`
  const gridline = (y: number, value: string): string =>
    `<g transform="translate(0 ${fixed(y)})"><path d="M${left} 0H${right}" stroke="${rule}"/><g transform="translate(0 5)">${says(value)}</g></g>`
  const line = (points: readonly Point[], y: (value: number) => number, color: string, dash = ''): string =>
    `<path d="${path(points, y)}" fill="none" stroke="${color}" stroke-width="2"${dash} stroke-linejoin="round"/>`
  const dashed = ' stroke-dasharray="6 3"'
  const logLoss = (value: number): number => lossY(Math.log10(value))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="720" height="456" viewBox="0 0 720 456" font-family="-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif" font-size="15" fill="${soft}">`,
    `<title>The run to NaN: loss and largest exponent by step, in bfloat16</title>`,
    `<rect width="720" height="456" rx="8" fill="${page}"/>`,
    `<text x="${left}" y="24" font-size="18" font-weight="600" fill="${ink}">In bfloat16 nothing looks wrong for ${thousands(naive.end - 1)} steps. Then NaN.</text>`,
    `<text x="${left}" y="54"><tspan fill="${red}" font-weight="600">running sum in bfloat16</tspan><tspan dx="18" fill="${blue}" font-weight="600">float32 inside, rounded once</tspan></text>`,
    `<text x="${left}" y="86">loss, medians of ten steps</text>`,
    ...[-3, 0, 3].map((power) => gridline(lossY(power), power === 0 ? '1' : power > 0 ? '1,000' : '0.001')),
    line(cured.loss, logLoss, blue, dashed),
    line(naive.loss, logLoss, red),
    `<text x="${left}" y="284">the largest exponent that the layer takes</text>`,
    ...[0, 50, 88.7].map((value) => gridline(exponentY(value), String(value))),
    `<path d="M${left} ${fixed(exponentY(88.72))}H${right}" stroke="${ink}" stroke-dasharray="2 3"/>`,
    `<text x="${left + 8}" y="${fixed(exponentY(88.72) - 7)}" fill="${ink}">exp overflows above this line</text>`,
    line(cured.exponent, exponentY, blue, dashed),
    line(naive.exponent, exponentY, red),
    `<path d="M${fixed(end)} 96V424" stroke="${red}" stroke-width="1.5"/>`,
    `<circle cx="${fixed(x(last[0]))}" cy="${fixed(exponentY(last[1]))}" r="5" fill="${red}"/>`,
    `<text x="${fixed(end - 8)}" y="86" text-anchor="end" fill="${red}" font-weight="600">NaN at step ${thousands(naive.end)}</text>`,
    `<text x="${fixed(end - 70)}" y="415" text-anchor="end" fill="${red}">0: every addition to the sum is rounded away</text>`,
    ...[0, 1000, 2000, 3000].map(
      (step) =>
        `<text x="${fixed(x(step))}" y="446" text-anchor="${step === steps ? 'end' : 'middle'}">${step === steps ? 'step ' : ''}${thousands(step)}</text>`,
    ),
    '</svg>',
    '',
  ].join('\n')
}

function scale(low: number, high: number, bottom: number, top: number): (value: number) => number {
  return (value) => bottom - ((value - low) / (high - low)) * (bottom - top)
}

/** A line through the points, those left out that lie on a level stretch: most of the naive exponents are 0. */
function path(points: readonly Point[], y: (value: number) => number): string {
  const level = (i: number): boolean =>
    points[i - 1]?.[1] === points[i]?.[1] && points[i]?.[1] === points[i + 1]?.[1]
  return points
    .filter((_, i) => !level(i))
    .map(([step, value], i) => `${i === 0 ? 'M' : 'L'}${fixed(x(step))} ${fixed(y(value))}`)
    .join('')
}

const fixed = (value: number): string => String(Number(value.toFixed(1)))
const thousands = (value: number): string => value.toLocaleString('en-US')
