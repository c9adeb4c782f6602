import * as bf16 from 'tpu-toolkit/bf16'
import * as blocks from 'tpu-toolkit/blocks'
import * as formats from 'tpu-toolkit/formats'
import * as n from 'tpu-toolkit/numerics'
import * as random from 'tpu-toolkit/random'
import * as t from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { families } from '../support/importTable.js'
import { opCases } from '../support/opCases.js'

const x = t.tensor([
  [1, 2],
  [3, 4],
])
const flag = t.tensor([true], { dtype: 'bool' })
const key = random.key(1)
const codes = Uint16Array.of(1, 2)

/** How many operands the operation's case draws. */
function operandsOf(name: t.OpName): number {
  let drawn = 0
  const of = <T>(x: T): T => {
    drawn++
    return x
  }
  opCases[name]({
    numbers: (...shape) => of(t.ones(shape)),
    bools: (...shape) => of(t.zeros(shape, { dtype: 'bool' })),
  })
  return drawn
}

const withoutOptions: readonly t.OpName[] = ['reshape', 'transpose', 'broadcastTo', 'slice', 'bitcast']

const functions: Readonly<Record<string, unknown>> = { ...t }

/** The operation's function, called with operands that it takes. */
function callOf(name: t.OpName): (options: never) => unknown {
  const call = functions[name] as (...args: unknown[]) => unknown
  const operand = name.startsWith('logical') ? flag : x
  if (name === 'where') return (options) => call(flag, x, x, options)
  if (name === 'concat') return (options) => call([x, x], options)
  if (name === 'take') return (options) => call(x, [0], options)
  if (operandsOf(name) === 2) return (options) => call(operand, operand, options)
  return (options) => call(operand, options)
}

/** Every function of these doors that takes options, called as far as its options. */
const calls: Readonly<Record<string, (options: never) => unknown>> = {
  ...Object.fromEntries(
    t.opNames.filter((name) => !withoutOptions.includes(name)).map((name) => [name, callOf(name)]),
  ),
  cast: (o) => t.cast(x, 'bfloat16', o),
  split: (o) => t.split(x, 2, o),
  stack: (o) => t.stack([x, x], o),
  tensor: (o) => t.tensor([1], o),
  fromBits: (o) => t.fromBits([1], o),
  full: (o) => t.full([1], 1, o),
  zeros: (o) => t.zeros([1], o),
  ones: (o) => t.ones([1], o),
  arange: (o) => t.arange(0, 2, o),
  stableCumsum: (o) => n.stableCumsum(x, o),
  naiveCumsum: (o) => n.naiveCumsum(x, o),
  naiveSum: (o) => n.naiveSum(x, o),
  naiveMean: (o) => n.naiveMean(x, o),
  stableExp: (o) => n.stableExp(x, o),
  stableDecay: (o) => n.stableDecay(1, x, o),
  stableMatmul: (o) => n.stableMatmul(x, x, o),
  naiveCovariance: (o) => n.naiveCovariance(x, o),
  boundedClockBias: (o) => n.boundedClockBias(x, o),
  logAddExp: (o) => n.logAddExp(x, 0, o),
  logsumexp: (o) => n.logsumexp(x, o),
  softmax: (o) => n.softmax(x, o),
  logSoftmax: (o) => n.logSoftmax(x, o),
  variance: (o) => n.variance(x, o),
  layerNorm: (o) => n.layerNorm(x, o),
  rmsNorm: (o) => n.rmsNorm(x, o),
  drift: (o) => n.drift(x, [1, 2, 3, 4], o),
  errorBound: (o) => n.errorBound('sum', o, { sumAbs: 1 }),
  quantize: (o) => blocks.quantize(x, o),
  quantizeArray: (o) => blocks.quantizeArray(new Float32Array(32), o),
  quantizationReport: (o) => blocks.quantizationReport(new Float32Array(1), new Float32Array(1), o),
  quantizeBlocks: (o) => formats.quantizeBlocks(new Float32Array(32), o),
  encode: (o) => formats.encode(1, 'bfloat16', o),
  encoder: (o) => formats.encoder('bfloat16', o),
  encodeArray: (o) => formats.encodeArray(new Float32Array(1), 'bfloat16', o),
  round: (o) => formats.round(1, 'bfloat16', o),
  rounder: (o) => formats.rounder('bfloat16', o),
  fromNumber: (o) => bf16.fromNumber(1, o),
  bernoulli: (o) => random.bernoulli(key, 1, o),
  bits: (o) => random.bits(key, 1, o),
  choice: (o) => random.choice(key, 3, 1, o),
  exponential: (o) => random.exponential(key, 1, o),
  gumbel: (o) => random.gumbel(key, 1, o),
  normal: (o) => random.normal(key, 1, o),
  randint: (o) => random.randint(key, 1, o),
  truncatedNormal: (o) => random.truncatedNormal(key, 1, o),
  uniform: (o) => random.uniform(key, 1, o),
  all: (o) => t.all(x, o),
  any: (o) => t.any(x, o),
  allClose: (o) => t.allClose(x, x, o),
  einsum: (o) => t.einsum('ij->ji', [x], o),
  eye: (o) => t.eye(2, o),
  hadamard: (o) => t.hadamard(t.ones([16]), o),
  linspace: (o) => t.linspace(0, 1, 2, o),
  oneHot: (o) => t.oneHot(t.tensor([1], { dtype: 'int32' }), 2, o),
  pad: (o) => t.pad(x, [1, 1], o),
  prod: (o) => t.prod(x, o),
  roll: (o) => t.roll(x, 1, o),
  scatterAdd: (o) => t.scatterAdd(x, [0], x, o),
  sort: (o) => t.sort(x, o),
  argsort: (o) => t.argsort(x, o),
  topK: (o) => t.topK(x, 1, o),
  squeeze: (o) => t.squeeze(x, o),
  takeAlongAxis: (o) => t.takeAlongAxis(x, t.zeros([2, 2], { dtype: 'int32' }), o),
  norm: (o) => n.norm(x, o),
  safeNorm: (o) => n.safeNorm(x, 1, o),
  std: (o) => n.std(x, o),
  defineFormat: (o) => formats.defineFormat(o),
  p3109Format: (o) => formats.p3109Format(8, 4, o),
}

