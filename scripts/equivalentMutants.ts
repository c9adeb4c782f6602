import type { Mutant } from './mutantsOf.js'

/** A mistake that changes no result, so that no test can notice it. */
interface Equivalent {
  readonly file: string
  /** The line it is on; any line of the file where there is none. */
  readonly source?: string
  /** What is done, as the report says it, or how all that is said ends. */
  readonly what: string | RegExp
  readonly why: string
}

/** A loop that writes one element more than there is room for. */
const beyond =
  'what is written past the end of a typed array is dropped, and in it the next row is written over it'
const oneRow = 'one row alone is summed from +0 and added to +0'
const nonzero = 'a step of 0 was refused above'
const notZero = 'a place of 0 was answered above'
const slower = 'without a row it runs on its own kernel or element by element, with the same bits, and slower'
const reference = 'the reference, which is asked instead, gives the same'

const [scans, sums, slices] = ['scanLane', 'sumLane', 'slice'].map((name) =>
  name === 'slice' ? 'tensors/tensor/layout/slice.ts' : `tensors/tensor/reductions/${name}.ts`,
) as [string, string, string]
const [round, encode, ulp] = ['round', 'encode', 'ulp'].map((name) => `numbers/formats/${name}.ts`) as [
  string,
  string,
  string,
]

const policies = 'precision/tune/throughFloat32.ts'

const equivalents: readonly Equivalent[] = [
  {
    file: 'tensors/autodiff/explain/exceptionRules.ts',
    source: 'atan: { inexact },',
    what: "atan is sinh's",
    why: 'that a result is reached by some operand is asked where it is infinite, which an arc is not',
  },
  { file: scans, what: '< is <= in i < end', why: beyond },
  { file: scans, what: '< is <= in i < start + n', why: beyond },
  { file: scans, what: '< is <= in i < half', why: beyond },
  { file: scans, what: '< is <= in i < n', why: beyond },
  { file: scans, what: '< is <= in row < totals.length', why: beyond },
  { file: scans, what: '<= is < in n <= width', why: oneRow },
  { file: sums, what: '< is <= in i < half', why: beyond },
  { file: sums, what: '< is <= in row < totals.length', why: beyond },
  { file: sums, what: '<= is < in n <= width', why: oneRow },
  {
    file: sums,
    what: '>= is > in Math.abs(s) >= Math.abs(v)',
    why: 'of operands of one magnitude either may lose what is lost',
  },
  {
    file: sums,
    source: 'if (!Number.isFinite(t)) c = 0',
    what: '0 is one more in c = 0',
    why: 'beside an infinite sum, which stays so, a finite correction does nothing',
  },
  {
    file: sums,
    source: 'c = Number.isFinite(t) ? round(round(t - s) - y) : 0',
    what: /^0 is one more/,
    why: 'beside an infinite sum, which stays so, a finite correction does nothing',
  },
  { file: slices, what: '> is >= in step > 0', why: nonzero },
  {
    file: slices,
    what: '0 is one more in start === null ? 0 : start',
    why: 'only asked whether it is a whole number',
  },
  {
    file: slices,
    what: '0 is one more in stop === null ? 0 : stop',
    why: 'only asked whether it is a whole number',
  },
  {
    file: slices,
    source: 'return [count === 0 ? 0 : from, count, step]',
    what: '0 is one more in count === 0 ? 0 : from',
    why: 'of no elements none is read, wherever they begin',
  },
  { file: ulp, what: '< is <= in index < 0', why: notZero },
  { file: ulp, what: '0 is one more in index < 0', why: 'the step before 0 is -1 or 1' },
  { file: ulp, what: '< is <= in next < 0', why: notZero },
  { file: ulp, what: '0 is one more in next < 0', why: notZero },
  {
    file: encode,
    what: '< is <= in magnitude < format.minNormal',
    why: 'the least normal value has the same code by both ways',
  },
  { file: round, what: '<= is < in value <= max', why: reference },
  { file: round, what: '>= is > in value >= -max', why: reference },
  { file: round, what: '> is >= in value > 2 * max', why: reference },
  { file: round, what: '< is <= in value < -2 * max', why: reference },
  { file: round, what: '2 is one more in 2 * max', why: reference },
  { file: round, what: '2 is one more in -2', why: reference },
  {
    file: round,
    what: '< is <= in exponent < lowestExponent',
    why: 'both choices are the same number there',
  },
  { file: round, what: /^2046 is one more/, why: 'an entry more is never read' },
  {
    file: 'tensors/autodiff/rules/sumOptions.ts',
    what: '- is + in g.rank - 1',
    why: 'an axis that neither has is alike',
  },
  {
    file: 'tensors/autodiff/backward.ts',
    what: '+ is - in serial + 1',
    why: 'what ran before is known already, and walked past',
  },
  ...['tensors/autodiff/vmap/batchRules.ts', 'tensors/compile/graph/lowering.ts', policies].map((file) => ({
    file,
    what: / is (taken|left) out$/,
    why: slower,
  })),
  ...["div is pow's", "sum is mean's", "matmul is max's"].map((what) => ({
    file: policies,
    what,
    why: slower,
  })),
  { file: policies, what: "min is sqrt's", why: 'float32 rounds nothing of what is chosen' },
  {
    file: policies,
    what: "cast is sum's",
    why: 'a cast has no accumulator, and without one a sum has no float32',
  },
]

/** The mutants that change something; the others by their reasons. Throws for a reason that no mutant has any more. */
export function withoutEquivalents(all: readonly Mutant[], files: readonly string[]): readonly Mutant[] {
  for (const known of equivalents) {
    if (files.includes(known.file) && !all.some((mutant) => isOf(mutant, known))) {
      throw new RangeError(
        `mutants: equivalent to nothing that is planted [${known.file}: ${String(known.what)}]`,
      )
    }
  }
  return all.filter((mutant) => !isEquivalent(mutant))
}

/** Whether a mutant is known to change no result. */
export const isEquivalent = (mutant: Mutant): boolean => equivalents.some((known) => isOf(mutant, known))

const isOf = (mutant: Mutant, { file, source, what }: Equivalent): boolean =>
  mutant.file === file &&
  (source === undefined || mutant.source === source) &&
  (typeof what === 'string' ? mutant.what === what : what.test(mutant.what))
