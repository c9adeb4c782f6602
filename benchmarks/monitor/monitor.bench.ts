import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { softmaxCrossEntropyWithIntegerLabels } from 'tpu-toolkit/losses'
import { healthOf, jsonLines, monitor } from 'tpu-toolkit/monitor'
import * as nn from 'tpu-toolkit/nn'
import { adamw, makeTrainStep } from 'tpu-toolkit/optimizer'
import { profile } from 'tpu-toolkit/profile'
import { key, normal, randint } from 'tpu-toolkit/random'
import { cast, mean, type Tensor, tensor } from 'tpu-toolkit/tensor'
import type { Treelike } from 'tpu-toolkit/tree'
import { decoder, precisions } from '../gpt/decoder.js'

// npm run bench:monitor -- [--rounds 7]
//
// What watching a run costs: `monitor` at its default settings (a look at the parameters every 50 steps, memory, alerts) with a file of
// JSON lines, as a share of the step: of two thousand records in a row, once the engine has compiled what takes them, the file's writes
// and the garbage included; and `profile` without lines, whose runs are steps, beside steps that nobody measures. Steps that are watched,
// measured and left alone take turns in one process; said is the median of the rounds.

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } })
const rounds = Number(values.rounds)

/** A step of training that can be made again and again. */
interface Subject {
  readonly name: string
  /** Steps in a round: one look of the monitor falls to 50. */
  readonly steps: number
  readonly step: () => Made
}

/** What a step made, of what. */
interface Made {
  readonly point: { readonly params: Treelike }
  readonly before: { readonly params: Treelike }
  readonly loss: Tensor
}

function mlp(width: number, batch: number): Subject {
  const model = nn.sequential([
    nn.linear({ inputs: 64, outputs: width }),
    nn.linear({ inputs: width, outputs: width }),
    nn.linear({ inputs: width, outputs: 10 }),
  ])
  const x = tensor(normal(key(1), batch * 64), { shape: [batch, 64] })
  const labels = tensor(Array.from(randint(key(2), batch, { minval: 0, maxval: 10 })), { dtype: 'int32' })
  const loss = (params: nn.ParametersOf<typeof model>): Tensor =>
    mean(softmaxCrossEntropyWithIntegerLabels(model.apply(params, x), labels))
  return subject(`MLP 64-${width}-${width}-10, batch ${batch}`, 50, model.init(key(0)), loss)
}

function gpt(): Subject {
  const model = decoder(precisions[2]!)
  const draw = (seed: number): Tensor<'int32'> =>
    tensor(Array.from(randint(key(seed), 8 * 128, { minval: 0, maxval: 128 })), {
      ...{ shape: [8, 128], dtype: 'int32' },
    })
  const [tokens, next] = [draw(1), draw(2)]
  const loss = (params: nn.ParametersOf<typeof model>): Tensor =>
    mean(softmaxCrossEntropyWithIntegerLabels(cast(model.apply(params, tokens), 'float32'), next))
  return subject('decoder of bench:gpt, read as bfloat16', 5, model.init(key(0)), loss)
}

function subject<P extends Treelike>(
  name: string,
  steps: number,
  params: P,
  loss: (params: P) => Tensor,
): Subject {
  const rule = adamw({ learningRate: 1e-3 })
  const step = makeTrainStep(compile(valueAndGrad(loss)), rule)
  let point = { params, state: rule.init(params as object) }
  return {
    name,
    steps,
    step: () => {
      const before = point
      const next = step(point)
      point = next
      return { point, before, loss: next.loss }
    },
  }
}

const median = (all: readonly number[]): number => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)]!
const percent = (part: number): string => `${(100 * part).toFixed(2)} %`
const folder = mkdtempSync(join(tmpdir(), 'bench-monitor-'))

for (const { name, steps, step } of [mlp(64, 32), mlp(256, 64), gpt()]) {
  const sinks = [jsonLines(join(folder, 'run.jsonl'))]
  // Looks are measured apart: how many there are is a matter of their budget.
  const watched = monitor({ sinks, every: 0, onAlert: () => undefined })
  for (let i = 0; i < 3; i++) step()
  const bare: number[] = []
  const watching: number[] = []
  const looks: number[] = []
  const profiled: number[] = []
  let made = 0
  let { point, before, loss } = step()
  // A run looks hundreds of times: what the first looks take, before the engine has compiled them, is no measure.
  for (let i = 0; i < 30; i++) healthOf({ params: point.params, before: before.params })
  for (let round = 0; round < rounds; round++) {
    const own: number[] = []
    for (let i = 0; i < steps; i++) {
      const began = performance.now()
      step()
      own.push(performance.now() - began)
    }
    bare.push(median(own))
    ;({ point, before, loss } = step())
    const first = loss.item()
    const records = round === 0 ? 20_000 : 2000
    const start = performance.now()
    for (let i = 0; i < records; i++) {
      // Numbers with all their digits, as times and losses have them.
      const part = 1 + ++made / 7e6
      const seconds = { step: own[i % steps]! / 1000, data: 0.0001 * part }
      watched.onStep({ step: made, metrics: { loss: first * part }, point, before, seconds })
    }
    const spent = performance.now() - start
    const began = performance.now()
    healthOf({ params: point.params, before: before.params })
    looks.push(performance.now() - began)
    // In milliseconds, each; the first round is what the engine compiles in.
    if (round > 0 || rounds === 1) watching.push(spent / records)
    profiled.push(median(profile(step, { runs: steps, lines: false }).runs) / 1000)
  }
  await watched.onEnd()
  const [own, each, look, told] = [bare, watching, looks, profiled].map(median) as [
    number,
    number,
    number,
    number,
  ]
  // Ratios round by round: neighbours in time.
  const profiling = median(profiled.map((time, i) => time / bare[i]! - 1))
  console.log(`${name}: ${own.toFixed(3)} ms a step`)
  const looking = look / 50 / own
  console.log(
    `  monitor: ${Math.round(each * 1e6)} ns a step, ${percent(each / own)}; a look ${Math.round(look * 1e6)} ns, every 50 steps ${percent(looking)}, of which it allows itself 0.5 %`,
  )
  console.log(`  profile: ${Math.round((told - own) * 1e6)} ns a step: ${percent(profiling)}`)
}
rmSync(folder, { recursive: true })
