import {
  defineUnit,
  type UnitInput,
  type UnitOutput,
  type UnitRule,
  unitDot,
  units,
} from 'tpu-toolkit/kernels'
import { type DType, fromBits, type Tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { isLong } from '../support/long.js'
import { seed } from '../support/seed.js'
import {
  type TwinNumber,
  type TwinTarget,
  twinDecode,
  twinFloored,
  twinFormats,
  twinFused,
} from '../support/unitTwin.js'

const targets: Readonly<Record<UnitRule['result'], Omit<TwinTarget, 'mode'>>> = {
  float32: { bits: 24, least: -126, limit: 128 },
  e8m13: { bits: 14, least: -126, limit: 128 },
  float16: { bits: 11, least: -14, limit: 16 },
}

const view = new DataView(new ArrayBuffer(4))
const wordOf = (x: number): number => {
  view.setFloat32(0, x)
  return view.getUint32(0)
}
/** A number of the accumulator's format; zero and special values as they are. */
const numberOf = (x: number, out: UnitOutput): TwinNumber => {
  if (Number.isNaN(x)) return 'nan'
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf'
  const decoded = twinDecode(wordOf(x), twinFormats['float32']!) as Exclude<TwinNumber, string>
  if (decoded.exponent === undefined) return decoded
  // Normal in float32 is subnormal in float16 below 2^-14.
  const [length, least] = [
    (decoded.n < 0n ? -decoded.n : decoded.n).toString(2).length,
    out === 'float16' ? -14 : -126,
  ]
  return { ...decoded, exponent: Math.max(length - 1 + decoded.e, least) }
}

/** A chain of instructions from the rules of a unit. */
function twin(rule: UnitRule, out: UnitOutput, a: TwinNumber[], b: TwinNumber[], c: number): number {
  const target = { ...targets[rule.result], mode: rule.rounding }
  const isAfter = rule.accumulator === 'added after'
  const zero: TwinNumber = { n: 0n, e: 0, exponent: undefined }
  let sum = c
  for (let from = 0; from < a.length; from += rule.k) {
    let own = isAfter ? 0 : sum
    const places = Array.from({ length: rule.k }, (_, i) => i)
    const groups =
      rule.order === 'by bit 1'
        ? [places.filter((i) => (i & 2) === 0), places.filter((i) => (i & 2) !== 0)]
        : Array.from({ length: rule.k / rule.group }, (_, g) =>
            places.slice(g * rule.group, (g + 1) * rule.group),
          )
    for (const group of groups) {
      const pairs = group.map((p) => [a[from + p] ?? zero, b[from + p] ?? zero] as const)
      const start = numberOf(own, out)
      own =
        rule.adder === undefined || rule.adder === 'aligned'
          ? twinFused(pairs, start, rule.align, target)
          : twinFloored(pairs, start, rule.align, rule.adder === 'floored halves', target)
    }
    // Both are float32 or float16 numbers, whose float64 sum rounds to either as the exact one.
    sum = !isAfter ? own : rule.result === 'float16' ? float16(sum + own) : Math.fround(sum + own)
  }
  return sum
}

function float16(x: number): number {
  if (x === 0 || !Number.isFinite(x)) return x
  const step = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(x))), -14) - 10)
  const [low, rest] = [Math.floor(x / step), x / step - Math.floor(x / step)]
  const rounded = (rest > 0.5 || (rest === 0.5 && low % 2 !== 0) ? low + 1 : low) * step
  if (Math.abs(rounded) >= 65536) return Math.sign(x) * Number.POSITIVE_INFINITY
  return rounded === 0 && x < 0 ? -0 : rounded
}

