import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readSafetensors, writeNpz, writeSafetensors } from 'tpu-toolkit/files'
import { parse, programOf } from 'tpu-toolkit/stablehlo'
import { tensor } from 'tpu-toolkit/tensor'
import { afterAll, describe, expect, it } from 'vitest'
import { carriedOf } from '#feeding'
import { programFacts } from '../../src/cli/program/programFacts.js'
import { isLong } from '../support/long.js'
import { runCli } from '../support/runCli.js'

const examples = fileURLToPath(new URL('../../examples/jax/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'program-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = (name: string): string => join(folder, name)
const ssm = [`${examples}ssm.mlir`, '--inputs', `${examples}ssm.safetensors`]

/** p and a loss from p and x: p - 0.5 p x, p x. */
const halving = `module @jit_step {
  func.func public @main(%arg0: tensor<2xf32> loc("p['w']"), %arg1: tensor<2xf32> loc("x")) -> (tensor<2xf32> {jax.result_info = "result[0]['w']"}, tensor<2xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.5> : tensor<2xf32>
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<2xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<2xf32>
    %2 = stablehlo.subtract %arg0, %1 : tensor<2xf32>
    return %2, %0 : tensor<2xf32>, tensor<2xf32>
  }
}
`
writeFileSync(file('step.mlir'), halving)
writeSafetensors(file('named.safetensors'), { "p['w']": tensor([2, 4]), x: tensor([1, 2]) })
writeNpz(file('placed.npz'), { arr_0: tensor([2, 4]), arr_1: tensor([1, 2]) })

describe('tpu-toolkit program run', () => {
  it.each(['named.safetensors', 'placed.npz'])(
    'writes the results by their names, inputs of %s',
    async (inputs) => {
      const out = file('results.safetensors')
      const { status, out: text } = await runCli(
        'program',
        'run',
        file('step.mlir'),
        '--inputs',
        file(inputs),
        '--out',
        out,
      )
      expect(status).toBe(0)
      expect(text).toMatch(/result\[0\]\['w'\] +float32 \[2\]/)
      const { tensors } = readSafetensors(out)
      expect(Array.from(tensors["result[0]['w']"]!.toNumbers())).toEqual([1, 0])
      expect(Array.from(tensors['result[1]']!.toNumbers())).toEqual([2, 8])
    },
  )

  it('--steps feeds results back: a tree of the same names, and what --carry names', async () => {
    const run = (...more: string[]): ReturnType<typeof runCli> =>
      runCli(
        'program',
        'run',
        file('step.mlir'),
        '--inputs',
        file('named.safetensors'),
        '--steps',
        '3',
        '--json',
        ...more,
      )
    const { results, step } = JSON.parse((await run('--carry')).out)
    expect([step, results[0].first, results[0].most]).toEqual([3, '0', '0.25'])
    const both = JSON.parse((await run('--carry', 'p=result[0],x=result[1]')).out)
    expect([results[1].most, both.results[1].most]).toEqual(['0.5', '0'])
  })

  it('--random draws the same numbers for a key, others for another', async () => {
    const results = async (key: string): Promise<string> =>
      JSON.stringify(
        JSON.parse((await runCli('program', 'run', file('step.mlir'), '--random', key, '--json')).out)
          .results,
      )
    expect(await results('1')).toBe(await results('1'))
    expect(await results('1')).not.toBe(await results('2'))
  })

  it.each([
    [['run', 'nowhere.mlir'], /no such file/],
    [
      ['run', file('step.mlir')],
      /no value for p\['w'\], x: name a file of them with --inputs, or have them drawn with --random 0/,
    ],
    [['walk', file('step.mlir')], /unknown verb \[walk\]/],
    [['inspect', file('step.mlir'), '--steps', '3'], /--steps is not for inspect/],
    [
      ['run', file('step.mlir'), '--random', '0', '--carry', 'p=result[1]'],
      /result\[1\] has no \['w'\] for p\['w'\]/,
    ],
    [
      ['run', file('step.mlir'), '--random', '0', '--carry', 'q=result[0]'],
      /no such argument, there are p, x \[q\]/,
    ],
    [['run', file('step.mlir'), '--random', '0', '--dot', 'float16'], /unknown dot \[float16\]/],
  ])('%j is bad input', async (args, message) => {
    const { status, error } = await runCli('program', ...args)
    expect(error).toMatch(message)
    expect(status).toBe(2)
  })

  it('bytecode and damaged text are bad input with what to do, or the place', async () => {
    writeFileSync(file('bytecode.mlir'), Uint8Array.of(0x4d, 0x4c, 0xef, 0x52, 1))
    expect((await runCli('program', 'run', file('bytecode.mlir'))).error).toMatch(
      /as_text\(debug_info=True\)/,
    )
    writeFileSync(file('damaged.mlir'), halving.replace('stablehlo.subtract', 'stablehlo.substract'))
    const { status, error } = await runCli('program', 'inspect', file('damaged.mlir'))
    expect([status, /substract/.test(error)]).toEqual([2, true])
  })
})

describe('tpu-toolkit program nan', () => {
  it('finds the step, the operation and the line of Python at which the factorized layer overflows', async () => {
    const { status, out } = await runCli('program', 'nan', ...ssm, '--steps', '400', '--carry')
    expect(status).toBe(1)
    expect(out).toMatch(/^carried: p <- result\[0\] \(2 tensors\)$/m)
    expect(out).toMatch(
      /^step 18 of 400 is the first with a value that is not finite, in result\[0\]\['decay'\]$/m,
    )
    expect(out).toMatch(/^exp\(90\) = Infinity at \[61\] of bfloat16 \[64\].* at ssm\.py:14:38: overflow, /m)
    expect(out).toMatch(/cumsum\(.*\) = 90, rounded from 86\.2188 at ssm\.py:13:8/)
    expect(out).toMatch(/^ {2}0: input = 1\.10156 \(p\['decay'\]\)$/m)
    expect(out).toMatch(/^ {2}ssm\.py:14 +states = jnp\.exp\(-s\) \* jnp\.cumsum\(jnp\.exp\(s\) \* x\)$/m)
  })

  it('of a step whose results are finite says so', async () => {
    const { status, out } = await runCli('program', 'nan', ...ssm)
    expect([status, /1 steps, every result finite/.test(out)]).toEqual([0, true])
  })
})

describe('tpu-toolkit program tune', () => {
  it('lists the lines of Python to write a cast on', async () => {
    const { status, out } = await runCli('program', 'tune', ...ssm, '--target', '1')
    expect(status).toBe(0)
    expect(out).toMatch(
      /^on these lines, \.astype\(jnp\.float32\) on the operands, and back on the result:$/m,
    )
    expect(out).toMatch(/^ {2}ssm\.py:13 +s = jnp\.cumsum\(jnp\.full\(LENGTH, decay\)\)$/m)
  })
})

describe('tpu-toolkit program flops', () => {
  it('counts the work of a StableHLO program by kind, the most first, without inputs', async () => {
    const { out, status } = await runCli('program', 'flops', `${examples}ssm.mlir`, '--json')
    const { flops, kinds } = JSON.parse(out) as { flops: number; kinds: { kind: string; flops: number }[] }
    expect(status).toBe(0)
    expect(kinds[0]?.kind).toBe('reduce_window')
    expect(kinds.map((row) => row.flops)).toEqual(kinds.map((row) => row.flops).sort((a, b) => b - a))
    expect(kinds.reduce((sum, row) => sum + row.flops, 0)).toBe(flops)
  })

  it('counts an ONNX model as it is compiled', async () => {
    const model = fileURLToPath(new URL('../../examples/onnx/layer_norm.onnx', import.meta.url))
    const { out, status } = await runCli('program', 'flops', model, '--json')
    const { flops, kinds } = JSON.parse(out) as { flops: number; kinds: { kind: string }[] }
    expect(status).toBe(0)
    expect(flops).toBeGreaterThan(0)
    expect(kinds.some(({ kind }) => kind.includes('mean'))).toBe(true)
  })
})

describe('tpu-toolkit program run --repeat', () => {
  const run = async (...args: readonly string[]): Promise<{ compiled: boolean; seconds: number }> =>
    JSON.parse((await runCli('program', 'run', ...args, '--repeat', '2', '--json')).out)

  it('times compiled runs, and others where what runs depends on values', async () => {
    expect((await run(...ssm)).compiled).toBe(true)
    const loop = `func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %h = stablehlo.constant dense<0.5> : tensor<f32>
      %r = stablehlo.while(%a = %x) : tensor<f32>
      cond {
        %p = stablehlo.compare GT, %a, %h : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %b = stablehlo.multiply %a, %h : tensor<f32>
        stablehlo.return %b : tensor<f32>
      }
      return %r : tensor<f32>
    }`
    writeFileSync(file('loop.mlir'), loop)
    const { compiled, seconds } = await run(file('loop.mlir'), '--random', '0')
    expect(compiled).toBe(false)
    expect(seconds).toBeGreaterThanOrEqual(0)
  })
})

describe('tpu-toolkit program inspect', () => {
  it('counts operations, work and bytes', async () => {
    const { facts, out } = await counted('transformer')
    const products = facts.kinds.find(({ kind }) => kind === 'dot_general')!
    expect([products.count, products.runs, products.flops]).toEqual([27, 27, 200_448])
    expect(facts.unknownLoops).toBe(0)
    expect(out).toMatch(/29 arguments \(14,834 bytes\)/)
  })

  it('counts a loop that counts to a constant as often as it runs, and the roundings that XLA leaves out once', () => {
    const text = `func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = stablehlo.while(%i = %c, %x = %a) : tensor<i32>, tensor<4xf32>
      cond {
        %n = stablehlo.constant dense<5> : tensor<i32>
        %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        %h = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xbf16>
        %s = stablehlo.multiply %h, %h : tensor<4xbf16>
        %w = stablehlo.convert %s : (tensor<4xbf16>) -> tensor<4xf32>
        stablehlo.return %j, %w : tensor<i32>, tensor<4xf32>
      }
      return %r#1 : tensor<4xf32>
    }`
    const { kinds, dropped, unknownLoops } = programFacts(parse(text), 'main')
    expect(kinds.find(({ kind }) => kind === 'convert')).toMatchObject({ count: 2, runs: 10 })
    expect(dropped).toMatchObject([{ operation: 'multiply', through: 'bf16', casts: 1 }])
    expect(unknownLoops).toBe(0)
  })

  async function counted(name: string): Promise<{ facts: ReturnType<typeof programFacts>; out: string }> {
    const path = `${examples}${name}.mlir`
    const { out } = await runCli('program', 'inspect', path)
    return { facts: programFacts(parse(readFileSync(path, 'utf8')), 'main'), out }
  }
})

describe('carriedOf', () => {
  it('pairs trees of equal names, dtypes and shapes, in order, and no single number', () => {
    const program = programOf(parse(readFileSync(`${examples}transformer.mlir`, 'utf8')))
    const carried = carriedOf(program, true)
    expect(carried.get("p['embed']")).toBe("result[0]['embed']")
    expect(carried.get("v['embed']")).toBe("result[2]['embed']")
    expect(carried.has('step')).toBe(false)
    expect(carriedOf(program, 'step=result[3]').get('step')).toBe('result[3]')
  })
})

describe('tpu-toolkit doctor of a program', () => {
  it('says where the bits go by lines of Python, and shows the lines', async () => {
    copyFileSync(`${examples}ssm.py`, file('ssm.py'))
    const { status, out } = await runCli('doctor', ...ssm, '--out', file('report'))
    expect(status).toBe(0)
    expect(out).toMatch(/matrix products add in float32 \(--dot\)/)
    expect(out).toMatch(/cumsum at ssm\.py:13:8/)
    expect(out).toMatch(/^ {2}ssm\.py:13:8 +s = jnp\.cumsum\(jnp\.full\(LENGTH, decay\)\)$/m)
    expect(readFileSync(file('report/index.html'), 'utf8')).toMatch(/ssm\.py:13:8/)
  })

  it('takes its options for a program alone', async () => {
    const { status, error } = await runCli('doctor', 'softmax', '--random', '0')
    expect([status, /--random is for a program, a \.mlir file \[softmax\]/.test(error)]).toEqual([2, true])
  })

  if (isLong) {
    it("finds the layer norm's sums and their difference in a step of a transformer in bfloat16", async () => {
      const { out } = await runCli(
        'doctor',
        `${examples}transformer.mlir`,
        '--inputs',
        `${examples}transformer.safetensors`,
        '--out',
        file('report'),
      )
      expect(out).toMatch(/unrounded, sum at transformer\.py:12:11 would gain/)
      expect(out).toMatch(/sub bfloat16 \[12, 1\] at transformer\.py:14:15, 0 for 0\.048/)
    })
  }
})

describe('docs/jax.md', () => {
  const page = readFileSync(new URL('../../docs/jax.md', import.meta.url), 'utf8')
  const shown = [...page.matchAll(/```sh\ntpu-toolkit (.*)\n```\n\n```text\n([\s\S]*?)```/g)].map(
    ([, command, text]) => ({
      command: command!,
      lines: text!.split('\n').filter((line) => line !== '' && line !== '...'),
    }),
  )

  it('has the lines of examples/jax/dump.py', () => {
    expect(page).toContain(readFileSync(`${examples}dump.py`, 'utf8').trim())
  })

  it.each(shown.filter(({ command }) => isLong || !command.startsWith('doctor')))(
    'shows what $command prints',
    async ({ command, lines }) => {
      const args = command
        .split(' ')
        .map((word) => (word.startsWith('examples/') ? join(examples, '../..', word) : word))
      const { out } = await runCli(...args, ...(args[0] === 'doctor' ? ['--out', file('report')] : []))
      const printed = out.split('\n')
      expect(lines.filter((line) => !printed.includes(line))).toEqual([])
      expect(lines.length).toBeGreaterThan(3)
    },
  )
})
