import {
  add,
  apply,
  atan,
  cast,
  cos,
  div,
  exp,
  fromBits,
  log,
  mul,
  neg,
  type Op,
  pow,
  sin,
  sqrt,
  sub,
  type Tensor,
  tan,
  tanh,
  tensor,
} from 'tpu-toolkit'
import { plus, type Real, type RealRule, realOf, root, times, toFloat64 } from 'tpu-toolkit/precision'
import { readText } from './project.js'

export type KeyFormat = 'float32' | 'bfloat16'
export const keyFormats: readonly KeyFormat[] = ['float32', 'bfloat16']

export interface KeySample {
  readonly x: readonly string[]
  readonly true: string
  readonly trueDecimal: string
  readonly got: string
  readonly nodes: string
  readonly bitsOfError: number
  readonly realBits: number
  readonly gains: readonly number[]
  readonly blame: readonly number[]
  readonly events: readonly (readonly [number, string, number?])[]
}

export interface KeyResults {
  readonly constants: readonly string[]
  readonly order: readonly number[]
  readonly meanBits: number
  readonly maxBits: number
  readonly meanLocal: readonly number[]
  readonly meanGain: readonly number[]
  readonly blame: readonly number[]
  readonly keepFloat32?: readonly {
    readonly size: number
    readonly meanBits: number
    readonly maxBits: number
    readonly sets: readonly (readonly number[])[]
  }[]
  readonly samples: readonly KeySample[]
}

/** A straight-line program of the keys. */
export interface Expression {
  readonly name: string
  readonly inputs: readonly { readonly name: string }[]
  readonly nodes: readonly (readonly [string, readonly (number | string)[]])[]
  readonly float32: KeyResults
  readonly bfloat16: KeyResults
}

export const expressions: readonly Expression[] = JSON.parse(
  readText('test/golden/precision/fpbench.json'),
).expressions

/** A scalar of this bit pattern. */
export function scalar(code: string, dtype: KeyFormat): Tensor {
  const bits = Number.parseInt(code, 16)
  return fromBits(dtype === 'float32' ? Uint32Array.of(bits) : [bits], { shape: [], dtype })
}

/** The code of a scalar, as the keys write it. */
export function codeOf(x: Tensor): string {
  return Number(x.toBits()[0])
    .toString(16)
    .padStart(x.dtype === 'float32' ? 8 : 4, '0')
}

/** Operations that tensor does not have, on scalars and vectors: exact in integers, rounded once. */
function exactly(name: string, rule: RealRule): Op {
  return {
    name,
    kernel: (inputs) => {
      const shape = inputs.find((x) => x.rank > 0)?.shape ?? []
      const values = inputs.map((x) => x.toNumbers())
      const exact = Float64Array.from({ length: shape[0] ?? 1 }, (_, i) =>
        toFloat64ToOdd(rule(...values.map((x) => realOf(x[x.length === 1 ? 0 : i]!)))),
      )
      return cast(tensor(exact, { shape, dtype: 'float64' }), inputs[0]!.dtype)
    },
  }
}

/** Rounded to float64 to odd, so that rounding it again, to 24 bits or fewer, rounds once. */
function toFloat64ToOdd(exact: Real): number {
  const near = toFloat64(exact)
  const rest = toFloat64(plus(exact, realOf(-near)))
  if (rest === 0 || near === 0) return near
  const bits = new BigUint64Array(Float64Array.of(near).buffer)
  if ((bits[0]! & 1n) === 1n) return near
  bits[0]! += rest > 0 === near > 0 ? 1n : -1n
  return new Float64Array(bits.buffer)[0]!
}

const fusedRule: RealRule = (a, b, c) => plus(times(a!, b!), c!)
const hypotRule: RealRule = (a, b) => root(plus(times(a!, a!), times(b!, b!)))
const fmaOp = exactly('fma', fusedRule)
const hypotOp = exactly('hypot', hypotRule)

/** The unrounded forms of the keys' own operations. */
export const keyRules: ReadonlyMap<Op, RealRule> = new Map([
  [fmaOp, fusedRule],
  [hypotOp, hypotRule],
])

type Numbers = (...args: Tensor[]) => Tensor
const operations: Readonly<Record<string, Numbers>> = {
  '+': (a, b) => add(a!, b!),
  '-': (a, b) => sub(a!, b!),
  '*': (a, b) => mul(a!, b!),
  '/': (a, b) => div(a!, b!),
  pow: (a, b) => pow(a!, b!),
  neg: (a) => neg(a!),
  sqrt: (a) => sqrt(a!),
  exp: (a) => exp(a!),
  log: (a) => log(a!),
  sin: (a) => sin(a!),
  cos: (a) => cos(a!),
  tan: (a) => tan(a!),
  atan: (a) => atan(a!),
  tanh: (a) => tanh(a!),
  fma: (...args) => apply(fmaOp, args, undefined),
  hypot: (...args) => apply(hypotOp, args, undefined),
}

/** The expression as a function of its inputs by name; its steps are the key's nodes. */
export function programOf(expression: Expression, dtype: KeyFormat): (x: Record<string, Tensor>) => Tensor {
  const constants = expression[dtype].constants.map((code) => scalar(code, dtype))
  return (x) => {
    const nodes: Tensor[] = []
    const valueOf = (arg: number | string): Tensor => {
      if (typeof arg === 'number') return nodes[arg]!
      return x[arg] ?? like(constants[Number(arg.slice(1))]!, Object.values(x)[0]!)
    }
    for (const [op, args] of expression.nodes) nodes.push(operations[op]!(...args.map(valueOf)))
    return nodes.at(-1)!
  }
}

/** A constant in the dtype that the function is run in. */
function like(constant: Tensor, x: Tensor): Tensor {
  return constant.dtype === x.dtype ? constant : cast(constant, x.dtype)
}

/** The inputs of a sample by name. */
export function inputsOf(
  expression: Expression,
  sample: KeySample,
  dtype: KeyFormat,
): Record<string, Tensor> {
  return Object.fromEntries(expression.inputs.map(({ name }, i) => [name, scalar(sample.x[i]!, dtype)]))
}