/** What takes no options, by its door. A function that is new stands here or in `calls`. */
const none: Readonly<Record<string, readonly string[]>> = {
  tensor: [
    ...[
      'currentSite',
      'reshape',
      'bitcast',
      'transpose',
      'matrixTranspose',
      'broadcastTo',
      'slice',
      'clip',
      'expandDims',
      'onesLike',
      'zerosLike',
      'outer',
    ],
    ...[
      'apply',
      'withTrace',
      'recordEverything',
      'untraced',
      'canonicalizeNaN',
      'checkTensor',
      'holds',
      'isFloat',
      'isInteger',
    ],
    ...['observe', 'substitute', 'siteOf', 'withDeepStacks', 'withLocation', 'checkFloatDType'],
    ...['isWatched', 'elementsOf', 'isSealed', 'seal'],
    ...['entryOf', 'opName', 'formOf', 'roundsOf', 'roundingTo', 'dtypeFacts', 'wideDType'],
    ...['sameShape', 'sizeOf', 'stridesOf', 'Tensor', 'flush', 'noRows'],
    ...['timed', 'timedWork', 'currentTimer', 'untimed', 'stackOf', 'flopsOf', 'productOf'],
    ...['reads', 'lanesRead', 'movedPlaces', 'placesRead', 'broadcastPlaces', 'scanLane', 'sumLane'],
  ],
  numerics: [
    'safeRootMeanSquares',
    'naiveDecay',
    'stableCovariance',
    'naiveMatmul',
    'exactSum',
    'ulpDistance',
    'covarianceSpectrum',
    'fromMatrix',
    'toMatrix',
  ],
  formats: [
    ...[
      'blockElement',
      'format',
      'compareCodes',
      'decode',
      'decodeArray',
      'decodeTable',
      'isNaNCode',
      'codeTable',
    ],
    ...['describe', 'blockValues', 'dequantizeBlocks', 'floorLog2', 'ieeeFormat', 'packCodes', 'unpackCodes'],
    ...['nextDown', 'nextUp', 'orderIndex', 'ulp', 'ulpDistance', 'FormatArray'],
    ...families['formats']!,
  ],
  blocks: [
    ...[
      'blockMatmul',
      'dequantize',
      'pack',
      'unpack',
      'joinReports',
      'bitsPerElement',
      'piecewise',
      'rowsOf',
    ],
    ...['survey', 'padRows', 'unpadRows', 'reportPieces', 'tensorReport', 'wayTotals', 'magnitudes'],
  ],
  random: [
    'categorical',
    'foldIn',
    'key',
    'keyOfTensor',
    'keyTensor',
    'permutation',
    'seeded',
    'split',
    'threefry2x32',
    'toKeyTensor',
  ],
}

