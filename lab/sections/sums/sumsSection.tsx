import { allReduce, collectiveTraffic, type ReduceOrder } from 'tpu-toolkit/collectives'
import { exactSum } from 'tpu-toolkit/numerics'
import { key, normal } from 'tpu-toolkit/random'
import { sum as sumTensor, tensor } from 'tpu-toolkit/tensor'
import { Chart } from '../../parts/chart.js'
import { Choice, NumberField, Slider } from '../../parts/controls.js'
import { DataTable } from '../../parts/dataTable.js'
import type { SeriesColor } from '../../parts/drawChart.js'
import { ShowCode } from '../../parts/showCode.js'
import { numberFrom, oneOf, sectionState } from '../../shell/urlState.js'
import { additionsOf } from './additionsOf.js'

const orders = ['ring', 'tree', 'all-to-all'] as const satisfies readonly ReduceOrder[]
const dtypes = ['bfloat16', 'float16', 'float32', 'float8_e5m2'] as const
const hostCounts = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]
const sharedCounts = [2, 4, 8, 16, 32, 64]
const colors: Readonly<Record<ReduceOrder, SeriesColor>> = {
  ring: 'blue',
  tree: 'green',
  'all-to-all': 'red',
}

const state = sectionState('sums', {
  order: oneOf(orders, 'ring'),
  dtype: oneOf(dtypes, 'bfloat16'),
  accumulate: oneOf(['same', 'float32'] as const, 'same'),
  hosts: numberFrom(2, 64, 32, 1),
  seed: numberFrom(0, 1e6, 1, 1),
  step: numberFrom(0, 63, 63, 1),
})

/** The same gradients summed over machines: which additions there are, and the bits they end with. */
export function SumsSection() {
  const { order, dtype, hosts, step } = state
  const values = gradients(hosts.value)
  const accumulate = accumulator()
  const additions = additionsOf(values, order.value, accumulate)
  const shown = Math.min(step.value, additions.length)
  const exact = exactSum(values)
  const rows = orders.map((name) => {
    const sum = sumOf(values, name)
    const { steps, perLink } = collectiveTraffic({
      order: name,
      replicas: values.length,
      elements: 2 ** 20,
      dtype: dtype.value,
      accumulate,
    })
    return [
      name,
      String(sum.item()),
      `0x${sum.toBits()[0]!.toString(16)}`,
      (sum.item() - exact).toPrecision(3),
      String(steps),
      (perLink / 1e6).toFixed(2),
    ]
  })
  const bits = new Set(rows.map(([, , code]) => code)).size
  return (
    <>
      <div class="controls">
        <Slider label="machines" value={hosts} min={2} max={64} />
        <Choice label="dtype" value={dtype} names={dtypes} />
        <Choice
          label="additions round to"
          value={state.accumulate}
          names={['same', 'float32']}
          said={{ same: 'the dtype' }}
        />
        <NumberField label="seed of the numbers" value={state.seed} min={0} max={1e6} step={1} />
      </div>
      <p class="said" role="status">
        {bits === 1
          ? `All three orders end with the same bits here; the exact sum is ${short(exact)}.`
          : `The three orders end with ${bits} different sums; the exact one is ${short(exact)}.`}
      </p>
      <DataTable
        name="The sum in three orders"
        head={['order', 'sum', 'bits', 'off by', 'steps', 'MB on the busiest link, 2^20 elements']}
        rows={rows}
        marked={(row) => orders[row] === order.value}
      />
      <h2>One addition after the other</h2>
      <div class="controls">
        <Choice label="order" value={order} names={orders} />
        <Slider
          label="additions done"
          value={step}
          min={0}
          max={63}
          said={() => `${shown} of ${additions.length}`}
        />
      </div>
      <DataTable
        name="The additions"
        head={['addition', 'on machine', 'has', 'adds', 'rounded sum', 'lost in rounding']}
        rows={additions
          .slice(0, shown)
          .map(({ machine, left, right, sum }, i) => [
            String(i + 1),
            String(machine),
            short(left),
            short(right),
            short(sum),
            short(sum - (left + right)),
          ])}
        marked={(row) => row === shown - 1}
      />
      <h2>The sum by the number of machines</h2>
      <Chart
        xTitle="machines"
        yTitle="error of the sum"
        height={220}
        says="The error of the sum in the three orders by the number of machines."
        series={orders.map((name) => ({
          name,
          color: colors[name],
          dashed: name === 'tree',
          x: hostCounts,
          y: hostCounts.map((count) => {
            const some = gradients(count)
            return sumOf(some, name).item() - exactSum(some)
          }),
        }))}
      >
        Another number of machines is another order, and other bits: a run on 64 hosts does not repeat that on
        32.
      </Chart>
      <h2>The same 64 numbers on more machines</h2>
      <p>
        Each machine first adds its own share of them, one after the other; then the machines add what they
        have. The exact sum is {short(exactSum(gradients(64)))}.
      </p>
      <DataTable
        name="The same numbers by the number of machines"
        head={['machines', ...orders.flatMap((name) => [name, `bits, ${name}`])]}
        rows={sharedCounts.map((count) => {
          const own = shares(count)
          return [
            String(count),
            ...orders.flatMap((name) => {
              const sum = sumOf(own, name)
              return [String(sum.item()), `0x${sum.toBits()[0]!.toString(16)}`]
            }),
          ]
        })}
      />
      <ShowCode code={program(accumulate)} />
    </>
  )
}

/** What each machine holds: near 1, as gradients of one sign are where sums lose most. */
function gradients(hosts: number): number[] {
  const draws = normal(key(state.seed.value), 64)
  return [
    ...tensor(
      Array.from(draws.subarray(0, hosts), (x) => 1 + x / 4),
      { dtype: state.dtype.value },
    ).toNumbers(),
  ]
}

/** The 64 numbers, in equal shares that each machine has summed. */
function shares(hosts: number): number[] {
  const [all, share] = [gradients(64), 64 / hosts]
  return Array.from({ length: hosts }, (_, host) => {
    const own = tensor(all.slice(host * share, (host + 1) * share), { dtype: state.dtype.value })
    return sumTensor(own, { order: 'sequential', accumulate: accumulator() }).item()
  })
}

function sumOf(values: readonly number[], order: ReduceOrder) {
  const replicas = values.map((value) => tensor([value], { dtype: state.dtype.value }))
  return allReduce(replicas, { order, accumulate: accumulator() })
}

/** The dtype to which additions round. */
function accumulator() {
  const { dtype, accumulate } = state
  return accumulate.value === 'same' ? dtype.value : accumulate.value
}

function short(value: number): string {
  return String(Number(value.toPrecision(7)))
}

function program(accumulate: string): string {
  const { hosts, dtype, seed } = state
  return `import { allReduce } from 'tpu-toolkit/collectives'
import { key, normal } from 'tpu-toolkit/random'
import { tensor } from 'tpu-toolkit/tensor'

const draws = normal(key(${seed.value}), 64).subarray(0, ${hosts.value})
const machines = Array.from(draws, (x) => tensor([1 + x / 4], { dtype: '${dtype.value}' }))
for (const order of ['ring', 'tree', 'all-to-all'] as const) {
  const sum = allReduce(machines, { order, accumulate: '${accumulate}' })
  console.log(order, sum.item(), sum.toBits()[0]!.toString(16))
}
`
}
