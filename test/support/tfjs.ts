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

/** Where `npm run setup:tfjs-node` put it, or the folder of a project that has it. */
const folder = process.env['TPU_TOOLKIT_TFJS_NODE'] ?? `${root}.tfjs-node`
const require = createRequire(import.meta.url)

function load(from: NodeRequire, name: string): Tf | undefined {
  try {
    from.resolve(name)
  } catch {
    return undefined
  }
  // Found but broken is an error, not an absence.
  return from(name) as Tf
}

process.env['TF_CPP_MIN_LOG_LEVEL'] ??= '2'
const pure = require('@tensorflow/tfjs') as Tf
require('@tensorflow/tfjs-backend-wasm')
const native = load(createRequire(`${folder}/package.json`), '@tensorflow/tfjs-node')

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

/** The pure backends, and that of tfjs-node where it is set up. */
export const backends: readonly TfBackend[] = [
  backend('cpu', pure),
  backend('wasm', pure),
  ...(native ? [backend('tensorflow', native)] : []),
]

/** Which backends the tests run on, for the reader of their output. */
export const backendsLine: string = native
  ? `tfjs: the tests run on cpu, wasm, and tfjs-node ${native.version['tfjs-core']}`
  : 'tfjs: the tests run on cpu and wasm; not on tfjs-node, which `npm run setup:tfjs-node` sets up'
