import { exp, type Tensor, tensor } from 'tpu-toolkit'
import { checkGrads, grad, vjp } from 'tpu-toolkit/autodiff'
import {
  certify,
  samplesNeeded,
  shadow,
  shadowEvery,
  shadowGraph,
  significance,
  significantBits,
  tune,
  withPolicy,
} from 'tpu-toolkit/precision'
import { key } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'

const f = (x: Tensor): Tensor => exp(x)
const x = tensor(1)
const target = { maxBits: 1 }
// biome-ignore lint/suspicious/noExplicitAny: wrong on purpose.
const wrong = (options: object): any => options

describe('the doctor and gradients, options that do not exist', () => {
  const cases: readonly [string, () => unknown, string][] = [
    [
      'shadow',
      () => shadow(f, x, wrong({ refrence: 'real' })),
      'shadow: unknown option, did you mean reference [refrence]',
    ],
    [
      'shadowEvery',
      () => shadowEvery(f, wrong({ evry: 2 })),
      'shadowEvery: unknown option, did you mean every [evry]',
    ],
    [
      'shadowEvery, none',
      () => shadowEvery(f, wrong({})),
      'shadowEvery: option every is missing [no options]',
    ],
    [
      'shadowGraph',
      () => shadowGraph(shadow(f, x), wrong({ color: 'gains' })),
      'shadowGraph: unknown color, did you mean gain [gains]',
    ],
    [
      'contributions',
      () => shadow(f, x).contributions(wrong({ reruns: 1 })),
      'contributions: unknown option, did you mean rerun [reruns]',
    ],
    [
      'certify',
      () => certify(f, x, wrong({ chek: true })),
      'certify: unknown option, did you mean check [chek]',
    ],
    [
      'significantBits',
      () => significantBits(f, x, wrong({ key: key(1), sample: 3 })),
      'significantBits: unknown option, did you mean samples [sample]',
    ],
    [
      'significance',
      () => significance([1, 2], wrong({ expectd: 1 })),
      'significance: unknown option, did you mean expected [expectd]',
    ],
    [
      'samplesNeeded',
      () => samplesNeeded(-1, 0.95),
      'samplesNeeded: probability is not between 0 and 1 [-1]',
    ],
    [
      'tune',
      () => tune(f, x, wrong({ target, groupby: 'site' })),
      'tune: unknown option, did you mean groupBy [groupby]',
    ],
    [
      'withPolicy',
      () => withPolicy(f, wrong({ wides: [] })),
      'withPolicy: unknown option, did you mean wide [wides]',
    ],
    ['grad', () => grad(f, wrong({ argnum: 0 })), 'grad: unknown option, did you mean argnums [argnum]'],
    ['vjp', () => vjp(f, x)[1](x, wrong({ rule: 1 })), 'vjp: unknown option, did you mean rules [rule]'],
    [
      'checkGrads',
      () => checkGrads(f, [x], wrong({ tolerances: 1 })),
      'checkGrads: unknown option, did you mean tolerance [tolerances]',
    ],
  ]
  it.each(cases)('%s', (_, call, message) => {
    expect(call).toThrow(new RangeError(message))
  })

  it.each([
    ['shadow', () => shadow(wrong({}), x)],
    ['certify', () => certify(wrong({}), x)],
    ['tune', () => tune(wrong({}), x, { target })],
    ['withPolicy', () => withPolicy(wrong({}), { wide: [] })],
    ['grad', () => grad(wrong({}))],
  ] as const)('%s of what is no function', (name, call) => {
    expect(call).toThrow(new TypeError(`${name}: f is not a function [an object]`))
  })
})
