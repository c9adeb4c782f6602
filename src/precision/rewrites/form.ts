import type { Operand } from '../program/program.js'
import { calls, type Expression, leaf } from './expression.js'
import type { Graph, Linear } from './graph.js'

/** A stable way to compute what a step computes. */
export interface Form {
  readonly to: Expression
  /** What the code does, by name, where it is more than an expression: 'softmax, op by op'. */
  readonly from?: string
  /** Whether it differs in the dtype it computes in, and not in what it computes. Default false. */
  readonly wider?: boolean
}

/** The replacements of a step; none if the pattern does not match. */
export type RewriteRule = (graph: Graph, step: number) => readonly Form[]

/** A sum of terms. */
export function total({ constant, terms }: Linear): Expression {
  const [first, ...rest] = terms
  if (!first) return constant
  const start = leaf(first.operand)
  if (rest.length === 0 && first.sign === -1 && constant !== 0) return calls.sub(constant, start)
  const sum = rest.reduce<Expression>(
    (x, { sign, operand }) => (sign === 1 ? calls.add : calls.sub)(x, leaf(operand)),
    first.sign === 1 ? start : calls.neg(start),
  )
  return shifted(sum, constant)
}

/** x plus a number. */
export function shifted(x: Expression, constant: number): Expression {
  if (constant === 0) return x
  return constant < 0 ? calls.sub(x, -constant) : calls.add(x, constant)
}

/** A linear form with all signs turned. */
export function negated({ constant, terms }: Linear): Linear {
  return {
    constant: -constant,
    terms: terms.map(({ sign, operand }) => ({ sign: -sign as 1 | -1, operand })),
  }
}

/** An expression, or its negation. */
export function signed(sign: 1 | -1, x: Expression): Expression {
  return sign === 1 ? x : calls.neg(x)
}

/** One form, or none without an expression. */
export function one(to: Expression | undefined): readonly Form[] {
  return to === undefined ? [] : [{ to }]
}

/** The operand and sign of a sum of one term and this number. */
export function onlyTerm({ constant, terms }: Linear, number: number): Linear['terms'][number] | undefined {
  return constant === number && terms.length === 1 ? terms[0] : undefined
}

/** The operands of a plain difference. */
export function twoTerms(
  graph: Graph,
  i: number,
): { readonly plus: Operand; readonly minus: Operand } | undefined {
  const { constant, terms } = graph.linear(graph.valueOf(i))
  const plus = terms.find(({ sign }) => sign === 1)
  const minus = terms.find(({ sign }) => sign === -1)
  return constant === 0 && terms.length === 2 && plus && minus
    ? { plus: plus.operand, minus: minus.operand }
    : undefined
}
