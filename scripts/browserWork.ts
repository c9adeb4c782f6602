import {
  autodiff,
  bf16,
  functions,
  naiveCumsum,
  optimizer,
  random,
  schedule,
  tensor,
  tree,
} from 'tpu-toolkit'
import { encodeSafetensors, safetensorsOver } from 'tpu-toolkit/files'
import { exp, matmul, mean, mul, square, sub, type Tensor } from 'tpu-toolkit/tensor'
import * as simd from '#simd'

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

/** A part of a tensor in a safetensors file, which is bytes in memory. */
function safetensors(): string {
  const bytes = encodeSafetensors({ w: tensor(random.normal(random.key(4), 24), { dtype: 'bfloat16' }) })
  const file = safetensorsOver({ size: bytes.length, read: (at, n) => bytes.slice(at, at + n) })
  return `${file.names[0]} ${hex(file.readElements('w', 8, 24))}`
}

/** A hash of 16,384 results of each float32 function, by the kernels and by the scalar functions; operands of every binade. */
function float32Functions(): string {
  const n = 16_384
  const x = new Float32Array(Uint32Array.from({ length: n }, (_, i) => Math.imul(i, 0x9e3779b1)).buffer)
  const words = new Uint32Array(n)
  const out = new Float32Array(words.buffer)
  const hash = (): string =>
    words
      .reduce((h, word) => {
        const bits = (word & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : word
        return Math.imul(((h << 5) | (h >>> 27)) ^ bits, 0x01000193)
      }, 0x811c9dc5)
      .toString(16)
  const engine = simd.arena('simd')
  const hashes = functions.unaryNames.map((name) => {
    x.forEach((v, i) => {
      out[i] = functions.float32Unary[name](v)
    })
    const plain = hash()
    if (engine && name !== 'lgamma') simd.float32UnaryBlocks(engine, name, x, out)
    return `${name} ${plain} ${hash()}`
  })
  const { float32Atan2, float32Hypot, float32LogAddExp, float32Pow } = functions
  // By keys: a function's own name is minified.
  const ofTwo = { float32Atan2, float32Hypot, float32LogAddExp, float32Pow }
  for (const [name, f] of Object.entries(ofTwo)) {
    x.forEach((v, i) => {
      out[i] = f(v, x[(7 * i + 3) % n]!)
    })
    hashes.push(`${name} ${hash()}`)
  }
  return hashes.join(', ')
}

console.log(
  [
    `cumsum: ${cumsum()}`,
    `kernels: ${kernels()}`,
    `gradient: ${gradient()}`,
    `AdamW: ${adamw()}`,
    `safetensors: ${safetensors()}`,
    `float32 functions: ${float32Functions()}`,
  ].join('\n'),
)
