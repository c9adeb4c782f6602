import { decode, encode, round, table } from '../../../bf16/index.js'
import { type FlashForm, rowMax, select } from './form.js'
import type { FlashPlan } from './plan.js'

/** Every step of flash attention rounded to bfloat16: what a naive kernel is. */
export function bfloat16Form({ scale, softCap, ties, accumulate }: FlashPlan): FlashForm {
  const [by, cap] = [round(scale), softCap === undefined ? undefined : round(softCap)]
  const [exp, tanh, log] = [table('exp'), table('tanh'), table('log')]
  const one = new Uint16Array(1)
  const number = new Float32Array(1)
  const of = (codes: Uint16Array, x: number): number => {
    number[0] = x
    one[0] = codes[encode(number, one)[0]!]!
    return decode(one, number)[0]!
  }
  const step = accumulate === 'bfloat16' ? round : Math.fround
  return {
    firstMax: -Infinity,
    logits(tile) {
      const { s } = tile
      for (let i = 0; i < s.length; i++) s[i] = round(round(s[i]!) * by)
      if (cap !== undefined) {
        for (let i = 0; i < s.length; i++) s[i] = round(of(tanh, round(s[i]! / cap)) * cap)
      }
      select(tile, -Infinity)
    },
    weigh(tile, { m, l, factor }) {
      const { rows, width, s } = tile
      for (let i = 0; i < rows; i++) {
        const next = Math.max(m[i]!, rowMax(tile, i, ties, round))
        const u = next === -Infinity ? 0 : next
        for (let j = i * width; j < (i + 1) * width; j++) s[j] = round(s[j]! - u)
        factor[i] = of(exp, round(m[i]! - u))
        m[i] = next
      }
      const codes = encode(s)
      for (let e = 0; e < codes.length; e++) codes[e] = exp[codes[e]!]!
      decode(codes, s)
      for (let i = 0; i < rows; i++) {
        let sum = 0
        for (let j = i * width; j < (i + 1) * width; j++) sum = step(sum + s[j]!)
        l[i] = round(round(factor[i]! * l[i]!) + round(sum))
      }
    },
    add({ acc, factor }, w, rows, dv) {
      for (let i = 0; i < rows; i++) {
        const a = factor[i]!
        for (let e = i * dv; e < (i + 1) * dv; e++) acc[e] = round(round(a * acc[e]!) + round(w[e]!))
      }
    },
    finish({ m, l, acc }, i, dv) {
      const sum = l[i]!
      for (let e = i * dv; e < (i + 1) * dv; e++) acc[e] = sum === 0 ? 0 : round(acc[e]! / sum)
      return round(m[i]! + of(log, sum))
    },
  }
}
