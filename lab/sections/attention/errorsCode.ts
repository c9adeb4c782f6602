import type { ErrorsAsked } from './attentionMessages.js'

/** The program that measures every form at every block size. */
export function errorsCode({ tokens, dtype, factor, seed }: ErrorsAsked, mask: string): string {
  const names = [...mask.matchAll(/([a-zA-Z]+)\(/g)].map(([, name]) => name!)
  const imports = [...new Set([...names, 'attention', 'flashAttention', 'type FlashFormName'])].sort()
  const forms = ['flash2', 'splash', 'pallas', ...(dtype === 'bfloat16' ? ['bfloat16'] : [])]
  return `import { ${imports.join(', ')} } from 'tpu-toolkit/kernels'
import { drift } from 'tpu-toolkit/numerics'
import { foldIn, key, normal } from 'tpu-toolkit/random'
import { cast, mul } from 'tpu-toolkit/tensor'

const mask = ${mask}
const drawn = (stream: number) => normal(foldIn(key(${seed}), stream), [1, ${tokens}, 64])
const [q, k, v] = [cast(mul(drawn(0), ${factor}), '${dtype}'), cast(drawn(1), '${dtype}'), cast(drawn(2), '${dtype}')]
const exact = attention(cast(q, 'float64'), cast(k, 'float64'), cast(v, 'float64'), { mask }).out

const forms: FlashFormName[] = [${forms.map((form) => `'${form}'`).join(', ')}]
for (const form of forms) {
  for (let size = 16; size <= ${tokens}; size *= 2) {
    const { out } = flashAttention(q, k, v, { mask, form, blockQ: size, blockK: size })
    console.log(form, size, Number(drift(out, exact).rms.toPrecision(3)))
  }
}
console.log('whole, float32 inside', Number(drift(attention(q, k, v, { mask, internal: 'float32' }).out, exact).rms.toPrecision(3)))
${dtype === 'float32' ? '' : `console.log('whole, op by op', Number(drift(attention(q, k, v, { mask }).out, exact).rms.toPrecision(3)))\n`}`
}
