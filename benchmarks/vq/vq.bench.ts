import { key, normal } from 'tpu-toolkit/random'
import { slice, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { assign, distances, kmeans, packCodes } from 'tpu-toolkit/vq'
import { askPeer, noPeer } from '../peers/askPeer.js'
import { measure, thorough } from '../speed/measure.js'
import { checkEqual, type Operation } from '../speed/operation.js'

// Codes of vectors, beside NumPy, scikit-learn and faiss: `node build/benchmarks/vq/vq.bench.js` after `npm run build`.
// Times are divided by vectors x codes x numbers of a vector: a multiply-add of the matrix product that they amount to.

const draw = (seed: number, n: number, d: number): Tensor<'float32'> =>
  tensor(normal(key(seed), n * d), { shape: [n, d] })

function assigning(n: number, k: number, d: number): Operation {
  const op = `assign, ${n} x ${d}, ${k} codes`
  return {
    op,
    n: n * k * d,
    prepare() {
      const [x, codebook] = [draw(0, n, d), draw(1, k, d)]
      let codes = assign(slice(x, [[0, 1]]), codebook).data
      return {
        run: () => {
          codes = assign(x, codebook).data
        },
        // The first rows against all distances, which no product in float32 has narrowed down.
        check: () => {
          const rows = Math.min(n, 200)
          const all = distances(slice(x, [[0, rows]]), codebook).toNumbers()
          checkEqual(op, codes.subarray(0, rows), (i) => {
            const row = all.subarray(i * k, (i + 1) * k)
            return row.indexOf(row.reduce((least, value) => Math.min(least, value)))
          })
        },
      }
    },
  }
}

function clustering(n: number, k: number, d: number): Operation {
  const [op, iterations] = [`kmeans, a step, ${n} x ${d}, ${k} codes`, 5]
  return {
    op,
    // The codes by the last centroids are one more comparison.
    n: n * k * d * (iterations + 1),
    prepare() {
      const x = draw(2, n, d)
      const init = slice(x, [[0, k]])
      let inertias: readonly number[] = []
      return {
        run: () => {
          inertias = kmeans(x, { init, iterations }).inertias
        },
        check: () => {
          if (
            inertias.length !== iterations ||
            inertias.some((value, i) => value > inertias[Math.max(0, i - 1)]!)
          ) {
            throw new Error(`${op}: inertia rises [${inertias.join(', ')}]`)
          }
        },
      }
    },
  }
}

function packing(n: number, bits: number): Operation {
  const op = `packCodes, ${n} codes of ${bits} bits`
  return {
    op,
    n,
    prepare() {
      const codes = Int32Array.from({ length: n }, (_, i) => i % 2 ** bits)
      let packed: Uint8Array = new Uint8Array(0)
      return {
        run: () => {
          packed = packCodes(codes, bits)
        },
        check: () => checkEqual(op, packed.subarray(0, 1), () => (0 | (1 << bits)) & 255),
      }
    },
  }
}

const operations = [
  assigning(100_000, 256, 64),
  assigning(100_000, 256, 8),
  assigning(100_000, 256, 2),
  clustering(20_000, 256, 64),
  packing(2 ** 20, 4),
  packing(2 ** 20, 10),
]

console.log(`one thread, node ${process.version} ${process.arch}; ns for a multiply-add, or for a code`)
for (const operation of operations) {
  const { op, median, min, spread, runs } = measure(operation, { ...thorough, fewest: 5 })
  const share = (100 * spread).toFixed(0)
  console.log(
    `${op.padEnd(46)} ${median.toFixed(3)} (least ${min.toFixed(3)}, spread ${share} %, ${runs} runs)`,
  )
}
const peers = askPeer<{ name: string; ns: number }[]>('vq')
if ('why' in peers) console.log(noPeer('NumPy, scikit-learn or faiss', peers.why))
else for (const { name, ns } of peers.value) console.log(`${name.padEnd(46)} ${ns.toFixed(3)}`)