/** Mulberry32. */
function randomOf(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

type Kind = 'any' | 'near' | 'tiny' | 'large' | 'cancelling' | 'special'
const kinds: readonly Kind[] = ['any', 'near', 'near', 'tiny', 'large', 'cancelling', 'cancelling', 'special']

/** Codes of a row: of any exponent, of a few, subnormal and zero, the largest, in pairs that cancel, with infinities and NaN. */
function row(next: () => number, kind: Kind, k: number, input: UnitInput): [number[], number[]] {
  const { exponentBits, fractionBits } = twinFormats[input === 'tf32' ? 'float32' : input]!
  const bits = 1 + exponentBits + fractionBits
  const below = (n: number): number => Math.floor(next() * n)
  const top = 2 ** exponentBits
  const base = below(top - 1)
  const fields = 1 + below(2)
  const code = (): number => {
    const field =
      kind === 'tiny'
        ? below(fields)
        : kind === 'large'
          ? top - 2 - below(2)
          : kind === 'any'
            ? below(top - 1)
            : Math.min(top - 2, base + below(4))
    const fraction = kind === 'tiny' && below(4) === 0 ? 0 : below(2 ** fractionBits)
    if (kind === 'special' && below(2 * k) === 0) return (top - 1) * 2 ** fractionBits + below(2) * fraction
    return (below(2) * top + field) * 2 ** fractionBits + fraction
  }
  const [a, b] = [Array.from({ length: k }, code), Array.from({ length: k }, code)]
  if (kind === 'cancelling' || (kind === 'tiny' && fields === 1 && below(2) === 0)) {
    for (let i = 1; i < k; i += 2) {
      a[i] = (a[i - 1]! + 2 ** (bits - 1)) % 2 ** bits
      b[i] = b[i - 1]!
    }
    if (below(2) === 0) b[below(k)] = code()
  }
  return [a, b]
}

/** The bits of an accumulator: 0, of any exponent, or where products of small formats lie. */
function accumulator(next: () => number, kind: Kind): number {
  const which = next()
  if (which < 0.2) return 0
  const isAny = which < 0.4
  const field = isAny ? Math.floor(next() * (kind === 'tiny' ? 2 : 256)) : 127 - 34 + Math.floor(next() * 44)
  const fraction = Math.floor(next() * 2 ** 23)
  return (
    ((next() < 0.5 ? 0 : 2 ** 31) + field * 2 ** 23 + (field === 255 && next() < 0.5 ? 0 : fraction)) >>> 0
  )
}

const combinations = Object.values(units).flatMap((unit) =>
  Object.entries(unit.rules).flatMap(([input, outputs]) =>
    Object.entries(outputs ?? {}).flatMap(([out, rule]) =>
      rule.scaled !== undefined || rule.adder === 'pairwise'
        ? []
        : [{ unit, input: input as UnitInput, out: out as UnitOutput, rule }],
    ),
  ),
)
/** Groups in all. */
const drawn = isLong ? 1e6 : 12_000

describe(`unitDot against big integers, seed ${seed}`, () => {
  const own = defineUnit({
    ...{ name: 'own', chips: 'none', basis: 'described', source: 'this test' },
    rules: {
      float16: { float32: { k: 6, group: 3, align: 5, result: 'e8m13', rounding: 'nearest' } },
      bfloat16: {
        float16: {
          ...{ k: 8, group: 4, align: 38, result: 'float16', rounding: 'cut' },
          ...{ order: 'by bit 1', accumulator: 'added after' },
        },
      },
    },
  })
  const all = [
    ...combinations,
    { unit: own, input: 'float16' as const, out: 'float32' as const, rule: own.rules.float16!.float32! },
    { unit: own, input: 'bfloat16' as const, out: 'float16' as const, rule: own.rules.bfloat16!.float16! },
  ]
  it.each(all.map((one) => ({ ...one, name: one.unit.name })))(
    'unitDot is the chain of exact sums: $name, $input into $out',
    ({ unit, input, out, rule }) => {
      const next = randomOf(seed * 7919 + JSON.stringify([unit.name, input, out]).length)
      // Two groups more than an instruction, the last one not whole.
      const k = rule.k + rule.group + Math.max(1, rule.group - 1)
      const rows = Math.ceil(drawn / all.length / Math.ceil(k / rule.group))
      const a: number[] = []
      const b: number[] = []
      const c = new Uint32Array(rows)
      for (let i = 0; i < rows; i++) {
        const kind = kinds[i % kinds.length]!
        const [x, y] = row(next, kind, k, input)
        a.push(...x)
        b.push(...y)
        c[i] = accumulator(next, kind)
      }
      const dtype: DType = input === 'tf32' ? 'float32' : input
      const codes = (list: number[]): Uint8Array | Uint16Array | Uint32Array =>
        input === 'tf32'
          ? Uint32Array.from(list)
          : dtype.includes('16')
            ? Uint16Array.from(list)
            : Uint8Array.from(list)
      const operand = (list: number[]): Tensor<'bfloat16'> =>
        fromBits(codes(list) as Uint16Array, { shape: [rows, k], dtype: dtype as 'bfloat16' })
      const start = fromBits(c, { shape: [rows], dtype: 'float32' })
      const result = unitDot(operand(a), operand(b), {
        ...{ unit, out, c: start },
        ...(input === 'tf32' ? { input } : {}),
      })
      const format = twinFormats[dtype]!
      const decoded = (code: number): TwinNumber =>
        twinDecode(input === 'tf32' ? code - (code % 2 ** 13) : code, format)
      const numbers = result.toNumbers()
      for (let i = 0; i < rows; i++) {
        const from = start.data[i]!
        const want = twin(
          rule,
          out,
          a.slice(i * k, (i + 1) * k).map(decoded),
          b.slice(i * k, (i + 1) * k).map(decoded),
          out === 'float16' ? float16(from) : from,
        )
        if (!Object.is(numbers[i], want)) {
          const shown = { row: i, c: from, a: a.slice(i * k, (i + 1) * k), b: b.slice(i * k, (i + 1) * k) }
          expect.soft(numbers[i], JSON.stringify(shown)).toBe(want)
          return
        }
      }
      expect(rows).toBeGreaterThan(0)
    },
  )
})
