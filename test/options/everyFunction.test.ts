import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromNumber, matmulArrays } from 'tpu-toolkit/bf16'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { matmulFloat32, matmulFloat64, matmulInt32 } from '#simd'
import { doors } from '../../scripts/doors.js'
import { uncheckedFunctions } from '../../scripts/uncheckedFunctions.js'
import { families } from '../support/importTable.js'

// As a user's program loads them, built: through vitest the sources of all doors take half a minute.
const require = createRequire(import.meta.url)

/** Doors left out: the checker itself; kernels on plain arrays and numbers. */
const leftOut = new Set(['options', 'simd', 'functions', 'bf16'])

/** Functions that run, for long or with this process's own screen, when they are called with nothing or with no known option. */
const running = new Set([
  ...['runDrift', 'runErrors', 'runKernels', 'runStep2750', 'ablate', 'waitForLock'],
  ...['processTerminal', 'progressBar', 'runInThread', 'runThread'],
])

const formatArrays = [...families['formats']!].sort().join(' ')

/** Functions that make something of no arguments at all; those that need one say so. */
const fromNothing: Readonly<Record<string, string>> = {
  nca: 'trainedFlower',
  env: 'cartPole',
  data: 'sp500',
  nn: 'glorotNormal glorotUniform heNormal heUniform lecunNormal lecunUniform normalWeights orthogonal truncatedNormalWeights uniformWeights',
  text: 'readable',
  roofline: 'calibrate defaultCalibration routingEfficiency servingShares',
  formats: formatArrays,
  tensor: 'canonicalizeNaN currentTimer entryOf holds isFloat isInteger isWatched noRows opName wideDType',
  p3109: 'p3109Types',
  onnx: 'onnxOperators',
  files: 'packageVersion',
  storage: 'dynamicMap',
  tree: 'isLeaf',
  autodiff: 'exceptionRule graphOf record',
  compile: 'recordedPrograms',
  precision: 'dtypeArithmetic realArithmetic realOf',
  pipeline: 'BaseTransform',
  kernels: 'causalMask fullMask windowMask',
  step2750: 'step2750Options',
  monitor: 'grafanaDashboard monitor prometheusRules serveMetrics',
  profile: 'measureRoofline',
  train: 'showProgress stopAtNonFinite',
  sweep: 'grid',
  optimizer: 'umup',
  plan: 'claims',
}

/** What a wrong argument is: nothing, of another kind, a record with a name that nobody knows. */
const wrongs: readonly (readonly unknown[])[] = [
  [],
  [undefined],
  [null],
  [3],
  ['banana'],
  [{}],
  [{ banana: 1 }],
  [[]],
  [() => 0],
  [3, 3, 3],
  [null, null, null],
  [{}, {}, {}],
]

/** `op: what is wrong [value]`; not the engine's own words, nor those of Node. */
// A parser shows the source line below.
const ours = /^[^:]*: .* \[.*\](\n.*)?$/s
const engine = /^Cannot |is not iterable|is not a function$|is not a constructor$|The "|circular structure/

async function outcome(f: (...args: unknown[]) => unknown, args: readonly unknown[]): Promise<unknown> {
  try {
    const isClass = /^class\b/.test(Function.prototype.toString.call(f))
    return await (isClass ? Reflect.construct(f, args) : f(...args))
  } catch (error) {
    return error
  }
}

/** Transformations of gradients may have defaults for all that they take. */
const isTransformation = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'init' in result && 'update' in result

/** Whether an answer is not in our words; a file that is not there is Node's to say, with its code, and a command has its own. */
const wrongWords = (result: unknown): result is Error =>
  result instanceof Error &&
  !('code' in result && result.code === 'ENOENT') &&
  result.constructor.name !== 'BadInput' &&
  (engine.test(result.message) || !ours.test(result.message))

describe('every function of every door', () => {
  const here = process.cwd()
  const folder = mkdtempSync(join(tmpdir(), 'every-function-'))
  beforeAll(() => process.chdir(folder))
  afterAll(() => {
    process.chdir(here)
    rmSync(folder, { recursive: true })
  })

  it.each(doors.map((door) => door.folder).filter((door) => !leftOut.has(door)))(
    '%s: a wrong first argument, and none, is answered in our own words',
    async (door) => {
      const names: Readonly<Record<string, unknown>> = require(`tpu-toolkit/${door}`)
      const exempt = new Set(uncheckedFunctions[door]?.split(' '))
      const said: string[] = []
      const silent: string[] = []
      for (const [name, f] of Object.entries(names)) {
        if (typeof f !== 'function' || exempt.has(name) || running.has(name)) continue
        for (const args of wrongs) {
          const result = await outcome(f as (...args: unknown[]) => unknown, args)
          if (args.length === 0 && !(result instanceof Error) && !isTransformation(result)) silent.push(name)
          if (wrongWords(result)) said.push(`${name}(${args.map(String).join(', ')}): ${result.message}`)
        }
      }
      expect(said).toEqual([])
      expect(silent.join(' ')).toEqual(fromNothing[door] ?? '')
    },
  )
})

describe('options of bf16 and simd, whose other arguments are codes and arrays', () => {
  const [codes, singles, doubles] = [new Uint16Array(1), new Float32Array(1), new Float64Array(1)]
  const integers = new Int32Array(1)
  const takers: readonly (readonly [string, (options: never) => unknown])[] = [
    ['fromNumber', (options) => fromNumber(1, options)],
    ['matmulArrays', (options) => matmulArrays(codes, codes, options)],
    ['matmulFloat32', (options) => matmulFloat32(singles, singles, options)],
    ['matmulFloat64', (options) => matmulFloat64(doubles, doubles, options)],
    ['matmulInt32', (options) => matmulInt32(integers, integers, options)],
  ]
  it.each(takers)('%s refuses a name that it does not know, and what is no record', (_, call) => {
    expect(() => call({ m: 1, k: 1, n: 1, banana: 1 } as never)).toThrow(
      /: unknown option, .*\[(banana|m)\]$/,
    )
    for (const wrong of [0.5, null, [1]]) {
      expect(() => call(wrong as never)).toThrow(/: options are not an object/)
    }
  })
})
