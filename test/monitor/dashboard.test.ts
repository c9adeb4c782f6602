import {
  type LegendDisplayMode,
  type LegendPlacement,
  type SortOrder,
  type TooltipDisplayMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common'
import {
  DashboardBuilder,
  DatasourceVariableBuilder,
  type Dashboard as GrafanasDashboard,
  type Panel as GrafanasPanel,
  QueryVariableBuilder,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { type Dataquery, DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus'
import { type Options, PanelBuilder } from '@grafana/grafana-foundation-sdk/timeseries'
import {
  type Dashboard,
  type DashboardPanel,
  type DashboardVariable,
  grafanaDashboard,
  metrics,
} from 'tpu-toolkit/monitor'
import { describe, expect, it } from 'vitest'

/** A type of the SDK's as its JSON is: enumerations are their values, methods are none. */
type Plain<T> = T extends string
  ? `${T}`
  : T extends number | boolean | null | undefined
    ? T
    : T extends readonly (infer E)[]
      ? readonly Plain<E>[]
      : { readonly [K in keyof T as T[K] extends () => void ? never : K]: Plain<T[K]> }

/** The parts whose types the SDK leaves open are those of its Prometheus and its time series. */
type PlainDashboard = Omit<Plain<GrafanasDashboard>, 'panels'> & {
  readonly panels?: readonly (Omit<Plain<GrafanasPanel>, 'targets' | 'options'> & {
    readonly targets?: readonly Plain<Dataquery>[]
    readonly options?: Plain<Options>
  })[]
}

function builtVariable(made: DashboardVariable): DatasourceVariableBuilder | QueryVariableBuilder {
  const { name, type, label, query, datasource, multi, includeAll, allValue, refresh } = made
  if (type === 'datasource') return new DatasourceVariableBuilder(name).type(query).label(label)
  return new QueryVariableBuilder(name)
    .label(label)
    .query(query)
    .datasource(datasource!)
    .multi(multi!)
    .includeAll(includeAll!)
    .allValue(allValue!)
    .refresh(refresh!)
}

function builtPanel(made: DashboardPanel): PanelBuilder {
  const { legend, tooltip } = made.options
  const panel = new PanelBuilder()
    .id(made.id)
    .title(made.title)
    .description(made.description)
    .datasource(made.datasource)
    .gridPos(made.gridPos)
    .unit(made.fieldConfig.defaults.unit)
    .spanNulls(made.fieldConfig.defaults.custom.spanNulls)
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(legend.displayMode as LegendDisplayMode)
        .placement(legend.placement as LegendPlacement)
        .showLegend(legend.showLegend)
        .calcs([...legend.calcs]),
    )
    .tooltip(
      new VizTooltipOptionsBuilder().mode(tooltip.mode as TooltipDisplayMode).sort(tooltip.sort as SortOrder),
    )
  for (const { refId, expr, legendFormat, datasource } of made.targets) {
    const query = new DataqueryBuilder().refId(refId).expr(expr).legendFormat(legendFormat)
    panel.withTarget(query.datasource(datasource))
  }
  return panel
}

/** The same dashboard, made by the SDK of Grafana from its facts: with defaults that ours leaves to Grafana. */
function built(made: Dashboard): GrafanasDashboard {
  const dashboard = new DashboardBuilder(made.title)
    .uid(made.uid)
    .tags([...made.tags])
    .refresh(made.refresh)
    .time(made.time)
    .editable()
    .annotations([])
  for (const variable of made.templating.list) dashboard.withVariable(builtVariable(variable))
  for (const panel of made.panels) dashboard.withPanel(builtPanel(panel))
  return dashboard.build()
}

describe('grafanaDashboard', () => {
  it("has the types of Grafana's own SDK, and every field where the SDK puts it", () => {
    const made = grafanaDashboard()
    const accepted: PlainDashboard = made
    expect(JSON.parse(JSON.stringify(built(made)))).toMatchObject(JSON.parse(JSON.stringify(accepted)))
  })

  it('shows metrics that are exported, from a source that is asked for', () => {
    const { panels } = grafanaDashboard()
    const known = new Set([
      ...Object.values(metrics).map(({ exported }) => `tpu_toolkit_${exported}`),
      'tpu_toolkit_train_step_duration_seconds_bucket',
    ])
    for (const panel of panels) {
      expect(panel.datasource).toEqual({ type: 'prometheus', uid: '$' + '{datasource}' })
      for (const { expr } of panel.targets) {
        for (const name of expr.match(/tpu_toolkit_\w+/g)!) expect(known).toContain(name)
      }
    }
  })

  it('lays no panel over another', () => {
    const taken = new Set<string>()
    for (const { gridPos } of grafanaDashboard().panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken).not.toContain(`${x} ${y}`)
          taken.add(`${x} ${y}`)
        }
      }
    }
  })
})
