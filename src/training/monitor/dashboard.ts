import { exportedName, type MetricName, prefix } from './metrics.js'

/** A panel: what it shows, in which unit. */
interface Shown {
  readonly title: string
  readonly about: string
  readonly unit: string
  readonly lines: readonly { readonly expr: string; readonly legend: string }[]
}

const of = (name: MetricName): string => `${exportedName(name)}{run=~"$run"}`
const each = (name: MetricName): Shown['lines'] => [{ expr: of(name), legend: '{{run}}' }]
const rate = (name: MetricName): string => `rate(${of(name)}[$__rate_interval])`

const panels: readonly Shown[] = [
  { title: 'Loss', about: 'A gap is a NaN.', unit: 'none', lines: each('loss') },
  {
    ...{ title: 'Updates lost', about: 'Share of the updates that rounded away.', unit: 'percentunit' },
    lines: [
      { expr: of('updatesLost'), legend: '{{run}} lost' },
      { expr: of('unchanged'), legend: '{{run}} parameters unchanged' },
    ],
  },
  {
    ...{ title: 'NaN and infinities', about: 'Elements found so far, by leaf.', unit: 'none' },
    lines: [{ expr: of('nonFinite'), legend: '{{run}} {{where}}' }],
  },
  {
    ...{ title: 'Norms', about: 'Of gradients, updates and parameters.', unit: 'none' },
    lines: (['gradNorm', 'updateNorm', 'paramNorm'] as const).map((name) => ({
      expr: of(name),
      legend: `{{run}} ${name}`,
    })),
  },
  {
    ...{ title: 'Gradients below the normal numbers', about: 'Share of them.', unit: 'percentunit' },
    lines: each('gradUnderflow'),
  },
  {
    ...{ title: 'Bits of the gradients that are right', about: 'By layer, as sampled.', unit: 'none' },
    lines: [{ expr: of('effectiveBits'), legend: '{{run}} {{layer}}' }],
  },
  { title: 'Loss scale', about: 'Halved at each overflow.', unit: 'none', lines: each('lossScale') },
  {
    ...{ title: 'Steps a second', about: 'And tokens, where they are counted.', unit: 'none' },
    lines: [
      { expr: rate('step'), legend: '{{run}} steps' },
      { expr: rate('tokens'), legend: '{{run}} tokens' },
    ],
  },
  {
    ...{ title: 'Time of a step', about: 'Half of them take less, and 99 of 100.', unit: 's' },
    lines: [0.5, 0.99].map((part) => ({
      expr: `histogram_quantile(${part}, sum by (le, run) (rate(${prefix}train_step_duration_seconds_bucket{run=~"$run"}[$__rate_interval])))`,
      legend: `{{run}} ${part}`,
    })),
  },
  {
    ...{ title: 'Waiting for data', about: 'Share of the time.', unit: 'percentunit' },
    lines: [{ expr: rate('dataSeconds'), legend: '{{run}}' }],
  },
  { title: 'Memory of the process', about: 'All of it.', unit: 'bytes', lines: each('residentBytes') },
]

/** A panel as Grafana has it. */
export interface DashboardPanel {
  readonly id: number
  readonly type: 'timeseries'
  readonly title: string
  readonly description: string
  /** What Grafana asks for numbers. */
  readonly datasource: { readonly type: string; readonly uid: string }
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly fieldConfig: {
    readonly defaults: { readonly unit: string; readonly custom: { readonly spanNulls: boolean } }
    readonly overrides: readonly never[]
  }
  readonly options: {
    readonly legend: {
      readonly displayMode: 'list'
      readonly placement: 'bottom'
      readonly showLegend: boolean
      readonly calcs: readonly string[]
    }
    readonly tooltip: { readonly mode: 'multi'; readonly sort: 'desc' }
  }
  readonly targets: readonly {
    readonly refId: string
    readonly expr: string
    readonly legendFormat: string
    readonly datasource: DashboardPanel['datasource']
  }[]
}

/** A variable of a dashboard: what is chosen above the panels. */
export interface DashboardVariable {
  readonly name: string
  readonly type: 'datasource' | 'query'
  readonly label: string
  readonly query: string
  readonly datasource?: DashboardPanel['datasource']
  readonly multi?: boolean
  readonly includeAll?: boolean
  readonly allValue?: string
  /** 2: asked for again whenever the time range changes. */
  readonly refresh?: 2
}

/** A dashboard of Grafana, as it is imported from JSON. */
export interface Dashboard {
  readonly title: string
  readonly uid: string
  readonly schemaVersion: number
  readonly tags: readonly string[]
  readonly editable: boolean
  readonly refresh: string
  readonly time: { readonly from: string; readonly to: string }
  readonly annotations: { readonly list: readonly never[] }
  readonly templating: { readonly list: readonly DashboardVariable[] }
  readonly panels: readonly DashboardPanel[]
}

/**
 * A dashboard of Grafana for what `serveMetrics` exports: `JSON.stringify(grafanaDashboard())` is a file to import; it asks for the
 * Prometheus to read from.
 *
 * @example grafanaDashboard().panels.length // 11
 */
export function grafanaDashboard(): Dashboard {
  // A variable of Grafana's, not of ours.
  const source = '$' + '{datasource}'
  const datasource = { type: 'prometheus', uid: source }
  return {
    title: 'tpu-toolkit: a run',
    uid: 'tpu-toolkit-run',
    schemaVersion: 42,
    tags: ['tpu-toolkit'],
    editable: true,
    refresh: '10s',
    time: { from: 'now-30m', to: 'now' },
    annotations: { list: [] },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' },
        {
          ...{
            name: 'run',
            type: 'query',
            label: 'Run',
            datasource,
            multi: true,
            includeAll: true,
            allValue: '.*',
          },
          query: `label_values(${exportedName('step')}, run)`,
          refresh: 2,
        },
      ],
    },
    panels: panels.map(({ title, about, unit, lines }, i) => ({
      ...{ id: i + 1, type: 'timeseries', title, description: about, datasource },
      gridPos: { x: 12 * (i % 2), y: 8 * Math.floor(i / 2), w: 12, h: 8 },
      fieldConfig: { defaults: { unit, custom: { spanNulls: false } }, overrides: [] },
      options: {
        legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
        tooltip: { mode: 'multi', sort: 'desc' },
      },
      targets: lines.map(({ expr, legend }, k) => ({
        ...{ refId: String.fromCharCode(65 + k), expr, legendFormat: legend, datasource },
      })),
    })),
  }
}
