import {
  adamw,
  applyGradients,
  applyUpdates,
  chain,
  clipByGlobalNorm,
  createOptimizer,
  type GradientTransformation,
  type Point,
  type State,
  zeroNans,
} from 'tpu-toolkit/optimizer'
import { seeded } from 'tpu-toolkit/random'
import { tensor } from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { askPeer, noPeer } from '../peers/askPeer.js'
import { measure, thorough } from '../speed/measure.js'
import { checkEqual, type Operation } from '../speed/operation.js'

// One AdamW step on 2^20 float32 parameters: `node build/benchmarks/optimizer/adamw.bench.js` after `npm run build`.
const n = 2 ** 20
const goals = { fused: 6, 'link by link': 24 }

const random = seeded('adamw.bench')
const draw = () => ({ w: tensor(Float32Array.from({ length: n }, () => random() - 0.5)) })

function stepOf(
  op: string,
  optimizer: GradientTransformation<readonly State[]>,
  step: (grads: ReturnType<typeof draw>, point: Point<readonly State[]>) => Point<readonly State[]>,
): Operation {
  return {
    op,
    n,
    prepare() {
      const [grads, params] = [draw(), draw()]
      const first: Point<readonly State[]> = { params, state: optimizer.init(params) }
      const [updates] = optimizer.update(grads, first.state, params)
      const expected = leavesOf(applyUpdates(params, updates))[0]!.data
      let point = first
      return {
        run: () => {
          point = step(grads, point)
        },
        check: () =>
          checkEqual(op, leavesOf(point.params)[0]!.data as Float32Array, (i) => Number(expected[i])),
      }
    },
  }
}

const plain = adamw({ learningRate: 1e-3 })
const usual = chain(clipByGlobalNorm(1), zeroNans(), adamw({ learningRate: 1e-3 }))
const own = createOptimizer({ lr: 1e-3, totalSteps: 1000, warmupSteps: 10, nRestarts: 4 })
const linkByLink =
  (optimizer: GradientTransformation<readonly State[]>) =>
  (grads: ReturnType<typeof draw>, { params, state }: Point<readonly State[]>): Point<readonly State[]> => {
    const [updates, next] = optimizer.update(grads, state, params)
    return { params: applyUpdates(params, updates), state: next }
  }

const operations = [
  stepOf('adamw, fused, donate', plain, (grads, point) =>
    applyGradients(plain, grads, point, { donate: true }),
  ),
  stepOf('adamw, fused', plain, (grads, point) => applyGradients(plain, grads, point)),
  stepOf('clip > zeroNans > adamw, fused, donate', usual, (grads, point) =>
    applyGradients(usual, grads, point, { donate: true }),
  ),
  stepOf('createOptimizer, fused, donate', own, (grads, point) =>
    applyGradients(own, grads, point, { donate: true }),
  ),
  stepOf('adamw, link by link', plain, linkByLink(plain)),
  stepOf('createOptimizer, link by link', own, linkByLink(own)),
]

console.log(
  `float32, n = ${n}, one thread, node ${process.version} ${process.arch}; ns/parameter, AdamW's goals: ` +
    Object.entries(goals)
      .map(([way, ns]) => `${ns} ${way}`)
      .join(', '),
)
for (const operation of operations) {
  const { op, median, min, spread, runs } = measure(operation, thorough)
  const share = (100 * spread).toFixed(0)
  console.log(
    `${op.padEnd(42)} ${median.toFixed(2)} (least ${min.toFixed(2)}, spread ${share} %, ${runs} runs)`,
  )
}
const peers = askPeer<{ name: string; ns: number }[]>('adamw', String(n))
if ('why' in peers) console.log(noPeer('optax or torch', peers.why))
else for (const { name, ns } of peers.value) console.log(`${name.padEnd(42)} ${ns.toFixed(2)}`)
