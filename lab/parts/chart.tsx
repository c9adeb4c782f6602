import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { type ChartOptions, type ChartSeries, drawChart } from './drawChart.js'

interface ChartProps extends ChartOptions {
  /** What is seen, in a sentence: the picture's name for those who do not see it. */
  readonly says: string
  readonly children?: ComponentChildren
}

/** A live line chart on a canvas, with its legend; drawn again when its size, its data or the scheme of colours changes. */
export function Chart(props: ChartProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const latest = useRef(props)
  latest.current = props
  useEffect(() => {
    const target = canvas.current
    if (!target) return undefined
    const draw = (): void => drawChart(target, latest.current)
    const sizes = new ResizeObserver(draw)
    sizes.observe(target)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', draw)
    addEventListener('repaint', draw)
    return () => {
      sizes.disconnect()
      scheme.removeEventListener('change', draw)
      removeEventListener('repaint', draw)
    }
  }, [])
  useEffect(() => {
    const frame = requestAnimationFrame(() => canvas.current && drawChart(canvas.current, latest.current))
    return () => cancelAnimationFrame(frame)
  })
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
