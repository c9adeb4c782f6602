import * as numerics from '../../numerics/index.js'
import * as tensors from '../../tensors/tensor/index.js'
import type { Operand } from '../program/program.js'

/** The functions that a form may call, by the names that users import. */
const functions = { ...tensors, ...numerics }

export type FunctionName = keyof typeof tensors | keyof typeof numerics

/** The value of an operand in a run, in the dtype that a form computes in. */
export type Values = (operand: Operand) => tensors.Tensor

/** A value of the program. */
export class Leaf {
  readonly operand: Operand
  constructor(operand: Operand) {
    this.operand = operand
  }
}

/** A call of a function. One object that stands in several places is computed once, and printed once. */
export class Call {
  readonly name: FunctionName
  readonly args: readonly Argument[]
  constructor(name: FunctionName, args: readonly Argument[]) {
    this.name = name
    this.args = args
  }
}

/** An expression that is both run and printed, so that the text is what was measured. */
export type Expression = number | Leaf | Call
export type Argument = Expression | string | undefined | readonly Argument[] | Options
export interface Options {
  readonly [name: string]: string | number | boolean | undefined | readonly number[]
}

/** Calls by name; of numbers alone, their value in float64. */
export const calls: Readonly<Record<FunctionName, (...args: readonly Argument[]) => Expression>> =
  Object.fromEntries(
    Object.keys(functions).map((key) => {
      const name = key as FunctionName
      return [
        name,
        (...args: readonly Argument[]): Expression => {
          const given = args.filter((arg) => arg !== undefined)
          if (!given.every((arg) => typeof arg === 'number')) return new Call(name, given)
          return applied(
            name,
            given.map((x) => tensors.tensor(x, { dtype: 'float64' })),
          ).item()
        },
      ]
    }),
  ) as never

export function leaf(operand: Operand): Leaf {
  return new Leaf(operand)
}

function applied(name: FunctionName, args: readonly unknown[]): tensors.Tensor {
  const f = functions[name] as (...args: readonly unknown[]) => tensors.Tensor
  return f(...args)
}

/** Whether a function goes by this name here. */
export function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(functions, name)
}

/** Computes an expression; of a number alone it is that number. */
export function evaluate(expression: Expression, valueOf: Values): tensors.Tensor | number {
  const known = new Map<Call, tensors.Tensor>()
  const value = (x: Argument): unknown => {
    if (x instanceof Leaf) return valueOf(x.operand)
    if (Array.isArray(x)) return x.map(value)
    if (!(x instanceof Call)) return x
    let result = known.get(x)
    if (!result) {
      result = applied(x.name, x.args.map(value))
      known.set(x, result)
    }
    return result
  }
  return value(expression) as tensors.Tensor | number
}

/** The operands that an expression reads, in the order in which they are written. */
export function readsOf(expression: Argument): Operand[] {
  const found = new Set<Operand>()
  const seen = new Set<Argument>()
  const visit = (x: Argument): void => {
    if (seen.has(x)) return
    seen.add(x)
    if (x instanceof Leaf) found.add(x.operand)
    else if (x instanceof Call) x.args.forEach(visit)
    else if (Array.isArray(x)) x.forEach(visit)
  }
  visit(expression)
  return [...found]
}

/** Items of a list that are written out. */
const few = 8

/**
 * An expression as TypeScript: a call, after constants for what it reads more than once, which `letters` names; of long lists the first
 * two items.
 */
export function textOf(
  expression: Expression,
  nameOf: (operand: Operand) => string,
  letters: Iterator<string>,
): string {
  const uses = new Map<Call, number>()
  const count = (x: Argument): void => {
    if (Array.isArray(x)) x.forEach(count)
    if (!(x instanceof Call)) return
    const known = uses.get(x) ?? 0
    uses.set(x, known + 1)
    if (known === 0) x.args.forEach(count)
  }
  count(expression)
  const lines: string[] = []
  const named = new Map<Call, string>()
  const text = (x: Argument): string => {
    if (x instanceof Leaf) return nameOf(x.operand)
    if (Array.isArray(x)) {
      return `[${x
        .slice(0, x.length > few ? 2 : few)
        .map(text)
        .join(', ')}${x.length > few ? ', ...' : ''}]`
    }
    if (x instanceof Call) {
      const known = named.get(x)
      if (known !== undefined) return known
      const written = `${x.name}(${x.args.map(text).join(', ')})`
      if (uses.get(x) === 1) return written
      const name = letters.next().value as string
      lines.push(`const ${name} = ${written}`)
      named.set(x, name)
      return name
    }
    return plainText(x as string | number | Options)
  }
  const last = text(expression)
  return [...lines, last].join('; ')
}

/** Letters for names, those of unknowns first. */
export function* lettersBeside(taken: ReadonlySet<string>): Generator<string> {
  for (let round = 0; ; round++) {
    for (const letter of 'xyzuvwpqrstabcdefghijklmno') {
      const name = round === 0 ? letter : `${letter}${round}`
      if (!taken.has(name)) yield name
    }
  }
}

function plainText(x: string | number | Options): string {
  if (typeof x === 'string') return `'${x}'`
  if (typeof x === 'number') return Object.is(x, -0) ? '-0' : String(x)
  const given = Object.entries(x).filter(([, value]) => value !== undefined)
  const shown = given.map(([name, value]) => {
    const written = Array.isArray(value) ? `[${value.join(', ')}]` : plainText(value as string | number)
    return `${name}: ${typeof value === 'boolean' ? String(value) : written}`
  })
  return `{ ${shown.join(', ')} }`
}
