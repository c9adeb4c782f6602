import { createRequire } from 'node:module'
import { adam, applyGradients } from 'tpu-toolkit/optimizer'
import { tensor } from 'tpu-toolkit/tensor'
import { bindTfjs } from 'tpu-toolkit/tfjs'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Tf } from '../support/tfjs.js'

describe('bindTfjs(tfjs-core with a backend), without layers', () => {
  const require = createRequire(import.meta.url)
  const tf = require('@tensorflow/tfjs-core') as Tf
  require('@tensorflow/tfjs-backend-wasm')
  beforeAll(async () => {
    await tf.setBackend('wasm')
  })

  it('converts, and steps a variable as applyGradients does', () => {
    const { toTf, fromTf, tfOptimizer } = bindTfjs(tf)
    const start = tensor([1, -2, 3])
    const gradient = tensor([0.1, 0.2, -0.3])
    const variable = tf.variable(toTf(start), true, 'core/w')
    const optimizer = tfOptimizer(adam({ learningRate: 0.1 }))
    optimizer.applyGradients({ 'core/w': toTf(gradient) })
    const own = adam({ learningRate: 0.1 })
    const params = { w: start }
    const point = applyGradients(own, { w: gradient }, { params, state: own.init(params) })
    expect(fromTf(variable).toBits()).toEqual((point.params as typeof params).w.toBits())
  })
})
