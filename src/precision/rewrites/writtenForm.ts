import type { Casting } from '../../tensors/tensor/index.js'
import {
  type FloatDType,
  formOf,
  isFloat,
  opName,
  ops,
  sameShape,
  type Tensor,
} from '../../tensors/tensor/index.js'
import { type Operand, recorded } from '../program/program.js'
import type { Candidate } from './candidates.js'
import {
  type Argument,
  Call,
  calls,
  type Expression,
  evaluate,
  isFunctionName,
  Leaf,
  leaf,
  lettersBeside,
  readsOf,
  textOf,
} from './expression.js'
import type { Graph } from './graph.js'
import { innerOf } from './rerun.js'

/** A rewrite in TypeScript. */
export interface WrittenForm {
  readonly from: string
  readonly to: string
  /** The meaning of letters that are not inputs: `x is mul at model.ts:3:9`. */
  readonly operands: readonly string[]
}

/** Calls of the program that are written out where a form reads their result, and where it is what the form replaces. */
const few = { read: 12, replaced: 24 }

/** Arguments that may be plain numbers. */
const takesNumbers = [
  'add',
  'sub',
  'mul',
  'div',
  'pow',
  'atan2',
  'maximum',
  'minimum',
  'hypot',
  'less',
  'greater',
]

/**
 * A candidate as it was run, in the names of the inputs: what it reads by the calls that compute it, or by a letter where those
 * are many, or differ between the turns of a loop.
 */
export function writtenForm(graph: Graph, { forms }: Candidate, names: readonly string[]): WrittenForm {
  const [step, { to, from }] = [...forms][0]!
  const reads = readsOf(to)
  const others = [...forms.values()].map((form) => readsOf(form.to))
  const varying = new Set(reads.filter((x, k) => others.some((list) => list[k] !== x)))
  const letters = lettersBeside(new Set(names.map((name) => /^[\w$]+/.exec(name)?.[0] ?? name)))
  const named = new Map<Operand, string>()
  const operands: string[] = []
  const nameOf = (operand: Operand): string => {
    const n = graph.program.inputs.length
    if (typeof operand === 'number' && operand < n) return names[operand]!
    let name = named.get(operand)
    if (name === undefined) {
      name = letters.next().value as string
      named.set(operand, name)
      operands.push(`${name} is ${whatIs(graph, operand)}`)
    }
    return name
  }
  const writer = new Writer(graph, varying)
  const whole = writer.completed(to, graph.program.steps[step]!.output)
  const replaced = from ?? textOf(writer.written(graph.valueOf(step), few.replaced), nameOf, letters)
  return { from: replaced, to: textOf(whole, nameOf, letters), operands: operands.slice(0, explained) }
}

/** Letters that are explained. */
const explained = 4

function whatIs({ program }: Graph, operand: Operand): string {
  if (typeof operand !== 'number') return `a tensor [${operand.shape.join(', ')}] that the function reads`
  const { op, site } = program.steps[operand - program.inputs.length]!
  return site ? `${op.name} at ${site}` : `${op.name}, step ${operand - program.inputs.length}`
}

/** Writes values of a program by the calls that made them, each value as one object. */
class Writer {
  readonly #graph: Graph
  readonly #opaque: ReadonlySet<Operand>
  readonly #known = new Map<Operand, Expression>()
  readonly #alike = new Map<string, Call>()

  constructor(graph: Graph, opaque: ReadonlySet<Operand>) {
    this.#graph = graph
    this.#opaque = opaque
  }

  /** A form that gives the shape and dtype of the step that it replaces. */
  completed(to: Expression, like: Tensor): Expression {
    const { program } = this.#graph
    const inner = innerOf([like, ...readsOf(to).map((x) => recorded(program, x))])
    const whole = this.#inputsOf(to, inner)
    const result = evaluate(whole, (x) => recorded(program, x))
    if (typeof result === 'number') return calls.broadcastTo(scalar(result, like.dtype), [...like.shape])
    const { size, shape } = like
    const shaped =
      result.size === size ? calls.reshape(whole, [...shape]) : calls.broadcastTo(whole, [...shape])
    const sized = sameShape(result.shape, shape) ? whole : shaped
    return result.dtype === like.dtype ? sized : calls.cast(sized, like.dtype)
  }

