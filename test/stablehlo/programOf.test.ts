import { siteOf, sum, type Tensor, tensor } from 'tpu-toolkit'
import { findFirstNonFinite, grad, graphOf, vmap } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { shadow } from 'tpu-toolkit/precision'
import { type Program, parse, programOf } from 'tpu-toolkit/stablehlo'
import { recordEverything } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

/** A program of one function: its arguments, its result types, its body. */
function program(head: string, results: string, body: string): Program {
  return programOf(parse(`func.func public @main(${head}) -> (${results}) {\n${body}\n}`))
}

const f32 = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  tensor([...values], { shape })

const i32 = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  tensor([...values], { shape, dtype: 'int32' })

/** What a program gives, nested. */
function nested(from: Program, ...values: Tensor[]): unknown[] {
  return from.run(...values).map((value) => (value as Tensor).toNested())
}

describe('programOf, arguments and results', () => {
  const text = `
module @jit_step attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<2xf32> loc("p['w0']"), %arg1: tensor<2xf32> loc("s[2][0].mu['b0']")) -> (tensor<2xf32> {jax.result_info = "result[0]['b0']"}) {
    %0 = stablehlo.subtract %arg0, %arg1 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}`
  const step = programOf(parse(text))

  it('names them as the caller had them', () => {
    expect(step.arguments.map(({ name }) => name)).toEqual(["p['w0']", "s[2][0].mu['b0']"])
    expect(step.results.map(({ name, dtype, shape }) => ({ name, dtype, shape }))).toEqual([
      { name: "result[0]['b0']", dtype: 'float32', shape: [2] },
    ])
    expect(step.semantics).toEqual({
      dot: 'float32',
      reduce: 'sequential',
      rounding: 'each',
      divideByZero: 'xla',
    })
  })

  it('takes them by position, by their whole names, and as the tree they were', () => {
    const [w0, b0] = [f32([3, 4]), f32([1, 1])]
    expect(nested(step, w0, b0)).toEqual([[2, 3]])
    const whole = step.runNamed({ "p['w0']": w0, "s[2][0].mu['b0']": b0 })
    const tree = step.runNamed({ p: { w0, unused: b0 }, s: [{}, {}, [{ mu: { b0 } }]] } as never)
    for (const found of [whole, tree]) expect((found["result[0]['b0']"] as Tensor).toNested()).toEqual([2, 3])
  })

  it('says which argument is missing or another', () => {
    const x = f32([1, 2])
    expect(() => step.run(x)).toThrow('programOf: main takes 2 arguments [1]')
    expect(() => step.run(x, f32([1]))).toThrow(
      "programOf: argument s[2][0].mu['b0'] has another shape [1, not 2]",
    )
    expect(() => step.run(i32([1, 2]), x)).toThrow("argument p['w0'] has another dtype [int32, not float32]")
    expect(() => step.runNamed({ p: { w1: x } })).toThrow("programOf: argument p['w0'] is not there")
    expect(() => programOf(parse(text), { function: 'mian' })).toThrow('no such function')
    expect(() => programOf(parse(text), { dots: 'float32' } as never)).toThrow('did you mean dot')
  })
})

describe('programOf, the source lines of operations', () => {
  const text = `
func.func public @main(%x: tensor<2xf32> loc("x")) -> tensor<2xf32> {
  %0 = stablehlo.log %x : tensor<2xf32> loc(#log)
  %1 = stablehlo.exponential %0 : tensor<2xf32> loc(#exp)
  return %1 : tensor<2xf32>
}
#line = loc("/home/me/train.py":12:3 to :9)
#inner = loc("loss"(#line))
#outer = loc("main"("/home/me/main.py":40:1))
#chain = loc(callsite(#inner at #outer))
#log = loc("jit(step)/log"(#chain))
#exp = loc("jit(step)/exp"(#outer))`
  const { run, runNamed } = programOf(parse(text))

  it('are the innermost lines of their locations', () => {
    const [y] = recordEverything(() => run(f32([1, 2])), { sites: true }) as [Tensor]
    expect(siteOf(y.trace!)).toBe('main.py:40:1')
    expect(siteOf(y.trace!.inputs[0]!.trace!)).toBe('train.py:12:3')
    expect(y.trace!.inputs[0]!.trace!.site!.stack).toContain('at loss (/home/me/train.py:12:3)')
  })

  it('are what the history of a NaN and the precision doctor name', () => {
    const [y] = recordEverything(() => run(f32([1, -2])), { sites: true }) as [Tensor]
    const found = findFirstNonFinite(y)!
    expect(found.op).toBe('log')
    expect(siteOf(graphOf([y])[found.index]!.output.trace!)).toBe('train.py:12:3')
    expect(String(shadow(runNamed, { x: f32([1.1, 2.3]) }))).toContain('train.py:12:3')
  })
})

