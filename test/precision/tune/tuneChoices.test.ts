import { add, cast, exp, mul, sub, sum, type Tensor, tensor } from 'tpu-toolkit'
import {
  type Choice,
  dtypeArithmetic,
  isWide,
  programOf,
  replay,
  tuneChoices,
  withPolicy,
} from 'tpu-toolkit/precision'
import { key, normal, seeded } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { randomProgram } from '../../support/randomPrograms.js'
import { seed } from '../../support/seed.js'

const bf16 = (values: number | number[]): Tensor<'bfloat16'> => tensor(values, { dtype: 'bfloat16' })
const stochastic: Choice = { dtype: 'bfloat16', rounding: 'stochastic', key: key(3) }
const all: Choice[] = [
  { dtype: 'float8_e5m2' },
  { dtype: 'float8_e4m3fn', saturate: true },
  { dtype: 'float16' },
  { dtype: 'bfloat16' },
  { dtype: 'bfloat16', accumulate: 'bfloat16' },
  stochastic,
  { dtype: 'float32', accumulate: 'float32' },
]

/** Squares of few bits, a long sum, and a result that wants its bits. */
const norm = (x: Tensor): Tensor => mul(sum(mul(x, x), { accumulate: 'bfloat16' }), 0.3)
const x = cast(tensor(normal(key(1), 600)), 'bfloat16')

describe('withPolicy, choices', () => {
  it(`gives the numbers of replay, whatever is chosen (seed ${seed})`, () => {
    const draw = seeded(`choices ${seed}`)
    for (let k = 0; k < 20; k++) {
      const { f, x: inputs, text } = randomProgram(draw)
      const program = programOf('test', f, inputs)
      const picks = program.steps.map(() => all[Math.floor(draw() * all.length)]!)
      let named = 0
      const policy = {
        wide: [],
        narrow: 'bfloat16' as const,
        groupBy: (_: unknown, i: number) => `${i}`,
        choices: Object.fromEntries(
          program.steps
            .flatMap(({ op }) => (op.name === 'constant' ? [] : [`${named++}`]))
            .map((name) => [name, picks[Number(name)]!]),
        ),
      }
      const got = withPolicy(f, policy)(inputs)
      // Names count the operations, constants left out, and a constant is its reader's.
      const n = program.inputs.length
      let count = 0
      const nameOf = program.steps.map(({ op }) => (op.name === 'constant' ? -1 : count++))
      const choiceOf = (i: number): Choice | undefined => {
        const reader =
          nameOf[i] === -1 ? program.steps.findIndex(({ operands }) => operands.includes(n + i)) : i
        return picks[nameOf[reader]!]
      }
      const { valueOf } = replay(
        program,
        (i) => (program.steps[i]!.output.dtype === 'bfloat16' ? choiceOf(i)! : 'own'),
        dtypeArithmetic('float64'),
      )
      const value = valueOf(program.outputs[0]!)
      const expected = isWide(value) ? cast(value.wide, 'bfloat16') : value
      expect([...got.toNumbers()], text).toEqual([...expected.toNumbers()])
    }
  })

  it('rounds at random by the key alone, upward as often as the distance says', () => {
    const f = (v: Tensor): Tensor => add(v, 2 ** -8)
    const ones = bf16(Array(2000).fill(1))
    const run = (seed: number): Tensor =>
      withPolicy(f, { wide: [], choices: { 'add#0': { ...stochastic, key: key(seed) } } })(ones)
    expect([...run(1).toNumbers()]).toEqual([...run(1).toNumbers()])
    expect([...run(1).toNumbers()]).not.toEqual([...run(2).toNumbers()])
    // 1 + 2^-8 lies half way between two numbers; six deviations.
    const up = run(1)
      .toNumbers()
      .filter((value) => value > 1).length
    expect(Math.abs(up - 1000)).toBeLessThan(6 * Math.sqrt(500))
  })

  it('says what it cannot run', () => {
    const f = (v: Tensor): Tensor => mul(v, v)
    const of = (choice: object): unknown =>
      withPolicy(f, { wide: [], choices: { 'mul#0': choice as Choice } })
    expect(() => of({})).toThrow('dtype')
    expect(() => of({ dtype: 'int32' })).toThrow('withPolicy: needs a floating-point dtype [int32]')
    expect(() => of({ dtype: 'bfloat16', rounding: 'stochastic' })).toThrow('stochastic rounding needs a key')
    expect(() => of({ dtype: 'float32', rounding: 'stochastic', key: key(1) })).toThrow(
      'at most 16 bits [float32]',
    )
    expect(() => of({ dtype: 'bfloat16', rounding: 'up' })).toThrow('unknown rounding')
  })
})

