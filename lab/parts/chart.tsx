import type { ComponentChildren } from 'preact'
import { type ChartOptions, type ChartSeries, drawChart } from './drawChart.js'
import { useDrawn } from './useDrawn.js'

interface ChartProps extends ChartOptions {
  /** What is seen, in a sentence: the picture's name for those who do not see it. */
  readonly says: string
  readonly children?: ComponentChildren
}

/** A live line chart on a canvas, with its legend; drawn again when its size, its data or the scheme of colours changes. */
export function Chart(props: ChartProps) {
  const canvas = useDrawn((target) => drawChart(target, props))
  return (
    <figure>
      <ul class="legend">
        {props.series.map((series) => (
          <LegendEntry key={series.name} series={series} />
        ))}
      </ul>
      <canvas
        ref={canvas}
        role="img"
        aria-label={props.says}
        style={{ height: `${props.height ?? 240}px` }}
      />
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
