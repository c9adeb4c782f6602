import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { ChartReader } from './chartReader.js'
import { type ChartOptions, type ChartSeries, drawChart } from './drawChart.js'
import { EmbedButton, figureName, useFigureClass } from './embedding.js'
import { pointsTable } from './readChart.js'
import { useDrawn } from './useDrawn.js'

interface ChartProps extends ChartOptions {
  /** What is seen, in a sentence: the picture's name for those who do not see it. */
  readonly says: string
  /** Its name in the address of an embedded figure. Default: of its y title. */
  readonly figure?: string
  readonly children?: ComponentChildren
}

/**
 * A live line chart on a canvas, with its legend; drawn again when its size, its data or the scheme of colours changes. Its values are read
 * with the pointer or the arrow keys, a part is shown by a drag, and the points can be copied.
 */
export function Chart(props: ChartProps) {
  const at = useSignal<number | undefined>(undefined)
  const zoom = useSignal<readonly [number, number] | undefined>(undefined)
  const drag = useSignal<readonly [number, number] | undefined>(undefined)
  const said = useSignal('')
  const { xTicks: _, ...scaled } = props
  const chart: ChartOptions = zoom.value ? { ...scaled, xRange: zoom.value } : props
  const figure = props.figure ?? figureName(props.yTitle)
  const only = useFigureClass(figure)
  const canvas = useDrawn((target) => drawChart(target, chart))
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(pointsTable(props.series, props.xTitle, zoom.value))
      said.value = 'Copied.'
    } catch {
      said.value = 'The browser does not allow it.'
    }
  }
  return (
    <figure class={only}>
      <ul class="legend">
        {props.series.map((series) => (
          <LegendEntry key={series.name} series={series} />
        ))}
        <li class="actions">
          {zoom.value && (
            <button
              type="button"
              class="plain"
              onClick={() => {
                zoom.value = undefined
              }}
            >
              Show all
            </button>
          )}
          <button type="button" class="plain" onClick={copy}>
            Copy values
          </button>
          <EmbedButton
            figure={figure}
            title={`${props.yTitle} by ${props.xTitle}`}
            height={(props.height ?? 240) + 150}
          />
          <span role="status">{said}</span>
        </li>
      </ul>
      <div class="plot">
        <canvas
          ref={canvas}
          role="img"
          aria-label={props.says}
          style={{ height: `${props.height ?? 240}px` }}
        />
        <ChartReader chart={chart} reading={{ at, zoom, drag }} />
      </div>
      <figcaption>{props.children}</figcaption>
    </figure>
  )
}

function LegendEntry({ series: { name, color, dashed } }: { readonly series: ChartSeries }) {
  return (
    <li>
      <svg viewBox="0 0 28 8" aria-hidden="true">
        <line
          x1="0"
          x2="28"
          y1="4"
          y2="4"
          stroke={`var(--series-${color})`}
          stroke-width="2.5"
          stroke-dasharray={dashed ? '5 3' : undefined}
        />
      </svg>
      {name}
    </li>
  )
}
