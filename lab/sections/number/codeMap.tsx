import { type CodeDescription, decode, describe, type FloatFormat } from 'tpu-toolkit/formats'
import { useDrawn } from '../../parts/useDrawn.js'
import { codeLabel } from './codeLabel.js'
import { hexOf, said, state } from './numberState.js'

const kinds = {
  zero: ['grey', 'zero'],
  subnormal: ['teal', 'subnormal'],
  normal: ['blue', 'normal'],
  infinity: ['orange', 'infinity'],
  nan: ['red', 'NaN'],
} as const

/** All codes of a format of at most 8 bits as a map; the one shown is framed, a click shows another. */
export function CodeMap({ record, code }: { readonly record: FloatFormat; readonly code: number }) {
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

function SmallMap({ record, code }: { readonly record: FloatFormat; readonly code: number }) {
  const columns = 2 ** Math.ceil(record.bits / 2)
  const rows = 2 ** record.bits / columns
  const canvas = useDrawn((target) => draw(target, record, code, columns, rows))
  const counts = new Map<string, number>()
  for (const entry of allCodes(record)) counts.set(entry.class, (counts.get(entry.class) ?? 0) + 1)
  const summary = Object.entries(kinds)
    .filter(([kind]) => counts.has(kind))
    .map(([kind, [, name]]) => `${counts.get(kind)} ${name}`)
    .join(', ')
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
          aria-label={`All codes of ${record.name}: ${summary}. Shown is ${hexOf(code, record)}, ${said(decode(code, record))}.`}
          onClick={({ offsetX, offsetY, currentTarget }) => {
            const column = Math.floor((offsetX / currentTarget.clientWidth) * columns)
            const row = Math.floor((offsetY / currentTarget.clientHeight) * rows)
            state.number.value = said(decode(row * columns + column, record)).replace('Inf', 'Infinity')
          }}
        />
        <figcaption>
          Codes in rows from 0 on; press one to see it. The bits above reach every code by the keyboard.
        </figcaption>
      </figure>
    </section>
  )
}

function draw(
  canvas: HTMLCanvasElement,
  record: FloatFormat,
  code: number,
  columns: number,
  rows: number,
): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const ratio = devicePixelRatio || 1
  const side = Math.floor(Math.min(canvas.parentElement?.clientWidth ?? 480, 640) / columns)
  canvas.style.width = `${side * columns}px`
  canvas.style.height = `${side * rows}px`
  canvas.width = side * columns * ratio
  canvas.height = side * rows * ratio
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  const style = getComputedStyle(canvas)
  const paint = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  context.font = `${Math.min(11, side / 3.4)}px ${style.fontFamily}`
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  for (const entry of allCodes(record)) {
    const [left, top] = [(entry.code % columns) * side, Math.floor(entry.code / columns) * side]
    context.fillStyle = paint(`series-${kinds[entry.class][0]}`)
    context.fillRect(left + 1, top + 1, side - 2, side - 2)
    if (side < 26) continue
    context.fillStyle = paint('page')
    context.fillText(codeLabel(entry.value, said(entry.value)), left + side / 2, top + side / 2, side - 4)
  }
  const [left, top] = [(code % columns) * side, Math.floor(code / columns) * side]
  context.lineWidth = 3
  context.strokeStyle = paint('ink')
  context.strokeRect(left + 1.5, top + 1.5, side - 3, side - 3)
}

function allCodes(record: FloatFormat): CodeDescription[] {
  return Array.from({ length: 2 ** record.bits }, (_, code) => describe(code, record))
}
