import { checkInteger, checkNumber } from '../../../base/options/index.js'
import { route } from '../../../models/kernels/index.js'
import { key, normal } from '../../../tensors/random/index.js'
import { add, cast, type FloatDType, matmul, mul, type Tensor } from '../../../tensors/tensor/index.js'
import { examination } from '../record/examination.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, red, say } from '../record/shown.js'

/** The router; `dtype` is what its logits are rounded to. */
export interface RouterChangesExpertsOptions extends DTypeOption {
  /** Tokens. Default: 512. */
  readonly tokens?: number
  /** Experts. Default: 64. */
  readonly experts?: number
  /** How many experts a token goes to. Default: 8. */
  readonly k?: number
  /** The mean of a token's logits, which no softmax sees. Default: 0. */
  readonly mean?: number
}

/**
 * Router logits rounded to bfloat16: tokens go to other experts.
 *
 * Readings  `changed`, tokens whose set of experts is another one than by the logits as they are; `ties`, tokens with two equal
 *           logits at the edge of the choice. The stable twin leaves the logits in float32.
 *
 * @example routerChangesExperts.run().naive.changed > 5 // true
 */
export const routerChangesExperts: Failure<RouterChangesExpertsOptions> =
  failure<RouterChangesExpertsOptions>({
    id: 'router-changes-experts',
    title: 'Router logits in bfloat16 send tokens to other experts',
    story:
      'A router picks the k largest of many logits, and whatever is chosen is chosen whole: an error of the logits does not become a small error of the output but another expert. Between 1 and 2, where the edge of the choice lies, bfloat16 numbers are 2^-7 apart. Two logits that differ by less become equal, or change places, and of equals the lower index wins. The product before needs no float32 operands, since products of bfloat16 numbers are exact in float32 sums; only its result must stay wide.',
    source: 'https://github.com/sgl-project/sglang/pull/33764',
    reported:
      'A fused product gave the router of Kimi-K3 its logits in bfloat16: 5.27 % of the tokens got another set of 16 experts; a similar rounding had cost another model 12 points of a coding benchmark. The fix asks for a float32 result.',
    repairs: [
      { change: 'logits in float32', options: { dtype: 'float32' } },
      { change: 'as many choices as experts', options: { experts: 8 } },
    ],
    cure: examination('the logits of 512 tokens for 64 experts', () => {
      const inputs = {
        states: cast(normal(key(22), [512, 64]), 'bfloat16'),
        weights: cast(mul(normal(key(20), [64, 64]), 1 / 8), 'bfloat16'),
      }
      const wanted = String(
        setsOf(matmul(cast(inputs.states, 'float64'), cast(inputs.weights, 'float64')), 8),
      )
      return {
        f: ({ states, weights }: { readonly [name: string]: Tensor }): Tensor =>
          cast(matmul(states!, weights!), 'float32'),
        inputs,
        question: 'every token goes to the same eight experts',
        target: { holds: (g) => String(setsOf(g(inputs), 8)) === wanted },
      }
    }),
    options: { dtype: 'optional', tokens: 'optional', experts: 'optional', k: 'optional', mean: 'optional' },
    run({ dtype = 'bfloat16', tokens = 512, experts = 64, k = 8, mean = 0 }) {
      checkInteger(this.id, 'tokens', tokens, 1, 4096)
      checkInteger(this.id, 'experts', experts, 2, 256)
      checkInteger(this.id, 'k', k, 1, experts)
      checkNumber(this.id, 'mean', mean, -1000, 1000)
      const drawn = normal(key(21), [tokens, experts])
      const readings = (of: FloatDType, at: number) => {
        const logits = add(drawn, at)
        const rounded = cast(logits, of)
        const wanted = setsOf(logits, k)
        const changed = setsOf(rounded, k).filter((set, i) => set !== wanted[i]).length
        return { changed, ties: tiesAtEdge(rounded, k) }
      }
      const [naive, stable] = [readings(dtype, mean), readings('float32', mean)]
      const holds = naive.changed > 0
      const means = [0, 1, 2, 4, 8, 16, 32]
      const curve = (of: FloatDType) => means.map((x) => ({ x, y: (100 * readings(of, x).changed) / tokens }))
      return {
        naive,
        stable,
        holds,
        text: holds
          ? `${say(naive.changed)} of ${say(tokens)} tokens go to another set of ${say(k)} of ${say(experts)} experts; ${say(naive.ties)} have two equal logits at the edge of the choice.`
          : `All ${say(tokens)} tokens go to their own ${say(k)} experts.`,
        figure: {
          caption: 'Tokens with another set of experts, by a mean of the logits that changes no probability.',
          axes: ['mean of the logits', '% of tokens'],
          series: [blue('float32', curve('float32')), red(`logits ${dtype}`, curve(dtype))],
        },
      }
    },
  })

/** The set of experts of every token, written as one text. */
function setsOf(logits: Tensor, k: number): string[] {
  const { experts } = route(logits, { k })
  const chosen = [...experts.toNumbers()]
  const rows = chosen.length / k
  return Array.from({ length: rows }, (_, i) =>
    chosen
      .slice(i * k, (i + 1) * k)
      .sort((a, b) => a - b)
      .join(' '),
  )
}

/** Rows whose kth and next largest logits are equal. */
function tiesAtEdge(logits: Tensor, k: number): number {
  const [rows, experts] = logits.shape as [number, number]
  if (k === experts) return 0
  const values = logits.toNumbers()
  let ties = 0
  for (let i = 0; i < rows; i++) {
    const sorted = values.slice(i * experts, (i + 1) * experts).sort((a, b) => b - a)
    if (sorted[k - 1] === sorted[k]) ties++
  }
  return ties
}
