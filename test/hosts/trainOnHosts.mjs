import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { every } from 'tpu-toolkit/checkpoint'
import { joinHosts } from 'tpu-toolkit/hosts'
import { adamw, applyGradients } from 'tpu-toolkit/optimizer'
import { arraySource, pipeline } from 'tpu-toolkit/pipeline'
import { foldIn, key, normal } from 'tpu-toolkit/random'
import { mean, mul, square, sub, sum, tensor } from 'tpu-toolkit/tensor'
import { train } from 'tpu-toolkit/train'

// A run on several hosts, as a test in this process and as a program: node trainOnHosts.mjs '{"coordinator": ...}'.

const optimizer = adamw({ learningRate: 0.01 })
const gradient = valueAndGrad((w, { x, y }) => mean(square(sub(sum(mul(x, w), { axis: 1 }), y))))
const records = Array.from({ length: 60 }, (_, i) => ({ x: normal(foldIn(key(6), i), 8), y: Math.sin(i) }))
const batches = pipeline(arraySource(records), { shuffle: true, seed: 3, epochs: 100 }).batch(12, {
  collate: (some) => ({ x: tensor(some.map(({ x }) => [...x])), y: tensor(some.map(({ y }) => y)) }),
})

/** Joins, trains, leaves. `killed` is the step in the midst of which this process ends itself. */
export async function trainOnHosts({ folder, steps, killed, pause = 0, onJoined, ...joining }) {
  const group = await joinHosts({ timeout: 60_000, ...joining })
  onJoined?.()
  try {
    return await train({
      init: (at) => {
        const params = tensor(normal(at, 8))
        return { params, state: optimizer.init(params) }
      },
      step: async ({ params, state }, batch, { step }) => {
        const [loss, own] = gradient(params, batch)
        if (step === killed) process.kill(process.pid, 'SIGKILL')
        if (pause > 0) await new Promise((done) => setTimeout(done, pause))
        const all = await group.allReduce({ loss, own }, { order: 'ring', op: 'mean' })
        return { ...applyGradients(optimizer, all.own, { params, state }), loss: all.loss }
      },
      ...{ data: batches, steps, hosts: group },
      checkpoint: { folder, every: 4, keep: [every(4)] },
    })
  } finally {
    await group.close()
  }
}

if (process.argv[1]?.endsWith('trainOnHosts.mjs')) {
  const options = JSON.parse(process.argv[2])
  const { ended, step } = await trainOnHosts({ ...options, onJoined: () => console.log('joined') })
  console.log(ended, step)
}