describe('options', () => {
  it.each(Object.keys(calls))('%s refuses a name that it does not know, and what is no record', (name) => {
    expect(() => calls[name]!({ colour: 1 } as never)).toThrow(/unknown option, .*\[colour\]/)
    expect(() => calls[name]!(0 as never)).toThrow(/options are not an object.*\[0\]/)
    expect(() => calls[name]!(null as never)).toThrow(/options are not an object.*\[null\]/)
  })

  it.each(Object.entries({ tensor: t, numerics: n, formats, blocks, random }))(
    'of every function of %s are checked here, or it takes none',
    (door, names) => {
      const callable = Object.entries(names).flatMap(([name, value]) =>
        typeof value === 'function' ? [name] : [],
      )
      expect(callable.filter((name) => !(name in calls) && !none[door]!.includes(name))).toEqual([])
      expect(none[door]!.filter((name) => !callable.includes(name))).toEqual([])
    },
  )

  it('missing where they are required are said', () => {
    expect(() => n.boundedClockBias(x, undefined as never)).toThrow(
      'boundedClockBias: option maxDelta is missing',
    )
    expect(() => t.fromBits([1], undefined as never)).toThrow('fromBits: option dtype is missing')
    expect(() => blocks.quantize(x, {} as never)).toThrow('quantize: option element is missing')
    expect(() => random.randint(key, 1, {} as never)).toThrow('randint: option maxval is missing')
  })
})

function messageOf(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return error instanceof TypeError || error instanceof RangeError ? error.message : error
  }
}

