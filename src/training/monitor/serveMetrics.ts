import {
  checkInteger,
  checkOptions,
  checkText,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { readOnlyServer } from '../http/index.js'
import {
  counters,
  exportedName,
  isMetric,
  labelled,
  type MetricName,
  metricNames,
  metrics,
  prefix,
} from './metrics.js'
import type { Sample, Sink } from './sink.js'

/** The address of the metrics, and the label of this run. */
export interface ServeOptions {
  /** Default 9464, which exporters take; 0 is any that is free. */
  readonly port?: number
  /** Default '127.0.0.1': this machine alone. */
  readonly host?: string
  /** The label `run` of every metric. Default: none. */
  readonly run?: string
}

const names: OptionTable<ServeOptions> = { port: 'optional', host: 'optional', run: 'optional' }

/** A sink that serves the last sample. */
export interface MetricsServer extends Sink {
  /** Where it is: http://127.0.0.1:9464/metrics. */
  readonly url: string
}

// The part of prom-client used here: it is an optional peer, whose types are not there for everybody.
interface Gauge {
  set(value: number): void
  set(labels: Readonly<Record<string, string>>, value: number): void
}
interface Counter {
  inc(labels: Readonly<Record<string, string>>, by: number): void
}
interface Histogram {
  observe(value: number): void
}
interface Registry {
  readonly contentType: string
  metrics(): Promise<string>
  setDefaultLabels(labels: object): void
}
type Make<T> = new (options: object) => T
interface Client {
  readonly Registry: new () => Registry
  readonly Gauge: Make<Gauge>
  readonly Counter: Make<Counter>
  readonly Histogram: Make<Histogram>
  collectDefaultMetrics(options: object): void
}

/**
 * A `readOnlyServer` of /metrics for Prometheus, with prom-client, an optional peer (`npm install prom-client`). It holds no process alive.
 * Gauges carry the last sample; the time of steps is a histogram too; elements that are not finite are counted by leaf (`where`).
 * Of two metrics with one `exportedName`, such as `acc@1` and `acc/1`, the first is exported, and a line on stderr names the other.
 *
 * Throws    Error where prom-client is not installed, and what listening throws: the port is taken.
 */
export async function serveMetrics(options: ServeOptions = noOptions): Promise<MetricsServer> {
  checkOptions('serveMetrics', options, names)
  const { port = 9464, host = '127.0.0.1', run } = options
  checkInteger('serveMetrics', 'port', port, 0, 65535)
  checkText('serveMetrics', 'host', host)
  if (run !== undefined) checkText('serveMetrics', 'run', run)
  const client = await loadClient()
  const registry = new client.Registry()
  if (run !== undefined) registry.setDefaultLabels({ run })
  client.collectDefaultMetrics({ register: registry, prefix })
  const write = writer(client, registry)
  const server = readOnlyServer(host, (request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end('metrics are at /metrics\n')
      return
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  server.unref()
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: Error & { readonly code?: string }) => {
      reject(new Error(`serveMetrics: cannot listen there [${error.code} ${host}:${port}]`, { cause: error }))
    })
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const at = typeof address === 'object' && address ? address.port : port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${at}/metrics`,
    write,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** How a value gets to where it is scraped. */
type SetGauge = (value: number) => void

function writer(client: Client, registry: Registry): Sink['write'] {
  const registers = [registry]
  const gauges = new Map<string, Gauge>()
  const tellers = new Map<string, SetGauge>()
  /** The metric that is exported under a name; of several the first one. */
  const owners = new Map(metricNames.map((name) => [exportedName(name), name as string]))
  const duration = `${prefix}train_step_duration_seconds`
  owners.set(duration, 'the histogram of stepSeconds')
  const gauge = (name: string, labelNames: readonly string[] = []): Gauge => {
    const help = isMetric(name) ? metrics[name].help : `${name}, as the run gives it`
    const made =
      gauges.get(name) ?? new client.Gauge({ name: exportedName(name), help, labelNames, registers })
    gauges.set(name, made)
    return made
  }
  const counter = (name: MetricName): Counter => {
    const { help, label } = metrics[name]
    const labelNames = label === undefined ? [] : [label]
    return new client.Counter({ name: exportedName(name), help, labelNames, registers })
  }
  /** A counter goes to a total. */
  const count = (on: Counter, labels: Readonly<Record<string, string>>): SetGauge => {
    let counted = 0
    return (total) => {
      if (!(total > counted)) return
      on.inc(labels, total - counted)
      counted = total
    }
  }
  const steps = new client.Histogram({
    ...{ name: duration, help: 'Time of steps', registers },
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100],
  })
  for (const name of metricNames) {
    // A metric with a label is exported by its parts.
    if (metrics[name].label !== undefined) tellers.set(name, () => undefined)
    else if (counters.has(name)) tellers.set(name, count(counter(name), {}))
  }
  const leaves = counter('nonFinite')
  // A series that begins above 0 has not grown, for Prometheus.
  leaves.inc({ where: 'loss' }, 0)
  const byLeaf = new Map<string, SetGauge>()
  const tellerOf = (name: string): SetGauge => {
    const series = labelled(name)
    if (series) {
      const [on, labels] = [gauge(series.metric, [series.label]), { [series.label]: series.part }]
      return (value) => on.set(labels, value)
    }
    const exported = exportedName(name)
    const owner = owners.get(exported) ?? name
    owners.set(exported, owner)
    if (owner !== name) {
      process.stderr.write(
        `serveMetrics: ${name} is not exported, its name is that of ${owner} [${exported}]\n`,
      )
      return () => undefined
    }
    const on = gauge(name)
    if (name !== 'stepSeconds') return (value) => on.set(value)
    return (value) => {
      on.set(value)
      steps.observe(value)
    }
  }
  const tellerIn = (known: Map<string, SetGauge>, name: string, make: () => SetGauge): SetGauge => {
    const found = known.get(name) ?? make()
    known.set(name, found)
    return found
  }
  let reported: Sample['nonFinite'] | undefined
  return ({ values, nonFinite }) => {
    for (const name in values) {
      const tell = tellers.get(name) ?? tellerIn(tellers, name, () => tellerOf(name))
      tell(values[name]!)
    }
    if (nonFinite === reported) return
    reported = nonFinite
    for (const [where, total] of Object.entries(nonFinite)) {
      tellerIn(byLeaf, where, () => count(leaves, { where }))(total)
    }
  }
}

async function loadClient(): Promise<Client> {
  try {
    // Not a literal: who has no prom-client compiles all the same.
    const name: string = 'prom-client'
    return (await import(name)) as Client
  } catch (cause) {
    throw new Error(
      'serveMetrics: prom-client is not installed, `npm install prom-client` adds it [prom-client]',
      {
        cause,
      },
    )
  }
}
