import { type UnitName, type UnitOutput, unitDot } from 'tpu-toolkit/kernels'
import { key, normal } from 'tpu-toolkit/random'
import { abs, cast, type FloatDType, type Tensor } from 'tpu-toolkit/tensor'

/** A way to form products, as docs/kernels.md and its picture show it. */
export interface ShownWay {
  readonly label: string
  readonly unit: UnitName
  readonly format: FloatDType
  readonly out?: UnitOutput
  readonly promote?: number
}

export const shownWays: readonly ShownWay[] = [
  { label: 'Ada, e4m3', unit: 'ada', format: 'float8_e4m3fn' },
  { label: 'H100, e4m3', unit: 'h100', format: 'float8_e4m3fn' },
  { label: 'H100, e4m3, promoted every 128', unit: 'h100', format: 'float8_e4m3fn', promote: 128 },
  { label: 'H100, e4m3 into float16', unit: 'h100', format: 'float8_e4m3fn', out: 'float16' },
  { label: 'B200, e4m3', unit: 'b200', format: 'float8_e4m3fn' },
  { label: 'H100, e5m2', unit: 'h100', format: 'float8_e5m2' },
  { label: 'V100, float16', unit: 'v100', format: 'float16' },
  { label: 'A100, float16 into float16', unit: 'a100', format: 'float16', out: 'float16' },
  { label: 'A100, bfloat16', unit: 'a100', format: 'bfloat16' },
  { label: 'H100, bfloat16', unit: 'h100', format: 'bfloat16' },
  { label: 'H100, bfloat16, promoted every 128', unit: 'h100', format: 'bfloat16', promote: 128 },
]

export const shownLengths: readonly number[] = [128, 512, 2048, 8192]

const rows = 64

/**
 * The root mean square of the errors of 64 inner products, each relative to its sum of magnitudes, against the exact sum of the
 * same codes; and how many are too small in magnitude. Data are normal numbers, or their magnitudes.
 */
export function unitErrors(way: ShownWay, k: number, isPositive: boolean): { error: number; low: number } {
  const drawn = (seed: number): Tensor<'bfloat16'> => {
    const x = normal(key(seed), [rows, k])
    return cast(isPositive ? abs(x) : x, way.format) as Tensor<'bfloat16'>
  }
  const [a, b] = [drawn(1), drawn(2)]
  const { unit, out = 'float32', promote } = way
  const sums = unitDot(a, b, { unit, out, ...(promote === undefined ? {} : { promote }) }).toNumbers()
  const [x, y] = [a.toNumbers(), b.toNumbers()]
  let [squares, low] = [0, 0]
  for (const [row, sum] of sums.entries()) {
    let [exact, magnitudes] = [0, 0]
    for (let p = row * k; p < (row + 1) * k; p++) {
      exact += x[p]! * y[p]!
      magnitudes += Math.abs(x[p]! * y[p]!)
    }
    squares += ((sum - exact) / magnitudes) ** 2
    if (Math.abs(sum) < Math.abs(exact)) low++
  }
  return { error: Math.sqrt(squares / rows), low }
}
