import {
  arange,
  blocks,
  env,
  eye,
  formats,
  kernels,
  nca,
  nn,
  ones,
  optimizer,
  type Tensor,
  tensor,
  tree,
  vq,
} from 'tpu-toolkit'
import { hostRows } from 'tpu-toolkit/checkpoint'
import { compile, evaluate, leaf } from 'tpu-toolkit/compile'
import { architectureOf, attentionPairs, estimateMemory, rematText } from 'tpu-toolkit/model'
import { drift } from 'tpu-toolkit/numerics'
import { decodeP3109, p3109Type } from 'tpu-toolkit/p3109'
import { significance, significantBits } from 'tpu-toolkit/precision'
import { bernoulli, categorical, key, normal, split } from 'tpu-toolkit/random'
import { recipe, recipeRow, recipeSizes, resultsOf } from 'tpu-toolkit/recipes'
import * as rl from 'tpu-toolkit/rl'
import { calibrate } from 'tpu-toolkit/roofline'
import { mesh, shardBatch, shardShape, shardTrainState, strategyDiagram } from 'tpu-toolkit/sharding'
import { droppedRoundings, programOf } from 'tpu-toolkit/stablehlo'
import { toBlockwise } from 'tpu-toolkit/storage'
import { flopsOf, ops, pad, roll, scatterAdd } from 'tpu-toolkit/tensor'
import { train } from 'tpu-toolkit/train'
import { describe, expect, it } from 'vitest'

// Calls that once had the engine's own words, gave NaN, or took all memory.
const any = (value: unknown): never => value as never

const grid = mesh({ shape: [2, 2], axisNames: ['x', 'y'] })
const sgd = optimizer.sgd({ learningRate: 1 })
const noReport = blocks.joinReports([])

