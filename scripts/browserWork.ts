import { autodiff, bf16, naiveCumsum, optimizer, random, schedule, simd, tensor, tree } from 'tpu-toolkit'
import { exp, matmul, mean, mul, square, sub, type Tensor } from 'tpu-toolkit/tensor'

// What the browser check runs twice, in Node and in a page of a browser: results as hex digits of their bits.

const hex = (x: { toBits(): ArrayLike<number | bigint> }): string =>
  Array.from(x.toBits(), (bits) => bits.toString(16)).join(' ')

/** A running sum that stalls: 0.1 in bfloat16, added up to 300 times. */
function cumsum(): string {
  return hex(naiveCumsum(tensor(new Float64Array(300).fill(0.1), { dtype: 'bfloat16' })))
}

/** Kernels over more than one block of the arena, their plain twins beside them. */
function kernels(): string {
  const engine = simd.arena('simd') ? 'wasm' : 'no wasm'
  const values = Float32Array.from({ length: 20_000 }, (_, i) => Math.fround((i - 9_999) / 7))
  const codes = bf16.encode(values)
  const squares = bf16.mulArrays(codes, codes)
  const plain = codes.every((code, i) => squares[i] === bf16.mul(code, code))
  return `${engine}, ${plain ? 'equal to' : 'unlike'} plain: ${Array.from(squares.subarray(9_990, 10_010)).join(' ')}`
}

/** A gradient in bfloat16 through a matrix product and a table of exp. */
function gradient(): string {
  const x = tensor(random.normal(random.key(1), 12), { shape: [4, 3], dtype: 'bfloat16' })
  const loss = (w: Tensor<'bfloat16'>): Tensor => mean(square(exp(matmul(x, w))))
  return hex(autodiff.grad(loss)(tensor([[0.5], [-0.25], [0.125]], { dtype: 'bfloat16' })))
}

/** Three fused AdamW steps at the rates of a schedule. */
function adamw(): string {
  const learningRate = schedule.warmupCosineDecaySchedule({
    initValue: 0.01,
    peakValue: 0.1,
    warmupSteps: 2,
    decaySteps: 10,
  })
  const transform = optimizer.chain(optimizer.clipByGlobalNorm(1), optimizer.adamw({ learningRate }))
  const goal = tensor(random.normal(random.key(2), 40))
  const loss = (p: { w: Tensor }): Tensor => mean(square(sub(mul(p.w, p.w), goal)))
  const params: tree.Tree = { w: tensor(random.normal(random.key(3), 40)) }
  let point: optimizer.Point = { params, state: transform.init(params) }
  for (let i = 0; i < 3; i++) {
    const grads = autodiff.grad(loss)(point.params as { w: Tensor })
    point = optimizer.applyGradients(transform as optimizer.GradientTransformation, grads, point)
  }
  return tree.leavesOf(point.params).map(hex).join(' ')
}

console.log(
  [`cumsum: ${cumsum()}`, `kernels: ${kernels()}`, `gradient: ${gradient()}`, `AdamW: ${adamw()}`].join('\n'),
)
