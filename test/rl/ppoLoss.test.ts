import { valueAndGrad } from 'tpu-toolkit/autodiff'
import {
  explainedVariance,
  logProbs,
  normalizeAdvantages,
  type PpoLossOptions,
  ppoLoss,
} from 'tpu-toolkit/rl'
import { cast, type FloatDType, fromBits, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'

type Hex = string
interface Case {
  readonly name: string
  readonly batch: number
  readonly actions: number
  readonly clip: number
  readonly valueCoefficient: number
  readonly entropyCoefficient: number
  readonly clipValue: boolean
  readonly normalise: 'n-1' | 'n' | 'none'
  readonly f64: Readonly<Record<string, Hex>>
  readonly f64NotNormalised: Readonly<Record<string, Hex>>
  readonly low: Readonly<Record<'bf16' | 'f32', Readonly<Record<string, Hex | number>>>>
}

const keys = new Columns('rl/ppo')
const cases = keys.facts['cases'] as readonly Case[]
const number = (hex: Hex): number => new Float64Array(BigUint64Array.of(BigInt(`0x${hex}`)).buffer)[0]!
const doubles = (name: string) => new Float64Array(BigUint64Array.from(keys.u64(name)).buffer)

function told({ name, batch, actions }: Case, dtype: FloatDType) {
  const column = (of: string, shape: number[]): Tensor =>
    tensor(fromBits(keys.u16(`${name}_${of}`), { shape, dtype: 'bfloat16' }).toNumbers(), { shape, dtype })
  return {
    outputs: { logits: column('logits', [batch, actions]), values: column('values', [batch]) },
    recorded: {
      actions: tensor(Int32Array.from(keys.u8(`${name}_actions`)), { dtype: 'int32' }),
      logProbs: column('old_log_probs', [batch]),
      advantages: column('advantages', [batch]),
      values: column('old_values', [batch]),
      returns: column('returns', [batch]),
    },
  }
}

const optionsOf = ({ clip, clipValue, valueCoefficient, entropyCoefficient }: Case): PpoLossOptions => ({
  clip,
  clipValue,
  valueCoefficient,
  entropyCoefficient,
})

const scalars = ['policyLoss', 'valueLoss', 'total', 'approxKl', 'oldApproxKl', 'clipFraction'] as const

describe('ppoLoss', () => {
  it.each(cases)('$name: float64 scalars within 1e-12 of the key', (run) => {
    const { outputs, recorded } = told(run, 'float64')
    const advantages =
      run.normalise === 'none'
        ? recorded.advantages
        : normalizeAdvantages(recorded.advantages, { by: run.normalise })
    const loss = ppoLoss(outputs, { ...recorded, advantages }, optionsOf(run))
    for (const name of scalars) {
      // The clip fraction is a float32 mean of ones and zeros.
      const bound = name === 'clipFraction' ? 2 ** -24 : 1e-12
      expect(Math.abs(loss[name].item() - number(run.f64[name]!)), name).toBeLessThanOrEqual(bound)
    }
    expect(Math.abs(loss.entropy.item() - number(run.f64['entropy']!))).toBeLessThanOrEqual(1e-12)
    const explained = explainedVariance(recorded.values, recorded.returns)
    expect(Math.abs(explained - number(run.f64['explainedVariance']!))).toBeLessThanOrEqual(1e-12)
    const plain = ppoLoss(outputs, recorded, optionsOf(run))
    for (const name of ['policyLoss', 'total'] as const) {
      expect(Math.abs(plain[name].item() - number(run.f64NotNormalised[name]!))).toBeLessThanOrEqual(1e-12)
    }
  })

  it.each(cases)('$name: float64 log-probabilities, entropies and gradients within 1e-12', (run) => {
    const { outputs, recorded } = told(run, 'float64')
    const advantages =
      run.normalise === 'none'
        ? recorded.advantages
        : normalizeAdvantages(recorded.advantages, { by: run.normalise })
    const of = (out: typeof outputs) => ppoLoss(out, { ...recorded, advantages }, optionsOf(run)).total
    const [, grads] = valueAndGrad(of)(outputs)
    const near = (x: Tensor, name: string) => {
      const expected = doubles(`${run.name}_f64_${name}`)
      expect(Math.max(...x.toNumbers().map((v, i) => Math.abs(v - expected[i]!))), name).toBeLessThanOrEqual(
        1e-12,
      )
    }
    near(grads.logits, 'grad_logits')
    near(grads.values, 'grad_values')
    near(logProbs(outputs.logits, recorded.actions), 'log_probs')
    near(ppoLoss(outputs, recorded).terms.entropy, 'entropies')
  })

  const formats = [
    ['bf16', 'bfloat16'],
    ['f32', 'float32'],
  ] as const
  it.each(
    cases.flatMap((run) => formats.map((format) => ({ run, format, name: `${run.name} ${format[0]}` }))),
  )('$name: every column and every scalar, bit for bit', ({ run, format: [label, dtype] }) => {
    const { outputs, recorded } = told(run, dtype)
    const loss = ppoLoss(outputs, recorded, { ...optionsOf(run), accumulate: dtype })
    for (const [name, term] of Object.entries(loss.terms)) {
      const column = `${run.name}_${label}_${name}`
      expect(term.toBits(), name).toEqual(label === 'bf16' ? keys.u16(column) : keys.u32(column))
    }
    const facts = run.low[label]
    for (const name of ['policyLoss', 'valueLoss', 'total', 'approxKl', 'oldApproxKl'] as const) {
      expect(loss[name].item(), name).toBe(number(facts[name] as Hex))
    }
    expect(loss.entropy.item()).toBe(number(facts['entropyMean'] as Hex))
    expect(Math.abs(loss.clipFraction.item() - number(facts['clipFraction'] as Hex))).toBeLessThanOrEqual(
      2 ** -24,
    )
    expect(loss.terms.ratio.toNumbers().filter((ratio) => ratio === 1).length).toBe(facts['ratiosEqualOne'])
  })

  it('the value loss of Stable-Baselines3 is twice that of CleanRL', () => {
    const { outputs, recorded } = told(cases[0]!, 'float64')
    const [half, whole] = (['half', 'whole'] as const).map((valueLoss) =>
      ppoLoss(outputs, recorded, { valueLoss }),
    )
    expect(whole!.valueLoss.item()).toBe(2 * half!.valueLoss.item())
  })

  it('refuses mixed dtypes, other rows, unknown options', () => {
    const { outputs, recorded } = told(cases[0]!, 'float32')
    const narrow = { ...recorded, returns: cast(recorded.returns, 'bfloat16') }
    expect(() => ppoLoss(outputs, narrow)).toThrow(TypeError)
    expect(() => ppoLoss(outputs, { ...recorded, actions: tensor([1], { dtype: 'int32' }) })).toThrow(
      'not logits [n, actions] and actions [n] [64, 2] and [1]',
    )
    expect(() => ppoLoss(outputs, recorded, { clipp: 0.2 } as never)).toThrow('did you mean clip')
    expect(() =>
      ppoLoss(outputs, { ...recorded, actions: tensor(new Int32Array(64).fill(2), { dtype: 'int32' }) }),
    ).toThrow(RangeError)
  })
})