describe('programOf with compile, grad and vmap', () => {
  // sum(tanh(x * 2)), a loop of 3 rounds that are known, and a branch on an argument.
  const text = `
func.func public @main(%x: tensor<3xf32>, %i: tensor<i32>) -> (tensor<f32>, tensor<3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %two = stablehlo.constant dense<2.0> : tensor<3xf32>
  %0 = stablehlo.multiply %x, %two : tensor<3xf32>
  %1 = stablehlo.tanh %0 : tensor<3xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %3:2 = stablehlo.while(%k = %c0, %acc = %x) : tensor<i32>, tensor<3xf32>
  cond {
    %4 = stablehlo.compare LT, %k, %c3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %4 = stablehlo.dynamic_slice %x, %k, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<1xf32>) -> tensor<3xf32>
    %6 = stablehlo.multiply %acc, %5 : tensor<3xf32>
    %7 = stablehlo.add %k, %c1 : tensor<i32>
    stablehlo.return %7, %6 : tensor<i32>, tensor<3xf32>
  }
  %8 = "stablehlo.case"(%i) ({
    stablehlo.return %3#1 : tensor<3xf32>
  }, {
    %9 = stablehlo.negate %3#1 : tensor<3xf32>
    stablehlo.return %9 : tensor<3xf32>
  }) : (tensor<i32>) -> tensor<3xf32>
  return %2, %8 : tensor<f32>, tensor<3xf32>
}`
  const { run } = programOf(parse(text))
  const x = f32([0.5, -1, 2])
  const bits = (values: readonly unknown[]): unknown => values.map((value) => [...(value as Tensor).toBits()])

  it.each([0, 1, -1, 9])('gives the same bits compiled, for branch %i', (i) => {
    const compiled = compile(run)
    const index = tensor([i], { shape: [], dtype: 'int32' })
    expect(bits(compiled(x, index))).toEqual(bits(run(x, index)))
    expect(bits(compiled(f32([3, 4, 5]), index))).toEqual(bits(run(f32([3, 4, 5]), index)))
  })

  it('runs the branch that is named, the last one for every other index', () => {
    const branch = (i: number): unknown => nested({ run } as Program, x, i32([i], []))[1]
    expect(branch(0)).toEqual([-0.5, 1, -2])
    expect([1, 7, -3].map(branch)).toEqual([1, 2, 3].map(() => [0.5, -1, 2]))
  })

  it('gives the gradient of what its operations are', () => {
    const g = grad((v: Tensor) => run(v, i32([0], []))[0] as Tensor)(x)
    const expected = [0.5, -1, 2].map((v) => 2 * (1 - Math.tanh(2 * v) ** 2))
    for (const [i, value] of g.toNumbers().entries()) expect(value).toBeCloseTo(expected[i]!, 5)
    // With p the product of all x the second result is p x, and its sum has p + (sum of x) p / x as its gradient.
    const loop = grad((v: Tensor) => sum(run(v, i32([0], []))[1] as Tensor))(x)
    expect(loop.toNested()).toEqual([0.5, -1, 2].map((v) => -1 + (1.5 * -1) / v))
  })

  it('goes over a batch', () => {
    const xs = tensor([
      [0.5, -1, 2],
      [1, 2, 3],
    ])
    const index = i32([0, 0])
    const [, second] = vmap(run)(xs, index) as [Tensor, Tensor]
    expect(second.toNested()).toEqual([
      [-0.5, 1, -2],
      [6, 12, 18],
    ])
  })

  it('refuses to compile a loop whose rounds depend on an argument, with the operation', () => {
    const open = program(
      '%x: tensor<f32>',
      'tensor<f32>',
      `%0 = stablehlo.while(%v = %x) : tensor<f32>
       cond {
         %lim = stablehlo.constant dense<9.0> : tensor<f32>
         %1 = stablehlo.compare LT, %v, %lim, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
         stablehlo.return %1 : tensor<i1>
       } do {
         %1 = stablehlo.add %v, %v : tensor<f32>
         stablehlo.return %1 : tensor<f32>
       }
       return %0 : tensor<f32>`,
    )
    expect(nested(open, f32([1], []))).toEqual([16])
    expect(() => compile(open.run)(f32([1], []))).toThrow(
      /condition that depends on values.*\[stablehlo.while at line 2/,
    )
  })
})

describe('programOf refuses', () => {
  const refused: readonly (readonly [what: string, text: string, problem: RegExp])[] = [
    [
      'dynamic shapes',
      'func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }',
      /programOf: x has a dynamic shape \[tensor<\?xf32>\]/,
    ],
    [
      'foreign code',
      'func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { %0 = stablehlo.custom_call @tpu_custom_call(%x) : (tensor<2xf32>) -> tensor<2xf32> loc("k.py":7:2) return %0 : tensor<2xf32> }',
      /programOf: calls foreign code, which cannot be read \[tpu_custom_call\] \[stablehlo.custom_call at k.py:7:2\]/,
    ],
    [
      'tensors larger than memory',
      'func.func @main() -> tensor<1048576x1048576xf32> { %0 = stablehlo.constant dense<1.0> : tensor<1048576x1048576xf32> return %0 : tensor<1048576x1048576xf32> }',
      /more than 268435456 elements/,
    ],
    [
      'a function that calls itself',
      'func.func @main(%x: tensor<f32>) -> tensor<f32> { %0 = call @main(%x) : (tensor<f32>) -> tensor<f32> return %0 : tensor<f32> }',
      /calls itself \[@main\]/,
    ],
    [
      'a function that is not there',
      'func.func @main(%x: tensor<f32>) -> tensor<f32> { %0 = call @nothing(%x) : (tensor<f32>) -> tensor<f32> return %0 : tensor<f32> }',
      /calls a function that is not in the module \[@nothing\] \[func.call at/,
    ],
    [
      'results that are not of their type',
      'func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> { %0 = "stablehlo.negate"(%x) : (tensor<2xf32>) -> tensor<3xf32> return %0 : tensor<3xf32> }',
      /gives another shape than its type says \[2, not 3\] \[stablehlo.negate/,
    ],
  ]

  it.each(refused)('%s', (_, text, problem) => {
    expect(() => {
      const found = programOf(parse(text))
      found.run(
        ...found.arguments.map(({ shape, dtype }) =>
          tensor(new Array(shape.reduce((n, l) => n * l, 1)).fill(1), { shape, dtype }),
        ),
      )
    }).toThrow(problem)
  })
})
