import { type AlertRule, defaultAlerts, prometheusRules, watchAlerts } from 'tpu-toolkit/monitor'
import { expect, test } from 'vitest'

const summary = 'what to do'

/** The times at which a rule began to fire, and ended. */
function told(rule: AlertRule, series: readonly (number | undefined)[], apart = 10): string[] {
  const lines: string[] = []
  const watch = watchAlerts([rule], ({ firing, time }) => lines.push(`${firing ? 'on' : 'off'} ${time}`))
  for (const [i, value] of series.entries()) {
    const values: Record<string, number> = value === undefined ? {} : { m: value }
    watch({ step: i + 1, time: i * apart, values, nonFinite: {} })
  }
  return lines
}

test('a rule fires when it has held for its time, and ends when it does no more', () => {
  const rule: AlertRule = { alert: 'A', metric: 'm', when: 'above', threshold: 3, for: 20, summary }
  expect(told(rule, [1, 4, 4, 4, 4, 1, 4])).toEqual(['on 30', 'off 50'])
  expect(told({ ...rule, for: 0 }, [4, 1, 4])).toEqual(['on 0', 'off 10', 'on 20'])
})

test('a metric that a sample does not have is as it was, as a gauge that is scraped', () => {
  const rule: AlertRule = { alert: 'A', metric: 'm', when: 'above', threshold: 3, for: 20, summary }
  const none = undefined
  expect(told(rule, [none, 4, none, none, none, 2, none])).toEqual(['on 30', 'off 50'])
  expect(told({ ...rule, for: 0 }, [none, 4, none])).toEqual(['on 10'])
})

test('a rule about a gauge by layer is about the least of them, in Prometheus too', () => {
  const few: AlertRule = { alert: 'A', metric: 'effectiveBits', when: 'below', threshold: 2, summary }
  const exprOf = (rule: AlertRule): string => JSON.parse(/expr: (.*)/.exec(prometheusRules([rule]))![1]!)
  expect(exprOf(few)).toBe('min without (layer) (tpu_toolkit_train_effective_bits) < 2')
  expect(exprOf({ ...few, metric: 'effectiveBits/layers.0' })).toBe(
    'tpu_toolkit_train_effective_bits{layer="layers.0"} < 2',
  )
})

test('NaN is neither above nor below, but nan', () => {
  const rule = { alert: 'A', metric: 'm', summary } as const
  expect(told({ ...rule, when: 'above' }, [Number.NaN])).toEqual([])
  expect(told({ ...rule, when: 'below' }, [Number.NaN])).toEqual([])
  expect(told({ ...rule, when: 'nan' }, [1, Number.NaN, 1])).toEqual(['on 10', 'off 20'])
})

test('a counter grows or stands within a time, once it has been seen twice', () => {
  const rule = { alert: 'A', metric: 'm', within: 20, summary } as const
  expect(told({ ...rule, when: 'grows' }, [1, 1, 2, 2, 2, 2])).toEqual(['on 20', 'off 40'])
  expect(told({ ...rule, when: 'stands' }, [1, 1, 2, 2, 2, 2])).toEqual(['on 10', 'off 20', 'on 40'])
})

test('a counter that was not seen within the time neither grows nor stands', () => {
  const rule = { alert: 'A', metric: 'm', within: 20, summary } as const
  expect(told({ ...rule, when: 'grows' }, [1, 2, 3], 21)).toEqual([])
  expect(told({ ...rule, when: 'stands' }, [1, 1, 1], 21)).toEqual([])
  expect(told({ ...rule, when: 'grows' }, [1, 2, 3], 20)).toEqual(['on 20'])
})

test('prometheusRules writes a rule file', () => {
  const rules: readonly AlertRule[] = [
    { alert: 'High', metric: 'loss', when: 'above', threshold: 10, for: 60, summary: 'The loss is "high"' },
    { alert: 'Strange', metric: 'nonFinite', when: 'grows', severity: 'critical', summary },
  ]
  expect(prometheusRules(rules)).toBe(`groups:
  - name: tpu-toolkit
    rules:
      - alert: High
        expr: "tpu_toolkit_train_loss > 10"
        for: 60s
        labels: { severity: warning }
        annotations: { summary: "The loss is \\"high\\"" }
      - alert: Strange
        expr: "increase(tpu_toolkit_train_nonfinite_total[300s]) > 0"
        for: 0s
        labels: { severity: critical }
        annotations: { summary: "what to do" }
`)
})

test.each<[Partial<Record<keyof AlertRule, unknown>>, string]>([
  [{ alert: 'two words' }, 'watchAlerts: the name of an alert is not one word [two words]'],
  [{ when: 'over' }, 'watchAlerts: unknown when, there are above, below, nan, grows, stands [over]'],
  [{ for: -1 }, 'watchAlerts: for is'],
  [{ threshhold: 1 } as never, 'watchAlerts, a rule: '],
])('watchAlerts refuses a rule with %o', (wrong, message) => {
  const rule = { alert: 'A', metric: 'm', when: 'above', summary, ...wrong } as AlertRule
  expect(() => watchAlerts([rule], () => undefined)).toThrow(message)
})

test('two alerts of one name are refused', () => {
  const [first] = defaultAlerts
  expect(() => prometheusRules([first!, first!])).toThrow(
    `prometheusRules: two alerts have one name [${first!.alert}]`,
  )
})