const calls: readonly (readonly [says: string, call: () => unknown])[] = [
  ['mergeMoments: moments has no count', () => rl.mergeMoments(any({}), [1])],
  ['mergeMoments: count is not', () => rl.mergeMoments(any({ count: 'a', mean: [1], variance: [1] }), [1])],
  [
    'mergeMoments: mean is not an array',
    () => rl.mergeMoments(any({ count: 1, mean: 1, variance: [1] }), [1]),
  ],
  ['runningMoments: columns is not', () => rl.runningMoments(2 ** 40)],
  ['hostRows: a length is not', () => hostRows(any(['a']), 0, 1)],
  ['hostRows: host is not', () => hostRows([5], Number.NaN, 2)],
  ['mesh: shape is not an array of sizes', () => mesh({ shape: any(''), axisNames: ['x'] })],
  ['linear: weight is not a function', () => nn.linear({ inputs: 2, outputs: 2, weight: any({}) })],
  ['compile: donate is not a whole number', () => compile((x) => x, { donate: any({}) })],
  ['compile: static is not a whole number', () => compile((x) => x, { static: any({}) })],
  ['towers: hidden is not an array', () => rl.towers({ inputs: 2, actions: 2, hidden: any({}) })],
  ['towers: a width of hidden is not', () => rl.towers({ inputs: 2, actions: 2, hidden: any(['a']) })],
  ['ncaStep: params are not', () => nca.ncaStep(any({ w1: 1, b1: 1, w2: 1, b2: 1 }), ones([2, 2, 16]))],
  ['tradingEnv: series has no', () => env.tradingEnv({ series: any({ open: [1, 2] }) })],
  ['mapTree: f is not a function', () => tree.mapTree(any(3), [tensor(1)])],
  ['foldTree: f is not a function', () => tree.foldTree(any(3), 0, [tensor(1)])],
  ['treeFromPaths: path is not a text', () => tree.treeFromPaths(any([{ path: 1, leaf: 2 }]))],
  ['roll: not a tensor', () => roll(any(3), 1)],
  ['pad: a width is neither', () => pad(tensor([1]), any([null]))],
  ['scatterAdd: not a tensor', () => scatterAdd(any(3), [0], tensor([1]))],
  ['scatterAdd: indices is not an array', () => scatterAdd(tensor([1]), any(3), tensor([1]))],
  ['arange: more than', () => arange(0, 2 ** 40)],
  ['padRows: not whole rows', () => blocks.padRows(new Float32Array(3), 2 ** 31 + 1, 2)],
  ['survey: pieces is not a function', () => blocks.survey(any({ name: 'w', shape: [1], pieces: 3 }))],
  ['codebookUsage: k is not', () => vq.codebookUsage([0], 2 ** 40)],
  ['seedState: more than', () => nca.seedState({ shape: [2 ** 20, 2 ** 20], channels: 16 })],
  [
    'blockMapSvg: columns is not',
    () =>
      kernels.blockMapSvg({
        ...kernels.blockMap(kernels.causalMask(), { tq: 512, tk: 512 }),
        columns: 2 ** 40,
      }),
  ],
  ['normal: n is not an integer', () => normal(key(0), 2 ** 40)],
  [
    'shardShape: the first argument is not a mesh',
    () => shardShape(any({ ...grid, shape: 'x' }), ['x'], [4]),
  ],
  [
    'shardShape: the first argument is not a mesh',
    () => shardShape(any({ ...grid, axisNames: [3] }), ['x'], [4]),
  ],
  [
    'strategyDiagram: parameters is not an array',
    () => strategyDiagram(any({ mesh: grid, parameters: null })),
  ],
  ['shardBatch: axes is not an array', () => shardBatch(grid, [4, 2], { axes: any(null) })],
  ['mesh: the number of devices is not', () => mesh({ shape: [2, 2 ** 31], axisNames: ['x', 'y'] })],
  ['programOf: functions of the module are not a Map', () => programOf(any({ functions: {} }))],
  [
    'reportPieces: a way has no quantizer',
    () => blocks.reportPieces(any({ pieces: () => [] }), [any({})], 1),
  ],
  ['joinReports: rms is not a number', () => blocks.joinReports([any({ ...noReport, rms: 3n })])],
  [
    'quantizeBlocks: blockSize is no whole number',
    () => blocks.quantize(ones([2]), { element: 'float4_e2m1fn', blockSize: 2 ** 40 }),
  ],
  ['normal: more than 2^29 elements', () => normal(key(0), 2 ** 31)],
  ['bernoulli: more than 2^29 elements', () => bernoulli(key(0), 2 ** 31)],
  ['categorical: a logit is not a number', () => categorical(key(0), any([0, 3n]), 4)],
  ['split: not a key', () => split(any({ data: [0, 3n] }))],
  ['ulp: value is not a number', () => formats.ulp(any(3n), 'bfloat16')],
  ['encode: value is not a number', () => formats.encode(any(3n), 'bfloat16')],
  ['fireMasks: shape is not an array', () => nca.fireMasks(key(0), { steps: 2, shape: any(3) })],
  ['eye: the number of elements', () => eye(2 ** 31, { columns: 3 })],
  ['evaluate: an expression is neither', () => evaluate([any(null)])],
  ['evaluate: storage is not a Float32Array of 2', () => evaluate([leaf(tensor([1, 2]))], [any('a')])],
  [
    'applyGradients: links of the optimizer is not an array',
    () =>
      optimizer.applyGradients(
        any({ ...sgd, fusion: { kind: 'chain', links: 3 } }),
        [tensor(1)],
        any({ params: [tensor(1)], state: [{}] }),
      ),
  ],
  ['significance: a sample is not a number', () => significance(any([1, 3n]))],
  [
    'fitScaler: values is not an array',
    () => env.fitScaler(any({ names: ['a'], firstRow: 0, values: undefined }), { to: 2 }),
  ],
  ['decodeP3109: nan of the type is not', () => decodeP3109(1, { ...p3109Type(8, 4), nan: any(false) })],
  ['tensor: not a number', () => tensor(any([null]))],
  ['architectureOf: D is not a whole number', () => architectureOf(any({ family: 'gpt2', D: 3n, L: 1 }))],
  [
    'estimateMemory: momentsDtype is not an array',
    () =>
      estimateMemory(
        { family: 'gpt2', D: 768, L: 12 },
        { slice: 'v5e-8', batch: 64, sequence: 1024, momentsDtype: any({}) },
      ),
  ],
  ['toBlockwise: options are not an object', () => toBlockwise(any(null), any(null), any(null))],
  ['rematText: unknown remat', () => rematText(any(undefined))],
  ['mamba2: features is not a whole number', () => nn.mamba2({ features: any(3n), groups: 2 })],
  [
    'shardTrainState: the first argument is not a mesh',
    () => shardTrainState(any({ ...grid, size: 3n }), { family: 'gpt2', D: 8, L: 1 }, { strategy: 'fsdp' }),
  ],
  ['resultsOf: recipe has no arms', () => resultsOf(any({}), any({}), [])],
  ['resultsOf: runs is not an array', () => resultsOf(recipe('nvfp4'), recipeSizes('nvfp4'), any('a'))],
  ['recipeRow: params is not an object', () => recipeRow(any(undefined))],
  ['calibrate: runs is not an array', () => calibrate(any('bfloat16'))],
  ['calibrate: a run is not an object', () => calibrate(any([null]))],
  ['attentionPairs: shape is not an object', () => attentionPairs(any(undefined), 'causal', 2)],
  ['attentionPairs: unknown attention', () => attentionPairs({}, any(-1), 2, 3)],
  ['attentionPairs: T is not a finite number', () => attentionPairs({}, 'full', any(3n))],
  ['flopsOf: a shape is not an array', () => flopsOf(ops.matmul, {}, any([() => 1, [3, 4]]), [2, 4])],
  ['drift: tolerance is not an array', () => drift(tensor([1]), [1], any({ tolerance: null }))],
  [
    'significantBits: steps is not a function',
    () => significantBits((x: Tensor) => x, tensor(1), any({ key: key(0), steps: {} })),
  ],
  [
    'droppedRoundings: functions of the module are not a Map',
    () => droppedRoundings(any({ functions: { main: 1 } })),
  ],
  ['projectionBox: ', () => optimizer.projectionBox([tensor(1)], any('a'), 1)],
]

describe('wrong calls', () => {
  it.each(calls)('%s ...: in our own words', (says, call) => {
    expect(call).toThrow(says)
    expect(call).not.toThrow(
      /Cannot read|is not iterable|is not a function \[\]|Invalid (typed )?array length/,
    )
  })
  it('train({ init: () => 1 }) says what is missing, and a step without a loss what it gave', async () => {
    await expect((async () => train(any({ init: () => 1 })))()).rejects.toThrow(
      'train: option step is missing',
    )
    const step = (state: number) => state
    await expect(
      (async () => train(any({ init: () => 1, step, data: () => [1], steps: 1 })))(),
    ).rejects.toThrow('train: the step gave no number as its loss')
  })
})
