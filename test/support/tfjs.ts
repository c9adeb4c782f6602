import { createRequire } from 'node:module'
import { root } from './project.js'

/** The namespace of TensorFlow.js, of whatever package. */
export type Tf = typeof import('@tensorflow/tfjs')

/** One way in which tfjs computes. Its tests call `use` first. */
export interface TfBackend {
  readonly name: 'cpu' | 'wasm' | 'tensorflow'
  readonly tf: Tf
  use(): Promise<void>
}

/** Where `npm run setup:tfjs-node` puts tfjs-node, or the folder of a project that has it. */
const folder = process.env['TPU_TOOLKIT_TFJS_NODE'] ?? `${root}.tfjs-node`
const require = createRequire(import.meta.url)
const requireThere = createRequire(`${folder}/package.json`)
let natively = false

/** Whether tfjs-node is set up. */
export const hasTfjsNode: boolean = (() => {
  try {
    return requireThere.resolve('@tensorflow/tfjs-node') !== ''
  } catch {
    return false
  }
})()

/** From here on `tfBackends` gives that of tfjs-node. Two tfjs in one process would share one engine and collide. */
export function runOnTfjsNode(): void {
  natively = true
}

/** The backends that the tests of this file run on: the pure ones, unless `runOnTfjsNode` was called before. */
export function tfBackends(): readonly TfBackend[] {
  process.env['TF_CPP_MIN_LOG_LEVEL'] ??= '2'
  if (natively) return [backend('tensorflow', requireThere('@tensorflow/tfjs-node') as Tf)]
  const tf = require('@tensorflow/tfjs') as Tf
  // Else tfjs advertises tfjs-node.
  tf.enableProdMode()
  require('@tensorflow/tfjs-backend-wasm')
  return [backend('cpu', tf), backend('wasm', tf)]
}

function backend(name: TfBackend['name'], tf: Tf): TfBackend {
  return {
    name,
    tf,
    async use() {
      if (!(await tf.setBackend(name))) throw new Error(`tfjs: the backend does not start [${name}]`)
      await tf.ready()
    },
  }
}
