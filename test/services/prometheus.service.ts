import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AlertRule,
  defaultAlerts,
  exportedName,
  grafanaDashboard,
  monitor,
  prometheusRules,
  serveMetrics,
  watchAlerts,
} from 'tpu-toolkit/monitor'
import { seeded } from 'tpu-toolkit/random'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'prometheus-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function promtool(...given: string[]): string {
  const { status, stdout, stderr, error } = spawnSync('promtool', given, { encoding: 'utf8' })
  if (error) throw error
  expect(status, `promtool ${given.join(' ')}\n${stdout}${stderr}`).toBe(0)
  return stdout
}

function written(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

describe('promtool', () => {
  it('takes the rules, and finds each of them', () => {
    const said = promtool('check', 'rules', written('alerts.yml', prometheusRules()))
    expect(said).toContain(`${defaultAlerts.length} rules found`)
  })

  it('takes every expression of the dashboard', () => {
    const { panels } = grafanaDashboard()
    const rules = panels
      .flatMap(({ targets }) => targets)
      .map(({ expr }, i) => {
        const plain = expr.replaceAll('$__rate_interval', '5m').replaceAll('$run', '.+')
        return `      - record: r${i}\n        expr: ${JSON.stringify(plain)}`
      })
    promtool(
      'check',
      'rules',
      written('panels.yml', `groups:\n  - name: g\n    rules:\n${rules.join('\n')}\n`),
    )
  })

  it(`fires when watchAlerts does, on drawn series (seed ${seed})`, () => {
    const draw = seeded(`alerts ${seed}`)
    const below = (n: number): number => Math.floor(draw() * n)
    const apart = 10
    const count = 40
    const tests: string[] = []
    const rules: AlertRule[] = []
    for (let i = 0; i < 24; i++) {
      const counts = i % 2 === 1
      const when = counts
        ? (['grows', 'stands'] as const)[below(2)]!
        : (['above', 'below', 'nan'] as const)[below(3)]!
      const metric = `m${i}`
      const rule: AlertRule = {
        ...{ alert: `A${i}`, metric, when, threshold: below(5), summary: 's' },
        ...{ within: 10 * (1 + below(6)), for: 10 * below(4) },
      }
      rules.push(rule)
      let total = 0
      const series = Array.from({ length: count }, () => {
        if (counts) {
          total += draw() < 0.3 ? below(3) : 0
          return total
        }
        return draw() < 0.15 ? Number.NaN : below(8)
      })
      const firing = new Map<number, boolean>()
      let now = false
      const watch = watchAlerts([rule], (alert) => {
        now = alert.firing
      })
      for (const [k, value] of series.entries()) {
        watch({ step: k, time: k * apart, values: { [metric]: value }, nonFinite: {} })
        firing.set(k * apart, now)
      }
      const values = series.map((x) => (Number.isNaN(x) ? 'NaN' : x)).join(' ')
      const checks = [...firing].map(([time, on]) =>
        [
          `      - eval_time: ${time}s`,
          `        alertname: A${i}`,
          '        exp_alerts:',
          on
            ? '          - exp_labels: { severity: warning }\n            exp_annotations: { summary: s }'
            : '          []',
        ].join('\n'),
      )
      tests.push(
        [
          `  - interval: ${apart}s`,
          '    input_series:',
          `      - series: ${exportedName(metric)}`,
          `        values: "${values}"`,
          '    alert_rule_test:',
          ...checks,
        ].join('\n'),
      )
    }
    written('drawn.yml', prometheusRules(rules))
    const text = `rule_files: [drawn.yml]\nevaluation_interval: ${apart}s\ntests:\n${tests.join('\n')}\n`
    promtool('test', 'rules', written('test.yml', text))
  })
})

describe('prometheus', () => {
  it('scrapes a run that goes NaN, and fires', async () => {
    const server = await serveMetrics({ port: 0, run: 'r' })
    const { onStep, onEnd } = monitor({ sinks: [server], onAlert: () => undefined })
    const port = await freePort()
    const rules = defaultAlerts.filter(({ alert }) =>
      ['LossIsNaN', 'LossNotFinite', 'GradientBitsLost'].includes(alert),
    )
    written('alerts.yml', prometheusRules(rules))
    const config = [
      'global: { scrape_interval: 1s, evaluation_interval: 1s }',
      'rule_files: [alerts.yml]',
      'scrape_configs:',
      '  - job_name: run',
      `    static_configs: [{ targets: ["${new URL(server.url).host}"] }]`,
      '',
    ].join('\n')
    const child = spawn(
      'prometheus',
      [
        `--config.file=${written('prometheus.yml', config)}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    )
    let step = 0
    const going = setInterval(() => {
      const bits = { effectiveBits: 1.5, 'effectiveBits/layers.0': 1.5, 'effectiveBits/layers.1': 7 }
      onStep({ step: ++step, metrics: { loss: step > 15 ? Number.NaN : 1, ...(step === 16 ? bits : {}) } })
    }, 200)
    try {
      const firing = await until(async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`)
        const { data } = (await answer.json()) as {
          data: { alerts: { state: string; labels: { alertname: string } }[] }
        }
        const names = data.alerts
          .filter(({ state }) => state === 'firing')
          .map(({ labels }) => labels.alertname)
        return new Set(names).size === 3 ? [...new Set(names)].sort() : undefined
      })
      expect(firing).toEqual(['GradientBitsLost', 'LossIsNaN', 'LossNotFinite'])
      const asked = await fetch(
        `http://127.0.0.1:${port}/api/v1/query?query=tpu_toolkit_train_effective_bits`,
      )
      const { data } = (await asked.json()) as {
        data: { result: { metric: { layer: string }; value: [number, string] }[] }
      }
      const found = data.result.map(({ metric, value }) => [metric.layer, Number(value[1])])
      expect(found.sort()).toEqual([
        ['layers.0', 1.5],
        ['layers.1', 7],
      ])
    } finally {
      clearInterval(going)
      child.kill()
      await new Promise((resolve) => child.on('exit', resolve))
      await onEnd()
    }
  })
})

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await ask().catch(() => undefined)
    if (answer !== undefined) return answer
    await new Promise((resolve) => setTimeout(resolve, 400))
  }
  throw new Error('prometheus: nothing fired in 80 seconds')
}