describe('wrong arguments', () => {
  it.each<[string, () => unknown, string]>([
    [
      'tensor([1, 2], name)',
      () => t.tensor([1, 2], 'bfloat16' as never),
      "tensor: options are not an object, write { dtype: 'bfloat16' } [bfloat16]",
    ],
    ['zeros(3)', () => t.zeros(3 as never), 'zeros: shape is not a list of lengths, write [3] [3]'],
    ['zeros([2 ** 40])', () => t.zeros([2 ** 40]), 'zeros: more than 2147483647 elements [1099511627776]'],
    ['full of a word', () => t.full([1], 'a' as never), 'full: value is not a number [a]'],
    [
      'unknown dtype, known elsewhere',
      () => t.zeros([1], { dtype: 'bf16' as never }),
      'zeros: unknown dtype, did you mean bfloat16 [bf16]',
    ],
    [
      'unknown dtype',
      () => t.cast(x, 'banana' as never),
      `cast: unknown dtype, there are ${t.dtypes.join(', ')} [banana]`,
    ],
    ['sum(x, 0)', () => t.sum(x, 0 as never), 'sum: options are not an object, write { axis: 0 } [0]'],
    [
      'keepDims of a word',
      () => t.sum(x, { keepDims: 'no' as never }),
      'sum: keepDims is not true or false [no]',
    ],
    [
      'max, keepDims of a word',
      () => t.max(x, { axis: 0, keepDims: 'no' as never }),
      'max: keepDims is not true or false [no]',
    ],
    [
      'sumLane of an order that is none',
      () => t.sumLane(Float64Array.of(1, 2), 2, 'pairwis' as never, Math.fround),
      'sumLane: unknown order, did you mean pairwise [pairwis]',
    ],
    [
      'scanLane by windows',
      () => t.scanLane(Float64Array.of(1, 2), 2, { windowed: 2 }, Math.fround, new Float64Array(2)),
      'scanLane: only sums go by windows [windowed 2]',
    ],
    [
      'packCodes of numbers',
      () => formats.packCodes([1, 2] as never, 4),
      'packCodes: codes are not a Uint8Array [1, 2]',
    ],
    [
      'unpackCodes of nothing',
      () => formats.unpackCodes(undefined as never, 4, 0),
      'unpackCodes: packed is not a Uint8Array [undefined]',
    ],
    [
      'defineFormat with a word for a flag',
      () => formats.defineFormat({ ...formats.format('bfloat16'), signed: 'no' as never }),
      'defineFormat: signed is not true or false [no]',
    ],
    [
      'dequantize of a tensor',
      () => blocks.dequantize(x as never),
      'dequantize: not a block tensor, which quantize gives [Tensor]',
    ],
    [
      'piecewise without a reader',
      () => blocks.piecewise('w', [3], undefined as never),
      'piecewise: read is not a function [undefined]',
    ],
    [
      'sum over a word',
      () => t.sum(x, { axis: '' as never }),
      'sum: axis is not a number or a list of them []',
    ],
    ['sum of an array', () => t.sum([1, 2] as never), 'sum: not a tensor, write tensor(...) [1, 2]'],
    [
      'cumsum, misspelt',
      () => t.cumsum(x, { accumlate: 'float32' } as never),
      'cumsum: unknown option, did you mean accumulate [accumlate]',
    ],
    [
      'an order of null',
      () => t.sum(x, { order: null as never }),
      'sum: unknown order, there are sequential, pairwise, kahan, neumaier, associative [null]',
    ],
    ['add of a third tensor', () => t.add(x, x, x as never), 'add: options are not an object [Tensor]'],
    [
      'out that is none',
      () => t.exp(x, { out: new Float32Array(4) as never }),
      'exp: out is not a tensor [Float32Array]',
    ],
    ['exp of an array', () => t.exp([1] as never), 'exp: needs a tensor among its operands [[1]]'],
    [
      'reshape to a number',
      () => t.reshape(x, 4 as never),
      'reshape: shape is not a list of lengths, write [4] [4]',
    ],
    ['concat of tensors in a row', () => t.concat(x as never), 'concat: tensors are not a list [Tensor]'],
    ['take of one', () => t.take(x, 1 as never), 'take: indices are not a list or a tensor [1]'],
    [
      'stableCumsum of an array',
      () => n.stableCumsum([1, 2] as never),
      'stableCumsum: not a tensor, write tensor(...) [1, 2]',
    ],
    ['logAddExp of nothing', () => n.logAddExp(x, undefined as never), 'logAddExp: not a tensor [undefined]'],
    ['stableDecay of a word', () => n.stableDecay('x' as never, x), 'stableDecay: not a tensor [x]'],
    [
      'errorBound without a size',
      () => n.errorBound('sum', { n: 1, dtype: 'bfloat16' }, { sumAbs: null as never }),
      'errorBound: sumAbs is not a number, 0 or more [null]',
    ],
    ['exactSum of a word', () => n.exactSum('x' as never), 'exactSum: not a tensor or a list of numbers [x]'],
    ['exactSum of words', () => n.exactSum(['x'] as never), 'exactSum: not a number [x]'],
    ['ulpDistance to a word', () => n.ulpDistance(x, 'x' as never), 'ulpDistance: not a tensor [x]'],
    [
      'bf16.decode into float64',
      () => bf16.decode(codes, new Float64Array(2) as never),
      'decode: elements of out are not a Float32Array [Float64Array]',
    ],
    [
      'bf16.encode into bytes',
      () => bf16.encode(new Float32Array(2), new Uint8Array(2) as never),
      'encode: elements of out are not a Uint16Array [Uint8Array]',
    ],
    [
      'bf16.addArrays of numbers',
      () => bf16.addArrays(new Float32Array(2) as never, codes),
      'addArrays: codes are not a Uint16Array [Float32Array]',
    ],
    [
      'an engine that there is not',
      () => bf16.addArrays(codes, codes, undefined, 'gpu' as never),
      'arena: unknown engine, there are simd, plain [gpu]',
    ],
    [
      'formats.decode by a record',
      () => formats.decode(5, {} as never),
      'format: not the record of a format, which format(name) and defineFormat give [an object]',
    ],
  ])('%s says what is wrong', (_, call, message) => {
    expect(messageOf(call)).toBe(message)
  })
})
