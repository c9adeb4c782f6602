import {
  add,
  cast,
  cumsum,
  div,
  exp,
  fromBits,
  max,
  mul,
  naiveSum,
  reshape,
  slice,
  sqrt,
  sub,
  type Tensor,
  tensor,
} from 'tpu-toolkit'
import { bitsApart, certify, type Shadow, shadow, significantBits } from 'tpu-toolkit/precision'
import { key as randomKey } from 'tpu-toolkit/random'
import { dtypeFacts } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import {
  type Expression,
  type KeyFormat,
  keyFormats,
  programOf,
  scalar,
} from '../../support/precisionKeys.js'
import { readText } from '../../support/project.js'
import { rationalOfDecimal, within } from '../../support/rational.js'

// biome-ignore lint/suspicious/noExplicitAny: the keys are JSON, described in test/golden/README.md.
const loops: any = JSON.parse(readText('test/golden/precision/loops.json'))

interface SumKey {
  readonly name: string
  readonly terms: string
  readonly exact: { readonly decimal: string }
  readonly exactPartial: string
  readonly naive: {
    readonly partial: string
    readonly bitsOfError: number
    readonly absorbedAdditions: number
    readonly totalRounding: string
    readonly runningBound: string
  }
  readonly kahan: { readonly partial: string; readonly bitsOfError: number }
}

const digits = (dtype: KeyFormat): number => (dtype === 'float32' ? 8 : 4)

/** The tensor of codes written one after the other. */
function vector(codes: string, dtype: KeyFormat): Tensor {
  const list = codes.match(new RegExp(`.{${digits(dtype)}}`, 'g')) ?? []
  const numbers = list.map((code) => Number.parseInt(code, 16))
  return fromBits(dtype === 'float32' ? Uint32Array.from(numbers) : numbers, { dtype })
}

function codesOf(x: Tensor): string {
  return [...x.toBits()].map((code) => code.toString(16).padStart(digits(x.dtype as KeyFormat), '0')).join('')
}

/** Bits between what a run computed and its reference rounded, as the keys of loops count them. */
function bitsOf(run: Shadow, dtype: KeyFormat, step = run.program.steps.length - 1): number[] {
  const { computed, reference } = run.errors(step)
  const rounded = cast(tensor(reference, { dtype: 'float64' }), dtype).toNumbers()
  return Array.from(computed, (value, i) => bitsApart(value, rounded[i]!, grids[dtype]))
}

const grids = { float32: dtypeFacts('float32'), bfloat16: dtypeFacts('bfloat16') }

const elements = (x: Tensor): Tensor[] => Array.from({ length: x.size }, (_, i) => slice(x, [i]))
const like = (x: Tensor, value: number): Tensor => tensor(value, { dtype: x.dtype as KeyFormat })
const real = { reference: 'real', check: false } as const

