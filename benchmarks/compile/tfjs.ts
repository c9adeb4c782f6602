import { createRequire } from 'node:module'
import type * as Tfjs from '@tensorflow/tfjs'
import { type Budget, measure } from '../speed/measure.js'
import { mlpBatchOf, mlpParameters } from './models.js'
import type { PeerTime } from './peers.js'

const require = createRequire(import.meta.url)

/** The packages of tfjs that are installed, the fastest first. */
function library(): { readonly name: string; readonly tf: typeof Tfjs } | undefined {
  for (const name of ['@tensorflow/tfjs-node', '@tensorflow/tfjs']) {
    try {
      return { name: name.replace('@tensorflow/', ''), tf: require(name) as typeof Tfjs }
    } catch {
      // Not installed.
    }
  }
  return undefined
}

/** tfjs' time for a program: it has float32 alone, so for the gradient of the network in it; none for others. */
export async function tfjsTimes(program: string, n: number, budget: Budget): Promise<readonly PeerTime[]> {
  if (program !== 'mlp gradient float32') return []
  const found = library()
  if (!found) return []
  const { name, tf } = found
  await tf.ready()
  const params = Object.entries(mlpParameters('float32')).map(([key, { data, shape }]) =>
    tf.variable(tf.tensor(data as Float32Array, [...shape]), true, `bench/${key}`),
  )
  const [x, labels] = mlpBatchOf('float32').map(({ data, shape }) =>
    tf.tensor(data as Float32Array, [...shape]),
  )
  const loss = (): Tfjs.Scalar => {
    const layer = (h: Tfjs.Tensor, i: number): Tfjs.Tensor =>
      tf.add(tf.matMul(h, params[2 * i]!), params[2 * i + 1]!)
    const logits = layer(tf.relu(layer(tf.relu(layer(x!, 0)), 1)), 2)
    return tf.losses.softmaxCrossEntropy(labels!, logits)
  }
  const run = (): void => {
    tf.tidy(() => {
      const { value, grads } = tf.variableGrads(loss)
      for (const each of [value, ...Object.values(grads)]) each.dataSync()
    })
  }
  const { min } = measure({ op: name, n, prepare: () => ({ run, check: () => undefined }) }, budget)
  tf.disposeVariables()
  return [{ name: `${name} ${tf.getBackend()}`, time: min }]
}