  /** An expression with its leaves written out, in one dtype. */
  #inputsOf(expression: Expression, inner: FloatDType): Expression {
    const known = new Map<Argument, Argument>()
    const visit = (x: Argument, numbers: boolean): Argument => {
      if (typeof x !== 'object') return x
      const key = x instanceof Leaf ? x.operand : x
      if (known.has(key as Argument)) {
        const again = known.get(key as Argument)
        if (typeof again !== 'number' || numbers) return again
      }
      let result: Argument = x
      if (x instanceof Leaf) result = this.#leaf(x.operand, inner, numbers)
      if (Array.isArray(x)) result = x.map((item) => visit(item, false))
      if (x instanceof Call) {
        const args = x.args.map((arg) => visit(arg, takes(x)))
        result = this.#call(x.name, args, inner)
      }
      known.set(key as Argument, result)
      return result
    }
    return visit(expression, false) as Expression
  }

  #leaf(operand: Operand, inner: FloatDType, numbers: boolean): Expression {
    const { dtype } = recorded(this.#graph.program, operand)
    const x = this.written(operand, few.read)
    if (typeof x === 'number') return numbers ? x : scalar(x, inner)
    return isFloat(dtype) && dtype !== inner ? calls.cast(x, inner) : x
  }

  /** A value by at most so many calls; a leaf where there are more, or one that cannot be written. */
  written(operand: Operand, most: number): Expression {
    const known = this.#known.get(operand)
    if (known !== undefined) return known
    const x = this.#calls(operand) ?? leaf(operand)
    const result = callsIn(x) > most ? leaf(operand) : x
    this.#known.set(operand, result)
    return result
  }

  #calls(operand: Operand): Expression | undefined {
    const { program } = this.#graph
    const tensor = recorded(program, operand)
    const number = tensor.rank === 0 ? this.#graph.constant(operand) : undefined
    if (number !== undefined) return number
    const step = typeof operand === 'number' ? program.steps[operand - program.inputs.length] : undefined
    if (!step || this.#opaque.has(operand)) return undefined
    const { op, operands, attributes, output } = step
    const name = opName(op)
    if (op.name === 'stopGradient') return this.written(operands[0]!, few.read)
    if (name === undefined || !isFunctionName(name)) return undefined
    const args = operands.map((x) => this.written(x, few.read))
    if (op === ops.reshape || op === ops.broadcastTo) {
      return typeof args[0] === 'number'
        ? undefined
        : this.#call(name, [args[0]!, [...output.shape]], output.dtype as FloatDType)
    }
    if (formOf(op) !== 'elementwise') return undefined
    if (op === ops.cast) {
      const { dtype, options } = attributes as Casting
      return options || typeof args[0] === 'number' ? undefined : calls.cast(args[0]!, dtype)
    }
    return attributes === undefined ? this.#call(name, args, output.dtype as FloatDType) : undefined
  }

  /** A call, one argument of which is a tensor; the same object for the same call. */
  #call(name: Call['name'], args: readonly Argument[], dtype: FloatDType): Call {
    const numbers = args.every((x) => typeof x === 'number')
    const given = args.map((x, k) => (numbers && k === 0 ? scalar(x as number, dtype) : x))
    const ids = [...this.#alike.values()]
    const key = (x: Argument): unknown =>
      x instanceof Leaf
        ? `@${this.#graph.idOf(x.operand)}`
        : x instanceof Call && ids.includes(x)
          ? `#${ids.indexOf(x)}`
          : Array.isArray(x)
            ? x.map(key)
            : x
    const text = JSON.stringify([name, given.map(key)])
    const known = this.#alike.get(text) ?? new Call(name, given)
    this.#alike.set(text, known)
    return known
  }
}

const takes = ({ name }: Call): boolean => takesNumbers.includes(name)

function scalar(value: number, dtype: string): Expression {
  return new Call('tensor', [value, { dtype }])
}

/** How many different calls there are. */
function callsIn(expression: Expression): number {
  const found = new Set<Call>()
  const visit = (x: Argument): void => {
    if (Array.isArray(x)) x.forEach(visit)
    if (!(x instanceof Call) || found.has(x)) return
    found.add(x)
    x.args.forEach(visit)
  }
  visit(expression)
  return found.size
}
