import {
  isFloat,
  logAddExpOp,
  type Op,
  type OpName,
  opName,
  ops,
  stopGradientOp,
  type Tensor,
} from '../../tensors/tensor/index.js'
import { constantOf, isConstant } from '../program/constantOf.js'
import { type Operand, type Program, recorded, type Step } from '../program/program.js'

/** A sum: a number, and operands with their signs. */
export interface Linear {
  readonly constant: number
  readonly terms: readonly Term[]
}

export interface Term {
  readonly sign: 1 | -1
  readonly operand: Operand
}

/** Levels of sums inside each other that are taken apart: a deeper one is a loop. */
const deepest = 3

/** A recorded program as patterns read it: what is the same value, what is a number, which terms a sum has. */
export class Graph {
  readonly program: Program
  readonly #ids: number[] = []
  readonly #constants = new Map<Tensor, number>()
  readonly #ops = new Map<Op, number>()
  readonly #known = new Map<string, number>()
  readonly #linear = new Map<Operand, Linear>()
  #readers: readonly (readonly number[])[] | undefined

  constructor(program: Program) {
    this.program = program
    for (const i of program.inputs.keys()) this.#ids.push(this.#idOf(`input ${i}`))
    for (const [i, step] of program.steps.entries()) this.#ids.push(this.#idOf(this.#keyOf(step, i)))
  }

  /** The number of a step's result as an operand. */
  valueOf(step: number): number {
    return this.program.inputs.length + step
  }

  /** The step that produced an operand, skipping casts between floats and stopGradient. */
  stepOf(operand: Operand): Step | undefined {
    const at = this.bare(operand)
    return typeof at === 'number' ? this.program.steps[at - this.program.inputs.length] : undefined
  }

  /** Its number. */
  stepNumber(operand: Operand): number | undefined {
    const at = this.bare(operand)
    return typeof at === 'number' && this.stepOf(at) ? at - this.program.inputs.length : undefined
  }

  /** The steps that read a step's result, and -1 where it is a result of the program. */
  readersOf(step: number): readonly number[] {
    this.#readers ??= readersIn(this.program)
    return this.#readers[step]!
  }

  /** The operands of the step that produced an operand, if it is one of these operations. */
  read(operand: Operand, ...names: readonly (OpName | 'logAddExp')[]): readonly Operand[] | undefined {
    const step = this.stepOf(operand)
    const name = step && (opName(step.op) ?? (step.op === logAddExpOp ? 'logAddExp' : undefined))
    return name && names.includes(name) ? step.operands : undefined
  }

  /** The operand before casts between floats. */
  bare(operand: Operand): Operand {
    let at = operand
    for (;;) {
      const step = typeof at === 'number' ? this.program.steps[at - this.program.inputs.length] : undefined
      const [x] = step?.operands ?? []
      if (x === undefined || !(step!.op === stopGradientOp || this.#isFloatCast(step!))) return at
      at = x
    }
  }

  #isFloatCast({ op, operands, output }: Step): boolean {
    return op === ops.cast && isFloat(output.dtype) && isFloat(recorded(this.program, operands[0]!).dtype)
  }

  /** Equal for operands that are one value, computed once or again. */
  idOf(operand: Operand): number {
    const at = this.bare(operand)
    if (typeof at === 'number') return this.#ids[at]!
    let id = this.#constants.get(at)
    if (id === undefined) {
      const value = at.size === 1 ? at.item() : undefined
      id = this.#idOf(value === undefined ? `tensor ${this.#constants.size}` : `number ${value}`)
      this.#constants.set(at, id)
    }
    return id
  }

  same(a: Operand, b: Operand): boolean {
    return this.idOf(a) === this.idOf(b)
  }

  /** The number that an operand is in all its elements, as the code wrote it. */
  constant(operand: Operand): number | undefined {
    const at = this.bare(operand)
    const step = this.stepOf(at)
    if (step) return constantOf(step)
    if (typeof at === 'number' || at.size === 0 || at.size > 4096) return undefined
    const values = at.toNumbers()
    return values.every((value) => value === values[0]) ? values[0] : undefined
  }

  shapeOf(operand: Operand): readonly number[] {
    return recorded(this.program, operand).shape
  }

  dtypeOf(operand: Operand): Tensor['dtype'] {
    return recorded(this.program, operand).dtype
  }

  /** x of a square, written either way. */
  squared(operand: Operand): Operand | undefined {
    const [x] = this.read(operand, 'square') ?? []
    if (x !== undefined) return x
    const [a, b] = this.read(operand, 'mul') ?? []
    return a !== undefined && this.same(a, b!) ? a : undefined
  }

  /** An operand as a sum: nested sums, differences and signs taken apart, some levels deep. */
  linear(operand: Operand): Linear {
    let known = this.#linear.get(operand)
    if (!known) {
      known = this.#takenApart(operand)
      this.#linear.set(operand, known)
    }
    return known
  }

  #takenApart(operand: Operand): Linear {
    const terms: Term[] = []
    let constant = 0
    const visit = (at: Operand, sign: 1 | -1, depth: number): void => {
      const value = this.constant(at)
      if (value !== undefined) {
        constant += sign * value
        return
      }
      const [a, b] = depth < deepest ? (this.read(at, 'add', 'sub', 'neg') ?? []) : []
      if (a === undefined) {
        terms.push({ sign, operand: this.bare(at) })
      } else {
        const { op } = this.stepOf(at)!
        visit(a, op === ops.neg ? (-sign as 1 | -1) : sign, depth + 1)
        if (b !== undefined) visit(b, op === ops.sub ? (-sign as 1 | -1) : sign, depth + 1)
      }
    }
    visit(operand, 1, 0)
    return { constant, terms }
  }

