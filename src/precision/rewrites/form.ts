import { add, neg, type Tensor, tensor } from '../../tensor/index.js'
import type { Operand } from '../program/program.js'
import type { Graph, Linear, Term } from './graph.js'

/** The value of an operand in a run, in the dtype that a form computes in. */
export type Values = (operand: Operand) => Tensor

/** A stable way to compute what a step computes. */
export interface Form {
  /** What the code does, and what it could do instead, with x, y for what both read. */
  readonly from: string
  readonly to: string
  /** What the stable form reads, x first. */
  readonly reads: readonly Operand[]
  readonly run: (value: Values) => Tensor
  /** Whether it differs in the dtype it computes in, and not in what it computes. Default false. */
  readonly wider?: boolean
}

/** What may be written instead of a step; nothing where the pattern is another one. */
export type RewriteRule = (graph: Graph, step: number) => readonly Form[]

/** An expression of operands. */
export interface Expression {
  readonly reads: readonly Operand[]
  readonly run: (value: Values) => Tensor
}

export function leaf(operand: Operand): Expression {
  return { reads: [operand], run: (value) => value(operand) }
}

/** A sum of terms; undefined of a number alone, which has no dtype. */
export function total({ constant, terms }: Linear): Expression | undefined {
  const [first, ...rest] = terms
  if (!first) return undefined
  const signed = ({ sign, operand }: Term, value: Values): Tensor =>
    sign === 1 ? value(operand) : neg(value(operand))
  return {
    reads: terms.map(({ operand }) => operand),
    run: (value) => {
      const sum = rest.reduce((x, term) => add(x, signed(term, value)), signed(first, value))
      return constant === 0 ? sum : add(sum, constant)
    },
  }
}

/** The same, of a number alone too: in the dtype and on the device of another expression's result. */
export function totalLike(linear: Linear, like: Expression): Expression {
  const sum = total(linear)
  if (sum) return sum
  return { reads: like.reads, run: (value) => tensor(linear.constant, { dtype: like.run(value).dtype }) }
}

/** A linear form with all signs turned. */
export function negated({ constant, terms }: Linear): Linear {
  return {
    constant: -constant,
    terms: terms.map(({ sign, operand }) => ({ sign: -sign as 1 | -1, operand })),
  }
}
