import { formatNames } from 'tpu-toolkit/formats'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { runCommand } from '#cli'
import { speedCommand } from '../../benchmarks/speed/cli.js'
import { type Budget, measure, summarise } from '../../benchmarks/speed/measure.js'
import { checkEqual } from '../../benchmarks/speed/operation.js'
import { operations } from '../../benchmarks/speed/operations.js'
import { tableOf } from '../../benchmarks/speed/print.js'
import { isLong } from '../support/long.js'

// Two blocks of the WebAssembly kernels: results are checked over their edge, as at the full size.
const most = 2 ** 15
const quick: Budget = { warmUp: 0, enough: 0, runs: 2, fewest: 2, shortest: 0, most }

async function call(...args: string[]): Promise<{ status: number; out: string; error: string }> {
  let out = ''
  let error = ''
  const status = await runCommand(speedCommand(quick), args, {
    out: (text) => {
      out += text
    },
    error: (text) => {
      error += text
    },
  })
  return { status, out, error }
}

afterEach(() => vi.unstubAllEnvs())

describe('bench:speed', () => {
  it('--help names every option, on standard output', async () => {
    const { status, out, error } = await call('--help')
    expect({ status, error }).toEqual({ status: 0, error: '' })
    expect(
      ['--only', '--peers', '--elements', '--json', '--help'].filter((word) => !out.includes(word)),
    ).toEqual([])
  })

  it.each([
    [['--fast'], "unknown option '--fast'"],
    [['add'], 'too many arguments'],
    [['--only'], 'argument missing'],
    [['--only', 'cosine'], 'no operation has this in its name [cosine], there are encode f32 bfloat16,'],
  ])('%j exits 2 and says so', async (args, message) => {
    const { status, out, error } = await call(...args)
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(error).toContain(message)
  })

  it('--peers exits 2 where Python has no ml_dtypes', async () => {
    vi.stubEnv('TPU_TOOLKIT_PYTHON', '/nowhere/python3')
    const { status, out, error } = await call('--peers', '--only', 'add')
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(error).toMatch(
      /^bench:speed: no peers: name a Python with numpy and ml_dtypes in TPU_TOOLKIT_PYTHON \[\/nowhere\/python3: .*\]\n$/,
    )
  })

  const only = isLong ? '' : 'float8_e4m3fn'

  it(`--json prints op, n and ns of every operation, its result checked, and of the copies beside them, ${only}`, async () => {
    const { status, out, error } = await call('--json', ...(isLong ? [] : ['--only', only]))
    expect({ status, error }).toEqual({ status: 0, error: '' })
    const records = JSON.parse(out) as { op: string; n: number; ns: number }[]
    const all = [
      'encode f32 bfloat16',
      'encode f64 bfloat16',
      'decode bfloat16',
      'add bfloat16',
      'mul bfloat16',
      'exp bfloat16',
      'cumsum bfloat16',
      'sum bfloat16',
      'matmul bfloat16 512',
      'matmul float32 512',
      'matmul float64 512',
      'matmul float32 in float64 512',
      'matmul int32 512',
      ...['add', 'mul'].map((what) => `${what} float32`),
      'add new float32',
      ...['where', 'exp', 'log', 'tanh', 'sigmoid', 'erf', 'gelu'].map((what) => `${what} float32`),
      ...['sequential', 'kahan', 'pairwise'].map((order) => `sum float32 ${order}`),
      ...formatNames
        .filter((name) => name !== 'bfloat16')
        .flatMap((name) =>
          ['encode f32', 'encode f64', 'decode', 'add', 'mul', 'exp'].map((what) => `${what} ${name}`),
        ),
      ...['float8_e4m3fn', 'float8_e5m2', 'float6_e2m3fn', 'float6_e3m2fn', 'float4_e2m1fn', 'int8'].map(
        (element) => `quantize mx ${element}`,
      ),
      ...['q8_0', 'q4_0', 'q4_k', 'nf4'].flatMap((name) => [`quantize ${name}`, `dequantize ${name}`]),
    ]
    expect(operations.map(({ op }) => op)).toEqual(all)
    const copies = [3, 5, 2, 1, 6, 6.5, 4, 2.5, 4.5, 1.5, 2.53125, 2.28125].map(
      (bytes) => `copy ${bytes} bytes`,
    )
    const ran = records.map(({ op }) => op)
    expect(ran.filter((op) => !copies.includes(op))).toEqual(all.filter((op) => op.includes(only)))
    if (isLong) expect(ran).toEqual([...all, ...copies])
    for (const record of records) {
      expect(Object.keys(record)).toEqual(['op', 'n', 'ns'])
      expect(record.n).toBe(record.op.startsWith('matmul') ? 512 ** 3 : most)
      expect(record.ns).toBeGreaterThan(0)
    }
  })

  it('prints a table with the least and the median time, the spread and the goal', async () => {
    const { status, out } = await call('--only', 'add')
    expect(status).toBe(0)
    expect(out).toMatch(
      /^op +min ns +median ns +spread +runs +copy ns +goal\nadd bfloat16 +[\d.]+ +[\d.]+ +[\d.]+ % +2 +/,
    )
  })
})

describe('tableOf(rows)', () => {
  it('says whether a goal is reached', () => {
    const operation = operations.find(({ op }) => op === 'exp bfloat16')!
    const timing = (min: number) => ({
      op: operation.op,
      n: operation.n,
      min,
      median: min,
      spread: 0,
      runs: 12,
    })
    const lastCell = (ours: number, peer: number) =>
      tableOf([{ operation, ours: timing(ours), copy: undefined, peer: timing(peer) }], true)
        .split(/ {2,}|\n/)
        .at(-1)
    expect(lastCell(1, 2)).toBe('reached: 0.5 of the peer')
    expect(lastCell(1.1, 2)).toBe('missed: 0.5 of the peer')
  })
})

describe('measure(operation)', () => {
  it('throws where the result is wrong, before timing', () => {
    let runs = 0
    const wrong = {
      op: 'wrong',
      n: 1,
      prepare: () => ({ run: () => void runs++, check: () => checkEqual('wrong', [-0], () => 0) }),
    }
    expect(() => measure(wrong, quick)).toThrow('wrong: wrong result [element 0: -0, not 0]')
    expect(runs).toBe(1)
  })

  it('summarises by the least, the median and the middle half', () => {
    expect(summarise([5, 1, 2, 3, 4])).toEqual({ min: 1, median: 3, spread: 2 / 3, runs: 5 })
  })
})
