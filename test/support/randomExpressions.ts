import {
  abs,
  add,
  cast,
  div,
  less,
  maximum,
  minimum,
  mul,
  neg,
  square,
  sub,
  type Tensor,
  tensor,
  where,
} from 'tpu-toolkit'
import { type Rational, rational, rationalOf, within } from './rational.js'

/** A rational computation twice: of tensors, and of fractions. Undefined where it divides by zero. */
export interface RandomExpression {
  readonly of: (inputs: readonly Tensor[]) => Tensor
  readonly exact: (inputs: readonly number[]) => Rational | undefined
  readonly text: string
}

type Draw = () => number

const binary: readonly (readonly [
  string,
  (a: Tensor, b: Tensor) => Tensor,
  (a: Rational, b: Rational) => Rational | undefined,
])[] = [
  ['+', (a, b) => add(a, b), rational.add],
  ['-', (a, b) => sub(a, b), rational.sub],
  ['*', (a, b) => mul(a, b), rational.mul],
  ['/', (a, b) => div(a, b), (a, b) => (b.n === 0n ? undefined : rational.div(a, b))],
  ['min', (a, b) => minimum(a, b), (a, b) => (rational.atMost(a, b) ? a : b)],
  ['max', (a, b) => maximum(a, b), (a, b) => (rational.atMost(a, b) ? b : a)],
  ['first if less', (a, b) => where(less(a, b), a, b), (a, b) => (rational.atMost(b, a) ? b : a)],
]
const unary: readonly (readonly [string, (a: Tensor) => Tensor, (a: Rational) => Rational])[] = [
  ['neg', (a) => neg(a), (a) => ({ n: -a.n, d: a.d })],
  ['abs', (a) => abs(a), rational.abs],
  ['square', (a) => square(a), (a) => rational.mul(a, a)],
]

/** A random straight-line program of rational operations on `inputs` numbers, the last step its result. */
export function randomExpression(draw: Draw, inputs: number, steps: number): RandomExpression {
  const pick = (n: number): number => Math.floor(draw() * n)
  const code = Array.from({ length: steps }, (_, i) => {
    const [a, b] = [pick(inputs + i), i > 0 && draw() < 0.7 ? inputs + i - 1 : pick(inputs + i)]
    return draw() < 0.85
      ? { op: binary[pick(binary.length)]!, args: [a, b] }
      : { op: unary[pick(unary.length)]!, args: [b] }
  })
  return {
    text: code.map(({ op, args }) => `${op[0]}(${args.join(', ')})`).join(' '),
    of: (tensors) => {
      const values = [...tensors]
      for (const { op, args } of code) {
        values.push((op[1] as (...x: Tensor[]) => Tensor)(...args.map((k) => values[k]!)))
      }
      return values.at(-1)!
    },
    exact: (numbers) => {
      const values: (Rational | undefined)[] = numbers.map(rationalOf)
      for (const { op, args } of code) {
        const read = args.map((k) => values[k])
        const known = read.every((value) => value !== undefined)
        values.push(
          known ? (op[2] as (...x: Rational[]) => Rational | undefined)(...(read as Rational[])) : undefined,
        )
      }
      return values.at(-1)
    },
  }
}

const dtypes = ['bfloat16', 'float16', 'float32', 'float8_e4m3', 'float64'] as const

/** Random expressions of up to 7 steps with three inputs each, in five dtypes by turns. */
export function* randomCases(
  draw: Draw,
  count: number,
): Generator<{ expression: RandomExpression; inputs: Tensor[] }> {
  const number = (): number => (draw() - 0.5) * 2 ** Math.floor(draw() * 12 - 4)
  for (let run = 0; run < count; run++) {
    const dtype = dtypes[run % dtypes.length]!
    const inputs = Array.from({ length: 3 }, () => cast(tensor(number(), { dtype: 'float64' }), dtype))
    yield { expression: randomExpression(draw, 3, 1 + (run % 7)), inputs }
  }
}

/** Whether a bound holds; where the exact result does not exist, it must be infinite. */
export function holdsFor(
  expression: RandomExpression,
  inputs: readonly Tensor[],
  result: Tensor,
  bound: number,
): boolean {
  const exact = expression.exact(inputs.map((x) => x.item()))
  if (exact === undefined ? bound === Infinity : within(result.item(), exact, bound)) return true
  console.error(`broken by ${expression.text} of ${inputs.map(String).join(' ')}: ${result} +- ${bound}`)
  return false
}
