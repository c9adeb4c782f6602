import { add, fromNumber, toNumber } from 'tpu-toolkit/bf16'

/** The running sum of one step of the experiment, position by position: as bfloat16 adds it, and exactly. */
export interface SumAt {
  readonly x: readonly number[]
  readonly rounded: readonly number[]
  readonly exact: readonly number[]
  /** Additions that changed nothing. */
  readonly lost: number
}

/** 127 time steps `dt` added to the first one, which is long: it fills the sum to where an ulp is larger than the others. */
export function sumAt(first: number, dt: number): SumAt {
  const x = Array.from({ length: 128 }, (_, i) => i)
  const step = fromNumber(dt)
  const codes = [fromNumber(first)]
  for (let i = 1; i < 128; i++) codes.push(add(codes[i - 1]!, step))
  return {
    x,
    rounded: codes.map((code) => toNumber(code)),
    exact: x.map((i) => first + i * dt),
    lost: codes.slice(1).filter((code, i) => code === codes[i]).length,
  }
}
