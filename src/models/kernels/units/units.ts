import { defineUnit } from './defineUnit.js'
import type { Unit, UnitRule } from './unit.js'

const measured =
  'F. A. Khattak and M. Mikaitis, doi:10.1145/3830409, with results of the hardware; MMA-Sim, arXiv 2511.10909'
const simulated = 'MMA-Sim, arXiv 2511.10909'

/** Sums cut to float32, and the same into float16, rounded. */
const both = (rule: Omit<UnitRule, 'result' | 'rounding'>) => ({
  float32: { ...rule, result: 'float32', rounding: 'cut' } as UnitRule,
  float16: { ...rule, result: 'float16', rounding: 'nearest' } as UnitRule,
})
const wide = (rule: Omit<UnitRule, 'result' | 'rounding'>) => ({ float32: both(rule).float32 })

/** Two groups of 16 without an accumulator, which is then added in float16. */
const emulated: UnitRule = {
  ...{ k: 32, group: 16, align: 25, result: 'float16', rounding: 'nearest' },
  ...{ order: 'by bit 1', accumulator: 'added after' },
}

const volta = defineUnit({
  ...{ name: 'v100', chips: 'NVIDIA V100 (Volta)', basis: 'measured', source: measured },
  rules: { float16: both({ k: 4, group: 4, align: 23 }) },
})

const turing = defineUnit({
  ...{ name: 'turing', chips: 'NVIDIA T4, RTX 20 (Turing)', basis: 'described', source: simulated },
  rules: { float16: both({ k: 8, group: 8, align: 24 }) },
})

const ampereRules = {
  float16: both({ k: 16, group: 8, align: 24 }),
  bfloat16: wide({ k: 16, group: 8, align: 24 }),
  tf32: wide({ k: 8, group: 4, align: 24 }),
}

const ampere = defineUnit({
  ...{ name: 'a100', chips: 'NVIDIA A100, A2, A30 (Ampere)', basis: 'measured', source: measured },
  rules: ampereRules,
})

const eightOfAda: { readonly float32: UnitRule; readonly float16: UnitRule } = {
  float32: { k: 32, group: 16, align: 13, result: 'e8m13', rounding: 'cut' },
  float16: { k: 32, group: 16, align: 13, result: 'float16', rounding: 'nearest' },
}

const ada = defineUnit({
  ...{ name: 'ada', chips: 'NVIDIA L40S, RTX 40 (Ada Lovelace)', basis: 'measured', source: measured },
  rules: { ...ampereRules, float8_e4m3fn: eightOfAda, float8_e5m2: eightOfAda },
})

const sixteenOfHopper = {
  float16: both({ k: 16, group: 16, align: 25 }),
  bfloat16: wide({ k: 16, group: 16, align: 25 }),
  // Rows of 4 were measured, which fit 8 at once as both models have it.
  tf32: wide({ k: 8, group: 8, align: 25 }),
}

const eightOfHopper: { readonly float32: UnitRule; readonly float16: UnitRule } = {
  float32: { k: 32, group: 32, align: 13, result: 'e8m13', rounding: 'cut' },
  float16: emulated,
}

const hopperRules = { ...sixteenOfHopper, float8_e4m3fn: eightOfHopper, float8_e5m2: eightOfHopper }

const h100 = defineUnit({
  ...{ name: 'h100', chips: 'NVIDIA H100, H800 (Hopper)', basis: 'measured', source: measured },
  rules: hopperRules,
})

const h200 = defineUnit({
  ...{ name: 'h200', chips: 'NVIDIA H200 (Hopper)', basis: 'measured', source: measured },
  rules: hopperRules,
})

const eightOfBlackwell: { readonly float32: UnitRule; readonly float16: UnitRule } = {
  float32: {
    ...{ k: 32, group: 32, align: 25, result: 'float32', rounding: 'cut' },
    accumulator: 'added after',
  },
  float16: emulated,
}

const b200 = defineUnit({
  ...{ name: 'b200', chips: 'NVIDIA B200 (Blackwell)', basis: 'measured', source: measured },
  rules: { ...sixteenOfHopper, float8_e4m3fn: eightOfBlackwell, float8_e5m2: eightOfBlackwell },
})

const mxf8 = wide({ k: 32, group: 32, align: 25, scaled: 32 })

const blockScaled = defineUnit({
  ...{ name: 'b200-block-scaled', chips: 'NVIDIA B200, tcgen05 with block scales' },
  ...{ basis: 'described', source: simulated },
  rules: {
    ...{ float8_e4m3fn: mxf8, float8_e5m2: mxf8, float6_e2m3fn: mxf8, float6_e3m2fn: mxf8 },
    float4_e2m1fn: wide({ k: 64, group: 64, align: 35, adder: 'scaled', scaled: 16 }),
  },
})

const pairs: { readonly float32: UnitRule } = {
  float32: { k: 4, group: 4, align: 0, result: 'float32', rounding: 'nearest', adder: 'pairwise' },
}

const mi200 = defineUnit({
  ...{ name: 'mi200', chips: 'AMD MI210, MI250 (CDNA 2)', basis: 'described', source: simulated },
  rules: { float16: pairs, bfloat16: pairs },
})

const floored = (group: number, adder: 'floored' | 'floored halves'): { readonly float32: UnitRule } => ({
  float32: { k: group, group, align: 24, result: 'float32', rounding: 'nearest', adder },
})

const mi300 = defineUnit({
  ...{ name: 'mi300', chips: 'AMD MI300A, MI300X (CDNA 3)', basis: 'described', source: simulated },
  rules: {
    ...{ float16: floored(8, 'floored'), bfloat16: floored(8, 'floored'), tf32: floored(4, 'floored') },
    float8_e4m3fnuz: floored(16, 'floored halves'),
    float8_e5m2fnuz: floored(16, 'floored halves'),
  },
})

/** The units by name. */
export type UnitName =
  | 'v100'
  | 'turing'
  | 'a100'
  | 'ada'
  | 'h100'
  | 'h200'
  | 'b200'
  | 'b200-block-scaled'
  | 'mi200'
  | 'mi300'

/**
 * The matrix units of GPUs as records of facts: by input format and output, how many products are added at once, how many bits
 * below the largest they keep, how sums are cut or rounded; where that was read, and whether results of the hardware are equal.
 *
 * @example units.h100.rules.float8_e4m3fn?.float32?.align // 13
 * @example Object.keys(units.v100.rules) // ['float16']
 * @example units.mi300.basis // 'described'
 */
export const units: Readonly<Record<UnitName, Unit>> = {
  ...{ v100: volta, turing, a100: ampere, ada, h100, h200, b200 },
  ...{ 'b200-block-scaled': blockScaled, mi200, mi300 },
}
