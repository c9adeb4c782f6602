import { describe, expect, it } from 'vitest'
import { hasTfjsNode, runOnTfjsNode } from '../support/tfjs.js'

const said = hasTfjsNode
  ? 'tfjs: the tests run on cpu, wasm and tfjs-node'
  : 'tfjs: the tests run on cpu and wasm; not on tfjs-node, which `npm run setup:tfjs-node` sets up'
console.log(said)

// Where it is there, every other file of this folder runs once more in here, on its backend.
if (hasTfjsNode) {
  runOnTfjsNode()
  await import('./convert.test.js')
  await import('./optimizer.test.js')
  await import('./emulatePrecision.test.js')
  await import('./roundingCallback.test.js')
}

describe(said, () => {
  it('tfjs-node is set up where CI runs on Linux', () => {
    if (process.env['CI'] && process.platform === 'linux' && process.arch === 'x64') {
      expect(hasTfjsNode, 'run `npm run setup:tfjs-node` before the tests').toBe(true)
    }
  })
})
