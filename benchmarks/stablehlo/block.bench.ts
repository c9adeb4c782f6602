import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { stopGradient, valueAndGrad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { shadow } from 'tpu-toolkit/precision'
import { parse, programOf } from 'tpu-toolkit/stablehlo'
import {
  add,
  type DType,
  div,
  exp,
  matmul,
  max,
  mean,
  mul,
  ones,
  reshape,
  rsqrt,
  split,
  square,
  sub,
  sum,
  type Tensor,
  tanh,
  tensor,
  transpose,
  tril,
  where,
} from 'tpu-toolkit/tensor'
import { askPeer, noPeer } from '../peers/askPeer.js'

// npm run bench:stablehlo:block -- [--dtype bfloat16] [--width 64] [--batch 8] [--length 64] [--rounds 20]
//
// The gradient of a GPT block: as JAX's text run by programOf and compiled, the same formulas in our own names compiled, and jax.jit on one
// thread (TPU_TOOLKIT_PYTHON: a Python with jax). Least times. Then the precision doctor on the text.

const { values: given } = parseArgs({
  options: {
    dtype: { type: 'string', default: 'bfloat16' },
    width: { type: 'string', default: '64' },
    batch: { type: 'string', default: '8' },
    length: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '20' },
  },
})

interface Answer {
  readonly jax: string
  readonly names: readonly string[]
  readonly shapes: readonly (readonly number[])[]
  readonly milliseconds: number
}

type Parameters = Readonly<Record<'b1' | 'b2' | 'down' | 'g1' | 'g2' | 'o' | 'qkv' | 'up', Tensor>>

function layerNorm(x: Tensor, gain: Tensor, bias: Tensor): Tensor {
  const apart = sub(x, mean(x, { axis: -1, keepDims: true }))
  const variance = mean(square(apart), { axis: -1, keepDims: true })
  return add(mul(mul(apart, rsqrt(add(variance, 1e-5))), gain), bias)
}

function attention(q: Tensor, k: Tensor, v: Tensor): Tensor {
  const scores = div(matmul(q, transpose(k, [0, 1, 3, 2])), Math.sqrt(q.shape[3]!))
  const length = scores.shape[3]!
  const mask = tril(ones([length, length], { dtype: 'bool' }))
  const seen = where(mask, scores, -3.3895313892515355e38)
  const shifted = exp(sub(seen, stopGradient(max(seen, { axis: -1, keepDims: true }))))
  return matmul(div(shifted, sum(shifted, { axis: -1, keepDims: true })), v)
}

/** jax.nn.gelu with its tanh. */
function gelu(x: Tensor): Tensor {
  const cubed = mul(x, mul(x, x))
  const inside = mul(add(x, mul(cubed, 0.044715)), Math.sqrt(2 / Math.PI))
  return mul(x, mul(add(tanh(inside), 1), 0.5))
}

function block(x: Tensor, p: Parameters): Tensor {
  const [n, t, width] = x.shape as [number, number, number]
  const [q, k, v] = split(matmul(layerNorm(x, p.g1, p.b1), p.qkv), 3, { axis: -1 })
  const heads = (a: Tensor): Tensor => transpose(reshape(a, [n, t, 2, width / 2]), [0, 2, 1, 3])
  const mixed = reshape(transpose(attention(heads(q!), heads(k!), heads(v!)), [0, 2, 1, 3]), [n, t, width])
  const attended = add(x, matmul(mixed, p.o))
  return add(attended, matmul(gelu(matmul(layerNorm(attended, p.g2, p.b2), p.up)), p.down))
}

const loss = (p: Parameters, x: Tensor): Tensor => mean(square(block(x, p)))

function leastTime(rounds: number, run: () => unknown): number {
  let least = Infinity
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    run()
    least = Math.min(least, performance.now() - began)
  }
  return least
}

function tensorsOf(file: string, { names, shapes }: Answer, dtype: DType): Readonly<Record<string, Tensor>> {
  const bytes = readFileSync(file)
  const all = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
  let from = 0
  return Object.fromEntries(
    names.map((name, i) => {
      const shape = shapes[i]!
      const size = shape.reduce((product, n) => product * n, 1)
      from += size
      return [name, tensor(all.subarray(from - size, from), { shape, dtype })]
    }),
  )
}

const folder = mkdtempSync(join(tmpdir(), 'block-'))
try {
  const answer = askPeer<Answer>('gptBlock', folder, given.dtype, given.width, given.batch, given.length)
  if ('why' in answer) {
    console.error(noPeer('jax and optax', answer.why))
  } else {
    const rounds = Number(given.rounds)
    const text = readFileSync(join(folder, 'block.mlir'), 'utf8')
    const arrays = tensorsOf(join(folder, 'arguments'), answer.value, given.dtype as DType)
    const inputs = answer.value.names.map((name) => arrays[name]!)
    const began = performance.now()
    const program = programOf(parse(text))
    const bound = performance.now() - began
    const ofText = compile((...all: Tensor[]) => program.run(...all) as Tensor[])
    const { x, ...p } = arrays
    const ofNames = compile(valueAndGrad(loss, { argnums: [0, 1] }))
    const [own] = ofNames(p as Parameters, x!)
    const [fromText] = ofText(...inputs)
    const rows = [
      { name: 'text of JAX, compiled', time: leastTime(rounds, () => ofText(...inputs)) },
      { name: 'own names, compiled', time: leastTime(rounds, () => ofNames(p as Parameters, x!)) },
      { name: `jax.jit ${answer.value.jax}, one thread`, time: answer.value.milliseconds },
      { name: 'text of JAX, eager', time: leastTime(3, () => program.run(...inputs)) },
    ]
    const { dtype, width, batch, length } = given
    console.log(
      `gradient of a GPT block, ${dtype}, width ${width}, ${batch} x ${length} tokens; parsed and bound in ${bound.toFixed(0)} ms`,
    )
    console.log(`loss ${fromText!.item()} by the text, ${own.item()} in own names`)
    for (const { name, time } of rows) {
      const ratio = (time / rows[1]!.time).toFixed(2)
      console.log(`${name.padEnd(32)} ${time.toFixed(1).padStart(8)} ms ${ratio.padStart(7)}`)
    }
    const doctor = performance.now()
    const operations = shadow((all: readonly Tensor[]) => program.run(...all) as Tensor[], inputs)
    const lines = String(operations).split('\n').length
    console.log(
      `doctor: ${operations.program.steps.length} operations, a report of ${lines} lines in ${((performance.now() - doctor) / 1e3).toFixed(1)} s`,
    )
    console.log(`Node ${process.versions.node}, V8 ${process.versions.v8}, ${process.arch}`)
  }
} finally {
  rmSync(folder, { recursive: true })
}
