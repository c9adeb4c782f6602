import { type UnitInput, type UnitName, type UnitOutput, unitDot, units } from 'tpu-toolkit/kernels'
import { type DType, fromBits, type Tensor, zeros } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'

interface Case {
  readonly name: 'bf16' | 'fp16' | 'tf32' | 'E4M3' | 'E5M2'
  readonly k: number
  readonly rows: number
  readonly outputs: readonly ('fp32' | 'fp16')[]
  readonly c_is_zero_for: readonly string[]
}

const gpus: readonly (readonly [gpu: string, unit: UnitName])[] = [
  ['V100', 'v100'],
  ['A100', 'a100'],
  ['A2', 'a100'],
  ['L40S', 'ada'],
  ['Ada', 'ada'],
  ['H100', 'h100'],
  ['H200', 'h200'],
  ['B200', 'b200'],
]
const dtypes: Readonly<Record<Case['name'], DType>> = {
  ...{ bf16: 'bfloat16', fp16: 'float16', tf32: 'float32' },
  ...{ E4M3: 'float8_e4m3fn', E5M2: 'float8_e5m2' },
}
const measured = new Set<string>()

describe('unitDot against results measured on GPUs', () => {
  const cases = gpus.flatMap(([gpu, unit]) => {
    const key = new Columns(`tensorcores/${gpu}`)
    return (key.facts['cases'] as readonly Case[]).flatMap((one) =>
      one.outputs.map((output) => ({ gpu, unit, key, ...one, output })),
    )
  })

  it.each(cases)('unitDot has every row of $gpu, $name into $output', (one) => {
    const { unit, key, name, k, rows, output } = one
    const dtype = dtypes[name]
    const operand = (which: 'a' | 'b'): Tensor<'bfloat16'> => {
      const column = `${name}_${which}`
      const codes =
        name === 'tf32' ? key.u32(column) : name.startsWith('E') ? key.u8(column) : key.u16(column)
      return fromBits(codes, { shape: [rows, k], dtype }) as Tensor<'bfloat16'>
    }
    const c = one.c_is_zero_for.includes(output)
      ? zeros([rows])
      : fromBits(key.u32(`${name}_c`), { shape: [rows], dtype: 'float32' })
    const out: UnitOutput = output === 'fp32' ? 'float32' : 'float16'
    const input = name === 'tf32' ? ({ input: 'tf32' } as const) : {}
    const result = unitDot(operand('a'), operand('b'), { unit, out, c, ...input })
    const column = `${name}_d_${output}`
    expect(result.toBits()).toEqual(output === 'fp32' ? key.u32(column) : key.u16(column))
    measured.add([unit, name === 'tf32' ? 'tf32' : dtype, out].join(' '))
  })

  it('units call measured what was measured, and nothing else', () => {
    const claimed = Object.entries(units).flatMap(([name, unit]) =>
      Object.entries(unit.rules).flatMap(([input, outputs]) =>
        Object.entries(outputs ?? {}).flatMap(([output, rule]) =>
          (rule.basis ?? unit.basis) === 'measured'
            ? [[name, input satisfies string as UnitInput, output].join(' ')]
            : [],
        ),
      ),
    )
    expect(claimed.sort()).toEqual([...measured].sort())
  })
})