  /** a - b, equal terms gone; undefined where none goes, so that nothing is known of the difference. */
  difference(a: Operand, b: Operand): Linear | undefined {
    const [x, y] = [this.linear(a), this.linear(b)]
    const left = [...x.terms]
    const rest: Term[] = []
    for (const { sign, operand } of y.terms) {
      const at = left.findIndex((term) => term.sign === sign && this.same(term.operand, operand))
      if (at >= 0) left.splice(at, 1)
      else rest.push({ sign: -sign as 1 | -1, operand })
    }
    if (rest.length === y.terms.length) return undefined
    return { constant: x.constant - y.constant, terms: [...left, ...rest] }
  }

  /** Whether a = -b. */
  opposite(a: Operand, b: Operand): boolean {
    const [x, y] = [this.linear(a), this.linear(b)]
    if (x.constant !== -y.constant || x.terms.length !== y.terms.length) return false
    return x.terms.every(({ sign, operand }) =>
      y.terms.some((other) => other.sign === -sign && this.same(other.operand, operand)),
    )
  }

  #keyOf({ op, operands, attributes }: Step, index: number): string {
    const [x, y] = operands
    const constant = constantOf({ op, attributes })
    if (constant !== undefined) return `number ${constant}`
    if (isConstant({ op })) return `constant ${index}`
    const args = operands.map((operand) => this.idOf(operand))
    if (op === ops.mul && x !== undefined && this.same(x, y!)) return `square() ${args[0]}`
    if (op === ops.add || op === ops.mul) args.sort((a, b) => a - b)
    return `${this.#opId(op)}(${attributesKey(attributes) ?? index}) ${args.join(' ')}`
  }

  /** Two custom operations may have the same name. */
  #opId(op: Op): number {
    const id = this.#ops.get(op) ?? this.#ops.size
    this.#ops.set(op, id)
    return id
  }

  #idOf(key: string): number {
    const id = this.#known.get(key) ?? this.#known.size
    this.#known.set(key, id)
    return id
  }
}

function readersIn({ inputs, steps, outputs }: Program): number[][] {
  const readers: number[][] = steps.map(() => [])
  for (const [i, { operands }] of steps.entries()) {
    for (const operand of operands) {
      if (typeof operand === 'number' && operand >= inputs.length) readers[operand - inputs.length]!.push(i)
    }
  }
  for (const output of outputs) {
    if (typeof output === 'number' && output >= inputs.length) readers[output - inputs.length]!.push(-1)
  }
  return readers
}

/** Attributes as text; undefined where they are not plain data. */
function attributesKey(attributes: unknown): string | undefined {
  if (attributes === undefined) return ''
  try {
    return JSON.stringify(attributes)
  } catch {
    return undefined
  }
}
