import type { Operand } from '../program/program.js'
import type { BitsKept } from './bitsKept.js'
import type { Candidate } from './candidates.js'

/** What a choice is made by. */
export interface RewriteChoice {
  /** Simpler forms of a line before others. */
  readonly candidates: readonly Candidate[]
  /** Correct bits of some results with a set of rewrites; by default of the outputs. */
  readonly measure: (chosen: readonly Candidate[], operands?: readonly Operand[]) => BitsKept
  /** Those of the outputs without any. */
  readonly before: BitsKept
  /** Right bits that each has to add. */
  readonly atLeast: number
  /** Inputs of the program: the first step is the operand of that number. */
  readonly n: number
}

/**
 * The rewrites that improve the outputs, in the order of the run. The better of two searches counts: one adds the
 * best rewrite given those before it; the other begins with the best form of every line, measured at the line itself,
 * which finds pairs that help only together. Rewrites that add nothing to the others are removed from both.
 */
export function chooseRewrites(choice: RewriteChoice): Candidate[] {
  const { measure, before } = choice
  const ways = [added(choice), everywhere(choice)].map((set) => withoutIdle(choice, set))
  const [best] = ways
    .map((set) => ({ set, bits: set.length === 0 ? before : measure(set) }))
    .sort((a, b) => gain(b.bits, before) - gain(a.bits, before) || a.set.length - b.set.length)
  return [...best!.set].sort((a, b) => firstStep(a) - firstStep(b))
}

/** Bits by which one result is better than another: the mean, or a bit or more of the worst element where the mean is no worse. */
function gain(now: BitsKept, before: BitsKept): number {
  const [mean, worst] = [now.mean - before.mean, now.worst - before.worst]
  return mean < -0.01 || worst < 1 ? mean : Math.max(mean, worst)
}

/** Where two forms are as good, to a twentieth of a bit, the one that was named first stays first. */
function byGain(entries: readonly Measured[]): Measured[] {
  const steps = (value: number): number => Math.round(value * 20)
  return [...entries].sort((a, b) => steps(b.gain) - steps(a.gain))
}

interface Measured {
  readonly candidate: Candidate
  readonly gain: number
}

function added({ candidates, measure, before, atLeast }: RewriteChoice): Candidate[] {
  const alone = candidates.map((candidate) => ({ candidate, gain: gain(measure([candidate]), before) }))
  const chosen: Candidate[] = []
  let best = before
  for (const { candidate } of byGain(alone)) {
    if (chosen.some((other) => overlaps(other, candidate))) continue
    const bits = measure([...chosen, candidate])
    if (gain(bits, best) < atLeast) continue
    chosen.push(candidate)
    best = bits
  }
  return chosen
}

/** Of every line the form that serves the line's own result best. */
function everywhere({ candidates, measure, n, atLeast }: RewriteChoice): Candidate[] {
  const local = candidates.map((candidate) => {
    const results = [...candidate.forms.keys()].map((step) => n + step)
    return { candidate, gain: gain(measure([candidate], results), measure([], results)) }
  })
  const chosen: Candidate[] = []
  for (const { candidate, gain: own } of byGain(local)) {
    if (own >= atLeast && !chosen.some((other) => overlaps(other, candidate))) chosen.push(candidate)
  }
  return chosen
}

/** Removes rewrites that add too little to the others, late ones first. */
function withoutIdle({ measure, atLeast }: RewriteChoice, set: readonly Candidate[]): Candidate[] {
  let left = [...set]
  for (const candidate of [...set].reverse()) {
    const rest = left.filter((other) => other !== candidate)
    if (gain(measure(left), measure(rest)) < atLeast) left = rest
  }
  return left
}

function overlaps(a: Candidate, b: Candidate): boolean {
  return [...a.forms.keys()].some((step) => b.forms.has(step))
}

function firstStep({ forms }: Candidate): number {
  return Math.min(...forms.keys())
}
