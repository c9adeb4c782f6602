import { failures, plan, precision, step2750, sum, tensor } from 'tpu-toolkit'
import { runDrift } from 'tpu-toolkit/drift'
import { modelNamed } from 'tpu-toolkit/model'

/** A little of every experiment, as text with its bits: run in Node and in a page. */
export function experimentsWork(): string {
  const options = { steps: 8, length: 16, lr: 1 }
  const data = step2750.drawData(step2750.step2750Options(options))
  const { loss, explanation } = step2750.runStep2750(options, { data })
  const x = tensor([256, 1, 1], { dtype: 'bfloat16' })
  return JSON.stringify({
    loss: [...new Uint32Array(loss.buffer, 0, loss.length)],
    explanation: explanation.text,
    failure: failures.onesStall.run({}).verdict,
    drift: runDrift({ ops: ['cumsum'], lengths: [64] }).ops.map(({ rows }) => rows),
    // Where it was written has another name in a bundle.
    doctor: precision
      .shadow((values: typeof x) => sum(values), x)
      .report()
      .replaceAll(/ at \S+:\d+:\d+/g, ''),
    plan: plan.lint(plan.tpuConfig({ version: 'v5e', chips: 8 }), modelNamed('llama2-7b')),
  })
}