describe.each(keyFormats)('shadow beside real numbers, loops in %s', (dtype) => {
  it.each(loops.sum[dtype] as SumKey[])(
    'a sum of 1,000 terms, $name: partial sums, absorbed additions, bits, and the certificate',
    (key) => {
      const terms = vector(key.terms, dtype)
      const run = shadow((x) => cumsum(x), terms, real)
      expect(codesOf(run.program.steps[0]!.output)).toBe(key.naive.partial)
      expect(run.events.find(({ kind }) => kind === 'absorb')?.count ?? 0).toBe(key.naive.absorbedAdditions)
      expect(bitsOf(run, dtype).at(-1)).toBeCloseTo(key.naive.bitsOfError, 3)
      const exact = cast(tensor(run.errors(0).reference, { dtype: 'float64' }), dtype)
      expect(codesOf(exact)).toBe(key.exactPartial)
      const rounding = -run.errors(0).introduced.at(-1)!
      expect(Math.abs(rounding - Number(key.naive.totalRounding))).toBeLessThanOrEqual(
        Math.abs(rounding) * 1e-12,
      )
      const { results, bounds } = certify((x) => naiveSum(x), terms)
      const bound = bounds[0]!.item()
      expect(within(results[0]!.item(), rationalOfDecimal(key.exact.decimal), bound)).toBe(true)
      // The keys' running error bound, u times the sum of |partial sums|, is what a bound without hindsight can do.
      expect(bound).toBeLessThanOrEqual(Number(key.naive.runningBound))
    },
  )

  it.each(loops.sum[dtype] as SumKey[])(
    'a Kahan sum in tensor operations, $name: no correction is a culprit',
    (key) => {
      const kahan = (x: Tensor): Tensor => {
        let [s, c]: [Tensor, Tensor] = [like(x, 0), like(x, 0)]
        for (const v of elements(x)) {
          const y = sub(v, c)
          const t = add(s, y)
          c = sub(sub(t, s), y)
          s = t
        }
        return s
      }
      const run = shadow(kahan, vector(key.terms, dtype), { check: false })
      const { program } = run
      expect(codesOf(program.steps.at(-1)!.output)).toBe(key.kahan.partial.slice(-digits(dtype)))
      if (key.kahan.bitsOfError < 5) expect(run.culprits()).toEqual([])
    },
  )

  it('x^9 expanded, near its root: values, bits, and certificates inside the running bound', () => {
    const { coefficients, points } = loops.horner[dtype]
    const x = vector(points.map((point: { x: string }) => point.x).join(''), dtype)
    const c = elements(vector(coefficients, dtype))
    const horner = (at: Tensor): Tensor =>
      c.slice(1).reduce((s, next) => add(mul(s, at), next), add(mul(at, 0), c[0]!))
    const run = shadow(horner, x, real)
    const bits = bitsOf(run, dtype)
    const { results, bounds } = certify(horner, x)
    for (const [i, point] of points.entries()) {
      expect(codesOf(slice(results[0]!, [[i, i + 1]]))).toBe(point.steps.slice(-digits(dtype)))
      expect(bits[i]).toBeCloseTo(point.bitsOfError, 3)
      const bound = bounds[0]!.toNumbers()[i]!
      expect(
        within(
          results[0]!.toNumbers()[i]!,
          rationalOfDecimal(point.exact.decimal),
          bound * (1 + 1e-9) + 1e-30,
        ),
      ).toBe(true)
      expect(bound).toBeLessThanOrEqual(Number(point.runningBound) * (1 + 1e-9))
    }
  })

  it('the one-pass variance: the difference that cancels is the culprit, where it is wrong', () => {
    for (const key of loops.variance[dtype]) {
      const onePass = (x: Tensor): Tensor => {
        const mean = div(naiveSum(x), 64)
        return sub(div(naiveSum(mul(x, x)), 64), mul(mean, mean))
      }
      const run = shadow(onePass, vector(key.values, dtype), real)
      expect(codesOf(run.program.steps.at(-1)!.output)).toBe(key.onePass.result)
      expect(bitsOf(run, dtype)[0]).toBeCloseTo(key.onePass.bitsOfError, 3)
      // Values around 10,000 are all one code of bfloat16: their variance is 0, and cancelling to it no error.
      if (key.onePass.bitsOfError > 6 && Number(key.exact.decimal) !== 0) {
        expect(run.culprits()).toContain(run.program.steps.length - 1)
        expect(run.program.steps[run.contributions()[0]!.step]!.op.name).not.toBe('sub')
      }
    }
  })

  it('softmax, with and without the shift', () => {
    for (const key of loops.softmax[dtype]) {
      for (const form of ['naive', 'shifted']) {
        const softmax = (x: Tensor): Tensor => {
          const e = exp(form === 'naive' ? x : sub(x, max(x)))
          return div(e, naiveSum(e))
        }
        const run = shadow(softmax, vector(key.logits, dtype), real)
        expect(codesOf(run.program.steps.at(-1)!.output)).toBe(key[form].result)
        const bits = bitsOf(run, dtype)
        for (const [i, expected] of key[form].bitsOfError.entries()) expect(bits[i]).toBeCloseTo(expected, 3)
      }
    }
  })

  it("Muller's recurrence: every state, its bits, and what sampling cannot see", () => {
    for (const key of loops.muller[dtype]) {
      const states = vector(key.states, dtype)
      const muller = ([before, first]: readonly Tensor[]): Tensor[] => {
        const list = [before!, first!]
        for (let i = 0; i < states.size - 2; i++) {
          const [p, x] = list.slice(-2) as [Tensor, Tensor]
          list.push(add(sub(111, div(1130, x)), div(3000, mul(x, p))))
        }
        return list.slice(2)
      }
      const starts = elements(slice(states, [[0, 2]]))
      const run = shadow(muller, starts, real)
      const { steps, outputs, inputs } = run.program
      expect(
        outputs.map((output) => codesOf(steps[(output as number) - inputs.length]!.output)).join(''),
      ).toBe(key.states.slice(2 * digits(dtype)))
      // The key's sequence has its constants unrounded: float32 has them all, bfloat16 rounds 1130 and 3000.
      const exact = key.exact.map(({ code }: { code: string }) => scalar(code, dtype).item())
      for (const [i, output] of outputs.entries()) {
        const state = steps[(output as number) - inputs.length]!.output.item()
        expect(bitsApart(state, exact[i + 2], grids[dtype])).toBeCloseTo(key.bitsOfError[i + 2], 3)
        if (dtype === 'float32') {
          expect(bitsOf(run, dtype, (output as number) - inputs.length)[0]).toBeCloseTo(
            key.bitsOfError[i + 2],
            3,
          )
        }
      }
      const sampled = significantBits((x) => muller(x).at(-1)!, starts, { key: randomKey(1) })
      expect(sampled.unseen[0]).toContain('an iteration that settles on a wrong limit')
    }
  })

  it("Rump's expression: every value, and bits that float64 gets wrong", () => {
    for (const key of loops.rump[dtype]) {
      const constants = key.constants.map((text: string) => codesOf(tensor([Number(text)], { dtype })))
      const expression = { name: key.name, nodes: key.nodes, [dtype]: { constants } } as unknown as Expression
      const run = shadow(
        programOf(expression, dtype),
        { a: scalar(key.a, dtype), b: scalar(key.b, dtype) },
        real,
      )
      expect(run.program.steps.map(({ output }) => codesOf(output)).join('')).toBe(key.values)
      expect(bitsOf(run, dtype)[0]).toBeCloseTo(key.bitsOfError, 3)
    }
  })

  it('Archimedes: the form that cancels, and the stable one', () => {
    for (const key of loops.archimedes[dtype]) {
      const cancels = key.name === 'cancelling'
      const archimedes = (start: Tensor): Tensor[] => {
        const list = [start]
        while (list.length < key.t.length / digits(dtype)) {
          const t = list.at(-1)!
          const r = sqrt(add(mul(t, t), 1))
          list.push(cancels ? div(sub(r, 1), t) : div(t, add(r, 1)))
        }
        return list.slice(1)
      }
      const run = shadow(archimedes, reshape(vector(key.t.slice(0, digits(dtype)), dtype), []), real)
      const { steps, outputs } = run.program
      expect(outputs.map((output) => codesOf(steps[(output as number) - 1]!.output)).join('')).toBe(
        key.t.slice(digits(dtype)),
      )
      if (!cancels) expect(run.culprits()).toEqual([])
      else expect(run.culprits().some((step) => steps[step]!.op.name === 'sub')).toBe(true)
    }
  })
})