describe('tuneChoices', () => {
  const choices = [
    'float8_e5m2',
    'float8_e4m3fn',
    'bfloat16',
    { dtype: 'bfloat16', accumulate: 'float32' },
    'float32',
  ] as const
  const target = { maxRelative: 0.02 }

  it('takes narrow operations where they do, and a wide accumulator where only that does', () => {
    const found = tuneChoices(norm, x, { target, choices })
    expect(found.met).toBe(true)
    expect(found.value).toBeLessThanOrEqual(0.02)
    expect(found.cost).toBeLessThan(found.dearest.cost)
    const text = Object.fromEntries(found.chosen.map((chosen) => [chosen.name, chosen.text]))
    expect(text['mul#0']).toMatch(/^float8/)
    expect(found.chosen[0]!.sites[0]).toMatch(/^tuneChoices\.test\.ts:\d+:\d+$/)
    // A sum of 600 squares in bfloat16 stalls.
    expect(text['sum#0']).toBe('bfloat16, adds in float32')
    const got = withPolicy(norm, found.policy)(x).item()
    const exact = x.toNumbers().reduce((total, v) => total + v * v, 0) * 0.3
    expect(Math.abs(got / exact - 1)).toBeLessThanOrEqual(0.02)
  })

  it('cannot make a single operation cheaper in the end', () => {
    const found = tuneChoices(norm, x, { target, choices, rounds: 5 })
    const list: Choice[] = choices.map((choice) => (typeof choice === 'string' ? { dtype: choice } : choice))
    const cost = ({ dtype, accumulate }: Choice, sums: boolean): number => {
      const bits: Record<string, number> = { float8_e5m2: 8, float8_e4m3fn: 8, bfloat16: 16, float32: 32 }
      return (
        bits[dtype]! + (sums ? Math.max(bits[accumulate ?? 'bfloat16']!, accumulate ? 0 : bits[dtype]!) : 0)
      )
    }
    const exact = x.toNumbers().reduce((total, v) => total + v * v, 0) * 0.3
    for (const { name, choice } of found.chosen) {
      for (const other of list) {
        if (cost(other, name === 'sum#0') >= cost(choice, name === 'sum#0')) continue
        const got = withPolicy(norm, {
          ...found.policy,
          choices: { ...found.policy.choices, [name]: other },
        })(x)
        expect(Math.abs(got.item() / exact - 1) <= 0.02).toBe(false)
      }
    }
  })

  it('goes by the cost that it is given', () => {
    // A machine on which 8 bits are dear: nothing is gained by them.
    const found = tuneChoices(norm, x, {
      target,
      choices,
      costOf: ({ dtype }) => (dtype.startsWith('float8') ? 100 : dtype === 'float32' ? 2 : 1),
    })
    expect(found.chosen.every(({ text }) => !text.startsWith('float8'))).toBe(true)
    expect(found.cost).toBe(3)
  })

  it('says where not even the most precise choices meet the target, and what it cannot take', () => {
    const f = (v: Tensor): Tensor => sub(add(v, 1e6), 1e6)
    expect(
      tuneChoices(f, bf16(0.1), { target: { maxBits: 1 }, choices: ['bfloat16', 'float16'] }),
    ).toMatchObject({
      met: false,
    })
    const tried: number[] = []
    const metric = tuneChoices((v: Tensor) => exp(v), bf16(1), {
      target: {
        metric: (g) => {
          const y = g(bf16(1)).item()
          tried.push(y)
          return Math.abs(y - Math.E)
        },
        atMost: 0.3,
      },
      choices: ['float8_e5m2', 'bfloat16'],
    })
    expect(metric).toMatchObject({ met: true, chosen: [{ text: 'float8_e5m2' }] })
    expect(() => tuneChoices(f, bf16(1), { target: { maxBits: 1 }, choices: [] })).toThrow(
      'nothing to choose from',
    )
    expect(() => tuneChoices(f, tensor(1), { target: { maxBits: 1 }, choices: ['bfloat16'] })).toThrow(
      'no operation runs in bfloat16',
    )
  })
})
