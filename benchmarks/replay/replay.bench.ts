import { ReplayBuffer } from 'tpu-toolkit/replay'
import { askPeer, noPeer } from '../peers/askPeer.js'

// What a replay buffer's calls cost: `npm run bench:replay`. Microseconds a call, least and median of many; beside them
// copies of the same bytes in the same run, and the buffers of a Python named in TPU_TOOLKIT_PYTHON.

const batchSize = 256

/** Microseconds of single runs: least and median, after a warm-up. */
function timed(runs: number, run: () => void): { min: number; median: number } {
  for (let i = 0; i < runs; i++) run()
  const times = Array.from({ length: runs }, () => {
    const begin = process.hrtime.bigint()
    run()
    return Number(process.hrtime.bigint() - begin) / 1e3
  }).sort((a, b) => a - b)
  return { min: times[0]!, median: times[runs >> 1]! }
}

const medians = new Map<string, number>()

function tell(name: string, { min, median }: { min: number; median: number }, note = ''): void {
  medians.set(name, median)
  console.log(`${name.padEnd(58)} ${min.toFixed(2).padStart(9)} ${median.toFixed(2).padStart(9)}  ${note}`)
}

const ratio = (of: string, to: string): string =>
  `${(medians.get(of)! / medians.get(to)!).toFixed(2)} x ${to}`

/** 100,000 transitions of 208 + 5 + 1 + 208 = 422 float32. */
function wide(): void {
  const [rows, obsDim, actionDim, width] = [100_000, 208, 5, 422]
  const buffer = new ReplayBuffer({ capacity: rows, obsDim, actionDim })
  const obs = new Float32Array(obsDim)
  const action = new Float32Array(actionDim)
  for (let k = 0; k < rows; k++) {
    buffer.add({ obs: obs.fill(k), action, reward: 0, nextObs: obs, terminated: false })
  }
  const out = buffer.sample(batchSize)
  out.obs.forEach((x, i) => {
    if (x !== out.indices[Math.floor(i / obsDim)]) throw new Error(`sample: wrong row [${x}]`)
  })

  const flat = new Float32Array(rows * width).fill(1)
  const copy = new Float32Array(batchSize * width)
  // Rows as random as a sample's, drawn beforehand.
  const drawn = Array.from({ length: 97 }, () => buffer.sample(batchSize).indices)
  let turn = 0
  const row = `copy 256 rows of 422, one set() each`
  const block = `copy 256 rows of 422 that lie side by side`
  tell(
    block,
    timed(1000, () => {
      const begin = Math.min(drawn[turn++ % 97]![0]!, rows - batchSize) * width
      copy.set(flat.subarray(begin, begin + copy.length))
    }),
  )
  tell(
    row,
    timed(1000, () => {
      const indices = drawn[turn++ % 97]!
      for (let i = 0; i < batchSize; i++) {
        const begin = indices[i]! * width
        copy.set(flat.subarray(begin, begin + width), i * width)
      }
    }),
  )
  const name = 'sample 256 of 100,000 x 422'
  tell(
    `${name}, into out`,
    timed(1000, () => buffer.sample(batchSize, { out })),
  )
  console.log(
    `${''.padEnd(58)} ${ratio(`${name}, into out`, row)} (goal 2), ${ratio(`${name}, into out`, block)}`,
  )
  tell(
    name,
    timed(1000, () => buffer.sample(batchSize)),
  )
}

/** Rows of 3 + 1 + 1 + 3 = 8 float32. */
function narrow(rows: number, prioritized: boolean): void {
  const kind = prioritized ? 'prioritized ' : ''
  const buffer = new ReplayBuffer({
    capacity: rows,
    obsDim: 3,
    actionDim: 1,
    ...(prioritized && { prioritized }),
  })
  const obs = new Float32Array(3)
  const row = { obs, action: 0, reward: 1, nextObs: obs, terminated: false }
  const adds = timed(40, () => {
    for (let k = 0; k < 50_000; k++) buffer.add(row)
  })
  const perAdd = { min: adds.min / 50_000, median: adds.median / 50_000 }
  tell(
    `${kind}add, 8 float32`,
    perAdd,
    `${(1 / perAdd.median).toFixed(2)} M rows/s (goal 1 without priorities)`,
  )
  const n = 1000
  const batch = {
    obs: new Float32Array(3 * n),
    nextObs: new Float32Array(3 * n),
    action: new Float32Array(n),
    reward: new Float32Array(n),
    terminated: new Uint8Array(n),
  }
  const many = timed(2000, () => buffer.addBatch(batch))
  tell(`${kind}addBatch, 1000 rows of 8`, many, `${(n / many.median).toFixed(2)} M rows/s`)
  const out = buffer.sample(batchSize)
  if (prioritized) {
    const priorities = Float32Array.from({ length: batchSize }, (_, i) => 0.1 + ((i * 37) % 101) / 50)
    for (let k = 0; k < 3000; k++) {
      buffer.updatePriorities(buffer.sample(batchSize, { out }).indices, priorities)
    }
    tell(
      'updatePriorities, 256 of 10^6',
      timed(2000, () => buffer.updatePriorities(out.indices, priorities)),
    )
  }
  tell(
    `${kind}sample 256 of 10^6 x 8, into out`,
    timed(3000, () => buffer.sample(batchSize, { out })),
    prioritized ? 'goal 100' : '',
  )
}

console.log(
  `node ${process.version} ${process.arch}, one thread; microseconds a call ${'least'.padStart(10)} ${'median'.padStart(9)}`,
)
wide()
narrow(1_000_000, false)
narrow(1_000_000, true)
const peers = askPeer<{ name: string; of: string; min: number; median: number }[]>('replay')
if ('why' in peers) console.log(noPeer('numpy, and cpprb', peers.why))
for (const { name, of, min, median } of 'value' in peers ? peers.value : []) {
  const own = medians.get(of)
  tell(name, { min, median }, own === undefined ? '' : `this is ${(own / median).toFixed(2)} of it`)
}
