import { useSignal } from '@preact/signals'
import { type CodeDescription, decode, describe, type FloatFormat } from 'tpu-toolkit/formats'
import { useDrawn } from '../../parts/useDrawn.js'
import { codeLabel } from './codeLabel.js'
import { hexOf, said, typeCode } from './numberState.js'

const kinds = {
  zero: ['grey', 'zero'],
  subnormal: ['teal', 'subnormal'],
  normal: ['blue', 'normal'],
  infinity: ['orange', 'infinity'],
  nan: ['red', 'NaN'],
} as const

interface MapProps {
  readonly record: FloatFormat
  /** The code that is shown; undefined where there is none. */
  readonly code: number | undefined
}

/** All codes of a format of at most 8 bits as a map; the one shown is framed, a click shows another. */
export function CodeMap({ record, code }: MapProps) {
  if (record.bits <= 8) return <SmallMap record={record} code={code} />
  return (
    <section>
      <h2>All codes</h2>
      <p>
        {record.name} has {(2 ** record.bits).toLocaleString('en')} codes: choose a format of 8 bits or fewer
        to see all of them on a map.
      </p>
    </section>
  )
}

function SmallMap({ record, code }: MapProps) {
  const columns = 2 ** Math.ceil(record.bits / 2)
  const rows = 2 ** record.bits / columns
  const pointed = useSignal<number | undefined>(undefined)
  const canvas = useDrawn((target) => draw(target, record, code, columns, rows))
  const counts = new Map<string, number>()
  for (const entry of allCodes(record)) counts.set(entry.class, (counts.get(entry.class) ?? 0) + 1)
  const summary = Object.entries(kinds)
    .filter(([kind]) => counts.has(kind))
    .map(([kind, [, name]]) => `${counts.get(kind)} ${name}`)
    .join(', ')
  const codeAt = ({ offsetX, offsetY, currentTarget }: CanvasPointer): number => {
    const column = Math.floor((offsetX / currentTarget.clientWidth) * columns)
    const row = Math.floor((offsetY / currentTarget.clientHeight) * rows)
    return Math.min(rows - 1, Math.max(0, row)) * columns + Math.min(columns - 1, Math.max(0, column))
  }
  // A pointed code may be of the format before.
  const under = pointed.value !== undefined && pointed.value < 2 ** record.bits ? pointed.value : undefined
  return (
    <section aria-labelledby="code-map">
      <h2 id="code-map">All {2 ** record.bits} codes</h2>
      <figure>
        <ul class="legend">
          {Object.entries(kinds).map(([kind, [color, name]]) => (
            <li key={kind}>
              <svg viewBox="0 0 28 8" aria-hidden="true">
                <rect width="12" height="8" x="8" fill={`var(--series-${color})`} />
              </svg>
              {name}: {counts.get(kind) ?? 0}
            </li>
          ))}
        </ul>
        <canvas
          ref={canvas}
          class="map"
          role="img"
          aria-label={`All codes of ${record.name}: ${summary}.${code === undefined ? '' : ` Shown is ${saidCode(code, record)}.`}`}
          onClick={(event) => typeCode(codeAt(event), record)}
          onPointerMove={(event) => {
            pointed.value = codeAt(event)
          }}
          onPointerLeave={() => {
            pointed.value = undefined
          }}
        />
        <figcaption>
          <span class="pointed">{under === undefined ? '' : `${saidCode(under, record)}. `}</span>
          Codes in rows from 0 on, in hexadecimal, with their values; press one to see it. The bits above
          reach every code by the keyboard.
        </figcaption>
      </figure>
    </section>
  )
}

interface CanvasPointer {
  readonly offsetX: number
  readonly offsetY: number
  readonly currentTarget: HTMLCanvasElement
}

/** A code in its three notations. */
function saidCode(code: number, record: FloatFormat): string {
  return `${hexOf(code, record)}, ${describe(code, record).bits}: ${said(decode(code, record))}`
}

function draw(
  canvas: HTMLCanvasElement,
  record: FloatFormat,
  code: number | undefined,
  columns: number,
  rows: number,
): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const ratio = devicePixelRatio || 1
  const across = canvas.parentElement?.clientWidth ?? 480
  const width = Math.min(64, Math.floor(across / columns))
  // A column of a phone has room for the code alone.
  const withValues = width >= 34
  const height = withValues ? 36 : 26
  canvas.style.width = `${width * columns}px`
  canvas.style.height = `${height * rows}px`
  canvas.width = width * columns * ratio
  canvas.height = height * rows * ratio
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  const style = getComputedStyle(canvas)
  const paint = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  const digits = Math.ceil(record.bits / 4)
  for (const entry of allCodes(record)) {
    const [left, top] = [(entry.code % columns) * width, Math.floor(entry.code / columns) * height]
    context.fillStyle = paint(`series-${kinds[entry.class][0]}`)
    context.fillRect(left + 1, top + 1, width - 2, height - 2)
    context.fillStyle = paint('page')
    const middle = left + width / 2
    context.font = `${withValues ? 10 : 11}px ui-monospace, Menlo, Consolas, monospace`
    const hex = entry.code.toString(16).padStart(digits, '0')
    context.fillText(hex, middle, top + (withValues ? 10 : height / 2))
    if (!withValues) continue
    context.font = `12px ${style.fontFamily}`
    context.fillText(codeLabel(entry.value, said(entry.value)), middle, top + 25, width - 4)
  }
  if (code === undefined) return
  const [left, top] = [(code % columns) * width, Math.floor(code / columns) * height]
  context.lineWidth = 3
  context.strokeStyle = paint('ink')
  context.strokeRect(left + 1.5, top + 1.5, width - 3, height - 3)
}

function allCodes(record: FloatFormat): CodeDescription[] {
  return Array.from({ length: 2 ** record.bits }, (_, code) => describe(code, record))
}
