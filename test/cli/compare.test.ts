import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { ModelProtoSchema } from 'onnx-buf'
import { writeNpz, writeSafetensors } from 'tpu-toolkit/files'
import { tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { runCli as run } from '../support/runCli.js'

const folder = mkdtempSync(join(tmpdir(), 'compare-'))
const file = (name: string): string => join(folder, name)
const norm = 'examples/onnx/layer_norm.onnx'

const x = tensor([[1, 2, 3, 4, 5, 6, 7, 8.5]], { dtype: 'float16' })
writeSafetensors(file('x.safetensors'), { x })

/** The layer norm with another epsilon. */
const changed = fromBinary(ModelProtoSchema, readFileSync(norm))
const eps = changed.graph!.initializer.find(({ name }) => name === 'eps')!
eps.rawData = new Uint8Array([0x66, 0x2e])
writeFileSync(file('changed.onnx'), toBinary(ModelProtoSchema, changed))

describe('tpu-toolkit compare', () => {
  it('of a program with itself says equal', async () => {
    const { status, out } = await run('compare', norm, norm, '--inputs', file('x.safetensors'))
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(/^layer_norm.onnx, layer_norm.onnx\nequal: \d+ operations/),
    ])
  })

  it('of two programs names the first operation that computes something else, with its Python line', async () => {
    const { status, out } = await run(
      'compare',
      norm,
      file('changed.onnx'),
      '--inputs',
      file('x.safetensors'),
    )
    expect(status).toBe(1)
    expect(out).toContain('another computation')
    expect(out).toContain('norm.py:16:1')
  })

  it('of two programs prints JSON', async () => {
    const { out } = await run(
      'compare',
      norm,
      file('changed.onnx'),
      '--inputs',
      file('x.safetensors'),
      '--json',
    )
    expect(JSON.parse(out)).toMatchObject({
      verdict: 'another computation',
      first: { b: { site: 'norm.py:16:1' } },
    })
  })

  it('of two files of arrays tells rounding from other values, by name', async () => {
    const values = Array.from({ length: 64 }, (_, i) => Math.sin(i + 1))
    writeNpz(file('a.npz'), { h: tensor(values), y: tensor(values), z: tensor([1]) })
    writeNpz(file('b.npz'), {
      h: tensor(values.map((value) => value * (1 + 2 ** -22))),
      y: tensor(values.map((value) => value * 1.01)),
    })
    const { status, out } = await run('compare', file('a.npz'), file('b.npz'), '--json')
    const report = JSON.parse(out)
    expect(status).toBe(1)
    expect(report).toMatchObject({ verdict: 'another computation', first: 'y', missing: ['z'] })
    expect(report.arrays.map(({ kind }: { kind: string }) => kind)).toEqual([
      'order or rounding',
      'another computation',
    ])
  })

  it('of a program and a recorded run holds the results to a certified bound', async () => {
    const made = await run(
      'program',
      'run',
      norm,
      '--inputs',
      file('x.safetensors'),
      '--out',
      file('y.safetensors'),
    )
    expect(made.status).toBe(0)
    const same = await run('compare', norm, file('y.safetensors'), '--inputs', file('x.safetensors'))
    expect([same.status, same.out]).toEqual([
      0,
      expect.stringMatching(/^equal: 1 arrays have the same values/),
    ])
    writeSafetensors(file('off.safetensors'), { y: tensor([[1, 1, 1, 1, 1, 1, 1, 1]], { dtype: 'float16' }) })
    const off = await run('compare', file('off.safetensors'), norm, '--inputs', file('x.safetensors'))
    expect([off.status, off.out]).toEqual([1, expect.stringMatching(/^another computation: the first is y/)])
  })

  it('refuses files of other kinds, files that are not there, and files with no name in common', async () => {
    writeNpz(file('other.npz'), { other: tensor([1]) })
    const cases = [
      [['a.txt', norm], 'compare takes .mlir, .onnx, .safetensors and .npz files [a.txt]'],
      [['none.onnx', norm], 'no such file [none.onnx]'],
      [[file('a.npz'), file('other.npz')], 'the two have no name in common'],
      [[norm, norm], 'no value for x'],
    ] as const
    for (const [args, message] of cases) {
      const { status, error } = await run('compare', ...args)
      expect([status, error]).toEqual([2, expect.stringContaining(message)])
    }
  })
})
