import { drawData, runStep2750, step2750Options } from 'tpu-toolkit/step2750'
import { noPeer } from '../peers/askPeer.js'
import { numpyStep2750 } from './numpyStep2750.js'

// The step-2750 experiment to its NaN, forward, backward and AdamW: `node build/benchmarks/step2750/step2750.bench.js`
// after `npm run build`. Beside it the same run of a NumPy program, which must give the same losses.
const options = step2750Options()
const data = drawData(options)

function timed(): { seconds: number; steps: number; bits: string[]; first: number | null } {
  const began = performance.now()
  const { loss, stepsRun, firstNonFiniteStep } = runStep2750({}, { data })
  const seconds = (performance.now() - began) / 1000
  const words = new Uint32Array(loss.slice().buffer)
  const bits = Array.from(words, (word) => word.toString(16).padStart(8, '0'))
  return { seconds, steps: stepsRun, bits, first: firstNonFiniteStep }
}

const line = (name: string, seconds: number, steps: number, first: number | null): string => {
  const each = (1000 * seconds) / steps
  return `${name.padEnd(42)} ${seconds.toFixed(2)} s to step ${steps}, ${each.toFixed(3)} ms a step, 5,000 steps ${(5 * each).toFixed(1)} s, first NaN ${first}`
}

console.log(
  `L = ${options.length}, ${options.dtype}, ${options.form}, one thread, node ${process.version} ${process.arch}`,
)
// The second run is the warm one.
timed()
const own = timed()
console.log(line('tensor operations and their tape', own.seconds, own.steps, own.first))
const answer = numpyStep2750(data, options.lr)
if ('why' in answer) {
  console.log(noPeer('numpy and ml_dtypes', answer.why))
} else {
  const peer = answer.value
  console.log(line('NumPy and ml_dtypes, vectorised', peer.seconds, peer.steps, peer.firstNonFiniteStep))
  // Losses that are NaN differ in their payload only.
  const unlike = own.bits.findIndex((word, i) => word !== peer.lossBits[i] && i + 1 !== own.first)
  if (unlike >= 0 || own.steps !== peer.steps || own.first !== peer.firstNonFiniteStep) {
    console.log(`the two runs differ from step ${unlike + 1} on`)
    process.exitCode = 1
  } else {
    console.log(
      `the same loss, bit for bit, at every step; ${(peer.seconds / own.seconds).toFixed(2)} times NumPy's speed`,
    )
  }
}
