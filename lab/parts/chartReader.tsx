import type { Signal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { shortNumber } from './axisTicks.js'
import { type ChartFrame, type ChartOptions, chartFrame } from './drawChart.js'
import { nearestX, nextX, valuesAt, valuesText } from './readChart.js'

/** What is being read of a chart. */
export interface Reading {
  /** The x whose values are shown. */
  readonly at: Signal<number | undefined>
  /** The part that is shown; undefined is all of it. */
  readonly zoom: Signal<readonly [number, number] | undefined>
  /** Pixels between which the pointer is being dragged. */
  readonly drag: Signal<readonly [number, number] | undefined>
}

/** Pixels of a drag that is no click. */
const shortest = 8

/**
 * What lies over a chart and answers: the values where the pointer is, or where the arrow keys lead; a drag, + and - show a part, 0 or two
 * clicks all of it.
 */
export function ChartReader({ chart, reading }: { readonly chart: ChartOptions; readonly reading: Reading }) {
  const { at, zoom, drag } = reading
  const place = useRef<HTMLDivElement>(null)
  const { series, xTitle, logX } = chart
  const frameOf = (): ChartFrame => {
    const { clientWidth = 0, clientHeight = 0 } = place.current ?? {}
    return chartFrame(clientWidth, clientHeight, chart)
  }
  const first = nextX(series, -Infinity, 1)
  const last = nextX(series, Infinity, -1)
  const follow = (event: PointerEvent): void => {
    const { box, x } = frameOf()
    const pixel = Math.min(box.right, Math.max(box.left, event.offsetX))
    const found = nearestX(series, x.valueAt(pixel), logX)
    at.value = Number.isNaN(found) ? undefined : found
    if (drag.value) drag.value = [drag.value[0], pixel]
  }
  const release = (): void => {
    const dragged = drag.value
    drag.value = undefined
    if (!dragged || Math.abs(dragged[1] - dragged[0]) < shortest) return
    const { x } = frameOf()
    const [a, b] = [x.valueAt(dragged[0]), x.valueAt(dragged[1])]
    zoom.value = a < b ? [a, b] : [b, a]
  }
  const scale = (factor: number): void => {
    const { box, x } = frameOf()
    const middle = at.value === undefined ? (box.left + box.right) / 2 : x.at(at.value)
    const half = ((box.right - box.left) / 2) * factor
    const part: [number, number] = [x.valueAt(middle - half), x.valueAt(middle + half)]
    zoom.value = part[0] <= first && part[1] >= last ? undefined : part
  }
  const press = (event: KeyboardEvent): void => {
    const from = at.value
    const moves: Readonly<Record<string, () => void>> = {
      ArrowRight: () => {
        at.value = from === undefined ? first : nextX(series, from, 1)
      },
      ArrowLeft: () => {
        at.value = from === undefined ? last : nextX(series, from, -1)
      },
      Home: () => {
        at.value = first
      },
      End: () => {
        at.value = last
      },
      '+': () => scale(0.5),
      '=': () => scale(0.5),
      '-': () => scale(2),
      '0': () => {
        zoom.value = undefined
      },
      Escape: () => {
        zoom.value = undefined
        at.value = undefined
      },
    }
    const move = moves[event.key]
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    move()
    // What is read is seen.
    const [low, high] = zoom.value ?? []
    if (low !== undefined && at.value !== undefined && (at.value < low || at.value > high!))
      zoom.value = undefined
  }
  const said = at.value === undefined ? '' : valuesText(series, xTitle, at.value)
  return (
    <>
      <div
        ref={place}
        class="reader"
        role="slider"
        tabIndex={0}
        aria-label={`Values by ${xTitle}`}
        aria-valuemin={Number.isFinite(first) ? first : 0}
        aria-valuemax={Number.isFinite(last) ? last : 0}
        aria-valuenow={at.value ?? (Number.isFinite(first) ? first : 0)}
        aria-valuetext={said === '' ? 'arrow keys read the values, + and - zoom' : said}
        onPointerMove={follow}
        onPointerDown={(event) => {
          if (event.button !== 0 || event.pointerType !== 'mouse') return
          event.currentTarget.setPointerCapture(event.pointerId)
          follow(event)
          drag.value = [event.offsetX, event.offsetX]
        }}
        onPointerUp={release}
        onPointerLeave={() => {
          if (!drag.value && document.activeElement !== place.current) at.value = undefined
        }}
        onDblClick={() => {
          zoom.value = undefined
        }}
        onBlur={() => {
          at.value = undefined
        }}
        onKeyDown={press}
      />
      {place.current && at.value !== undefined && <Cross chart={chart} frame={frameOf()} at={at.value} />}
      {drag.value && (
        <div
          class="dragged"
          style={{
            left: `${Math.min(...drag.value)}px`,
            width: `${Math.abs(drag.value[1] - drag.value[0])}px`,
          }}
        />
      )}
    </>
  )
}

/** The line at what is read, the points on it, and their values in a box beside it. */
function Cross(props: { readonly chart: ChartOptions; readonly frame: ChartFrame; readonly at: number }) {
  const { chart, frame, at } = props
  const { box, x, y } = frame
  const left = x.at(at)
  if (!(left >= box.left - 1 && left <= box.right + 1)) return null
  const values = valuesAt(chart.series, at)
  const leftwards = left > (box.left + box.right) / 2
  return (
    <>
      <div
        class="cross"
        style={{ left: `${left}px`, top: `${box.top}px`, height: `${box.bottom - box.top}px` }}
      />
      {chart.series.map(({ name, color }, i) => {
        const top = values[i] === undefined ? Number.NaN : y.at(values[i]!)
        return (
          top >= box.top - 2 &&
          top <= box.bottom + 2 && (
            <div
              key={name}
              class="point"
              style={{ left: `${left}px`, top: `${top}px`, background: `var(--series-${color})` }}
            />
          )
        )
      })}
      <div
        class="values"
        style={leftwards ? { right: `calc(100% - ${left - 8}px)` } : { left: `${left + 8}px` }}
      >
        <strong>
          {chart.xTitle} {shortNumber(at)}
        </strong>
        {chart.series.map(
          ({ name, color }, i) =>
            values[i] !== undefined && (
              <span key={name}>
                <i style={{ background: `var(--series-${color})` }} />
                {name} {shortNumber(values[i])}
              </span>
            ),
        )}
      </div>
    </>
  )
}
