// A run watched: its numerical health as metrics, to files, to Prometheus, to TensorBoard, and to rules that say what is wrong. Needs
// Node. Read monitor.ts first, then metrics.ts, the table of what is measured.
export { type MonitoredStep, monitor, type MonitorOptions, type RunMonitor } from './monitor.js'
export { type Health, healthOf, type HealthOptions } from './healthOf.js'
export type { Sample, Sink } from './sink.js'
export { jsonLines } from './jsonLines.js'
export { eventFile } from './eventFile.js'
export { type MetricsServer, type ServeOptions, serveMetrics } from './serveMetrics.js'
export {
  type Alert,
  type AlertRule,
  defaultAlerts,
  prometheusRules,
  watchAlerts,
} from './alerts.js'
export {
  type Dashboard,
  type DashboardPanel,
  type DashboardVariable,
  grafanaDashboard,
} from './dashboard.js'
export { exportedName, type MetricFacts, type MetricKind, type MetricName, metrics } from './metrics.js'
