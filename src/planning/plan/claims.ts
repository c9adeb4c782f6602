import { type ChipName, chip, slice } from '../hardware/index.js'
import { activationBytes, type ModelConfig, trainingFlops } from '../model/index.js'
import { estimateParams, getTshirt, padding } from '../mxu/index.js'
import { trainingStep } from '../roofline/index.js'
import { toolkitPods } from '../sharding/index.js'

/** What becomes of a claim: it agrees with what is computed, it does not, or it names nothing that can be computed. */
export type ClaimVerdict = 'holds' | 'does not hold' | 'cannot be checked'

/** A number that a published toolkit prints, beside the one that is computed here. */
export interface Claim {
  readonly about: string
  /** As it is printed there. */
  readonly published: string
  readonly computed: string
  readonly verdict: ClaimVerdict
  readonly why: string
  /** The toolkit. */
  readonly source: string
}

/** The guide with tables of slices, throughput, memory and VQ: capibara, core/tpu/README.md, version 2.0.0 of 2025-11-16. */
const guide = 'capibara core/tpu 2.0.0'
const pods = 'toolkit of v5p pods'
const host = 'toolkit of one host'
const layouts = 'toolkit of layouts and attention'
const roofline = 'toolkit of rooflines'

/** Whether a printed number is the computed one: in the digits that are printed, or within 1 %. */
function agrees(printed: number, computed: number): boolean {
  const digits = String(printed)
    .replace('.', '')
    .replace(/^0+|0+$/g, '').length
  return Number(computed.toPrecision(digits)) === printed || Math.abs(printed - computed) <= 0.01 * computed
}

const grouped = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',')

const digits = (value: number, count = 3): string => String(Number(value.toPrecision(count)))

const verdictOf = (holds: boolean): ClaimVerdict => (holds ? 'holds' : 'does not hold')

/** The slices of the guide: chips, GB of one chip, TFLOP/s in bfloat16 and TOP/s in int8 of the slice. */
const slices = [
  ['v4-8', 4, 16, 275, 550],
  ['v4-32', 32, 16, 2200, 4400],
  ['v5e-4', 4, 16, 197, 394],
  ['v5e-64', 64, 16, 12600, 25200],
  ['v5e-256', 256, 16, 50500, 101000],
  ['v6e-64', 64, 32, 21000, 42000],
  ['v6e-256', 256, 32, 84000, 168000],
] as const

function sliceClaims(): Claim[] {
  return slices.map(([name, chips, gigabytes, bfloat16, int8]) => {
    const made = slice(name)
    const own = made.chip
    const ours = {
      chips: made.chips,
      memory: own.hbmGib,
      bfloat16: (made.chips * own.bfloat16FlopsPerSecond) / 1e12,
      int8: (made.chips * (own.int8OpsPerSecond ?? 0)) / 1e12,
    }
    const printed = { chips, memory: gigabytes, bfloat16, int8 }
    const wrong = (Object.keys(printed) as (keyof typeof printed)[]).filter(
      (key) => !agrees(printed[key], ours[key]),
    )
    return {
      about: `slice ${name}`,
      published: `${chips} chips of ${gigabytes} GB, ${grouped(bfloat16)} TFLOPS, int8 ${grouped(int8)}`,
      computed: `${ours.chips} chips of ${ours.memory} GiB, ${grouped(ours.bfloat16)} TFLOP/s, int8 ${grouped(ours.int8)}`,
      verdict: verdictOf(wrong.length === 0),
      why: wrong.length === 0 ? 'all four numbers' : `not ${wrong.join(', ')}`,
      source: guide,
    }
  })
}

/** Its model of "1B params": a decoder of 1.02e9 parameters. */
const billion: ModelConfig = { family: 'gpt2', D: 2048, L: 19, V: 32000, T: 2048 }

/** Its throughput: slice, batch, tokens a second, TFLOPS, utilisation in per cent. */
const throughput = [
  ['v4-8', 64, 125e3, 850, 77],
  ['v5e-64', 512, 1.2e6, 9500, 85],
  ['v6e-64', 512, 1.8e6, 15000, 88],
  ['v6e-256', 2048, 7.5e6, 62000, 90],
] as const

function throughputClaims(): Claim[] {
  const sequence = 2048
  return throughput.map(([name, batch, tokens, teraflops, percent]) => {
    const made = slice(name)
    const perToken = (attention: 'causal' | 'full'): number => {
      const { model } = trainingFlops(billion, { batch: 1, sequence, attention })
      return model / sequence
    }
    const [least, most] = [perToken('causal'), perToken('full')].map((flops) => (flops * tokens) / 1e12)
    const peak = (made.chips * made.chip.bfloat16FlopsPerSecond) / 1e12
    const share = (100 * teraflops) / peak
    const { tokensPerSecond } = trainingStep(billion, { slice: made, batch, sequence })
    const fits = teraflops >= 0.97 * least! && teraflops <= 1.03 * most!
    const used = agrees(percent, share)
    return {
      about: `1B parameters on ${name}`,
      published: `${grouped(tokens)} tokens a second, ${grouped(teraflops)} TFLOPS, ${percent} %`,
      computed: `${tokensPerSecond === null ? 'no estimate' : grouped(tokensPerSecond)} tokens a second; so many tokens as printed are ${grouped(least!)} to ${grouped(most!)} TFLOP/s; ${grouped(teraflops)} are ${digits(share, 2)} % of ${grouped(peak)}`,
      verdict: fits && used ? 'cannot be checked' : 'does not hold',
      why:
        fits && used
          ? `the three numbers agree with each other, and no bound forbids them; they are ${digits(tokens / (tokensPerSecond ?? tokens), 2)} times the estimate`
          : `${used ? '' : 'utilisation is not that of the peak, and '}the FLOPs are not those of the tokens`,
      source: guide,
    }
  })
}

/** Its memory in "BF16": parameters, GB of weights, of activations, of both on a chip. */
const memory = [
  ['125M', 125e6, 0.5, 1.5, 2],
  ['350M', 350e6, 1.4, 3, 4.4],
  ['1.3B', 1.3e9, 5.2, 8, 13.2],
  ['2.7B', 2.7e9, 10.8, 14, 24.8],
] as const

function memoryClaims(): Claim[] {
  return memory.map(([name, parameters, weights, activations, total]) => {
    // bfloat16 weights and gradients, two float32 moments.
    const [own, state] = [2 * parameters, 12 * parameters].map((bytes) => bytes / 1e9)
    return {
      about: `memory of ${name}, bfloat16`,
      published: `weights ${weights} GB, activations ${activations}, in all ${total}`,
      computed: `weights ${digits(own!)} GB; with gradients and two float32 moments ${digits(state!)}, and ${digits(state! + activations)} with these activations`,
      verdict: verdictOf(agrees(weights, own!) && agrees(total, state! + activations)),
      why: `${weights} GB are float32, and gradients and moments are left out`,
      source: guide,
    }
  })
}

function checkpointing(): Claim {
  const step = { batch: 8, sequence: 2048 }
  const kept = (remat: 'everything' | 'block' | { readonly every: number }): number =>
    activationBytes(billion, { ...step, remat }).bytes
  const two = { every: 2 } as const
  const { recomputed, model } = trainingFlops(billion, { ...step, remat: two })
  const less = (of: 'everything' | 'block'): string => digits(100 * (1 - kept(two) / kept(of)))
  return {
    about: 'checkpoint_every_n_layers=2',
    published: 'memory -50 %, compute +20 %',
    computed: `activations -${less('everything')} % of everything, -${less('block')} % of every layer's input; compute +${digits((100 * recomputed) / model)} %`,
    verdict: verdictOf(agrees(20, (100 * recomputed) / model)),
    why: 'the whole forward pass runs again, as with a checkpoint at every layer',
    source: guide,
  }
}

function quantised(): Claim[] {
  const v6e = chip('v6e')
  const rate = (v6e.int8OpsPerSecond ?? 0) / v6e.bfloat16FlopsPerSecond
  return [
    {
      about: 'VQ of 8 bits on v6e',
      published: 'MatMul 3.3x, attention 3.1x, MLP 3.0x, inference 3.0x',
      computed: `${digits(rate)}x at most: the int8 rate over the bfloat16 rate, and 16 bits over 8 as many bytes`,
      verdict: verdictOf(3 <= rate),
      why: 'neither the matrix units nor the HBM gain more from 8 bits',
      source: guide,
    },
    {
      about: 'v6e',
      published: 'hardware VQ acceleration',
      computed: `${v6e.mxusPerCore} matrix units of ${v6e.mxuSide}, a vector unit, ${v6e.sparseCores} SparseCores`,
      verdict: 'does not hold',
      why: 'no published unit for it; a codebook is looked up by gathers or by a product with one-hot rows',
      source: guide,
    },
  ]
}

function generations(): Claim[] {
  const [v4, v5e, v6e] = [chip('v4'), chip('v5e'), chip('v6e')]
  return [
    {
      about: 'v4',
      published: 'SparseCore for embedding lookups',
      computed: `${v4.sparseCores} SparseCores`,
      verdict: verdictOf((v4.sparseCores ?? 0) > 0),
      why: 'as v5p, v6e and tpu7x',
      source: guide,
    },
    {
      about: 'v5e',
      published: '40 % more efficient than v4',
      computed: `peak ${digits(v5e.bfloat16FlopsPerSecond / v4.bfloat16FlopsPerSecond)} of v4's, HBM rate ${digits(v5e.hbmBytesPerSecond / v4.hbmBytesPerSecond)}`,
      verdict: 'cannot be checked',
      why: 'it does not say efficient in what; watts and prices are yours to fill in (--costs)',
      source: guide,
    },
    {
      about: 'v6e',
      published: '2x memory (32GB vs 16GB)',
      computed: `v6e ${v6e.hbmGib} GiB, v5e ${v5e.hbmGib}, v4 ${v4.hbmGib}`,
      verdict: verdictOf(v6e.hbmGib === 2 * v5e.hbmGib),
      why: 'against v5e; v4, which it gives 16 GB, has as much as v6e',
      source: guide,
    },
  ]
}

/** Bytes that flash attention keeps of one head of 128: outputs in bfloat16, and float32 statistics of each row. */
const flashBytes = (sequence: number): number => sequence * (2 * 128 + 4)

function attention(): Claim {
  const [short, long] = [2048, 32768]
  return {
    about: 'flash attention',
    published: 'O(1) memory',
    computed: `a head of 128 keeps ${grouped(flashBytes(short))} bytes at ${short} positions, ${grouped(flashBytes(long))} at ${long}: outputs and statistics`,
    verdict: verdictOf(flashBytes(long) === flashBytes(short)),
    why: 'O(T) in place of O(T^2); only the scratch of a block does not grow',
    source: layouts,
  }
}

function podClaims(): Claim[] {
  return toolkitPods.flatMap(({ pod, claimedChips }) => {
    if (claimedChips === null || !pod.startsWith('v5p')) return []
    const { chips } = slice(pod)
    return [
      {
        about: `pod ${pod}`,
        published: `${claimedChips} chips`,
        computed: `${chips} chips`,
        verdict: verdictOf(chips === claimedChips),
        why: 'the number of v5p counts TensorCores, two a chip',
        source: pods,
      },
    ]
  })
}

function podSizes(): Claim[] {
  const sizes = (['S', 'M', 'L', 'XL'] as const).map(getTshirt)
  const printed = [15e6, 150e6, 1e9, 7e9]
  const link = (chip('v5p').iciBytesPerSecondPerLink ?? 0) / 1e9
  const parameters = estimateParams(1024, 24)
  const waste = 100 * padding(192, 128).waste
  return [
    {
      about: 'sizes of its models',
      published: sizes.map(({ name, printed: text }) => `${name} ${text}`).join(', '),
      computed: sizes.map(({ name, parameters: count }) => `${name} ${grouped(count)}`).join(', '),
      verdict: verdictOf(sizes.every(({ parameters: count }, i) => agrees(printed[i]!, count))),
      why: 'by its own formula',
      source: pods,
    },
    {
      about: 'd_model 1024, 24 layers',
      published: '148.2M parameters',
      computed: grouped(parameters),
      verdict: verdictOf(agrees(148.2e6, parameters)),
      why: 'by its own formula',
      source: pods,
    },
    {
      about: 'a head of 192 on arrays of 128',
      published: '50 % wasted',
      computed: `${digits(waste)} %`,
      verdict: verdictOf(agrees(50, waste)),
      why: '192 of 256',
      source: pods,
    },
    {
      about: 'links inside a tray of v5p',
      published: '340 GB/s, faster than between trays',
      computed: `${digits(link)} GB/s each way on every link`,
      verdict: verdictOf(agrees(340, link)),
      why: 'a tray has no links of its own kind',
      source: pods,
    },
  ]
}

function hostClaims(): Claim[] {
  const v5e = slice('v5e-8')
  const usable = v5e.programHbmBytes / 2 ** 30
  return [
    {
      about: 'v5e-8',
      published: '40 GB, 35 GB usable',
      computed: `${digits(v5e.hbmBytes / 2 ** 30)} GiB, ${digits(usable)} usable by programs`,
      verdict: verdictOf(agrees(40, v5e.hbmBytes / 1e9)),
      why: `${v5e.chips} chips of ${v5e.chip.hbmGib} GiB`,
      source: host,
    },
  ]
}

function rooflineClaims(): Claim[] {
  const of = (name: ChipName) => chip(name)
  const pod = of('v5p').podTopology.reduce((all, side) => all * side, 1)
  const exaflops = (pod * of('v5p').bfloat16FlopsPerSecond) / 1e18
  const rate = (
    about: string,
    published: string,
    printed: number,
    computed: number,
    unit: string,
    why: string,
  ): Claim => ({
    ...{ about, published, computed: `${digits(computed, 4)} ${unit}` },
    ...{ verdict: verdictOf(agrees(printed, computed)), why, source: roofline },
  })
  const v3 = of('v3')
  return [
    {
      about: 'int8 on v3',
      published: 'the bfloat16 rate, 140 TOP/s',
      computed: `${v3.int8OpsPerSecond === null ? 'no int8 mode' : grouped(v3.int8OpsPerSecond / 1e12)}; bfloat16 ${digits(v3.bfloat16FlopsPerSecond / 1e12)} TFLOP/s`,
      verdict: verdictOf(v3.int8OpsPerSecond !== null),
      why: 'the documentation has one rate, of bfloat16',
      source: roofline,
    },
    rate('HBM of v5p', '2.5 TB/s', 2.5, of('v5p').hbmBytesPerSecond / 1e12, 'TB/s', 'the documentation'),
    rate('HBM of v5p', '2.8 TB/s', 2.8, of('v5p').hbmBytesPerSecond / 1e12, 'TB/s', 'in the digits printed'),
    rate(
      'neighbours on v5p',
      '180 GB/s both ways',
      180,
      (2 * (of('v5p').iciBytesPerSecondPerLink ?? 0)) / 1e9,
      'GB/s',
      'half of it each way',
    ),
    rate(
      'data-centre network',
      '6.25 GB/s',
      6.25,
      (of('v5p').dcnBytesPerSecond ?? 0) / 1e9,
      'GB/s',
      'of each chip: 25 of a host of four',
    ),
    rate('peak of v6e', '920 TFLOP/s', 920, of('v6e').bfloat16FlopsPerSecond / 1e12, 'TFLOP/s', 'within 1 %'),
    rate(
      'a pod of v5p',
      '4 exaflops',
      4,
      exaflops,
      'EFLOP/s',
      `${grouped(pod)} chips; the largest job has fewer`,
    ),
  ]
}

/**
 * What published toolkits print about chips, slices, throughput and memory, each claim beside the number that is computed here, with a
 * verdict: it holds where it agrees in the digits that are printed or within 1 %.
 *
 * Source    the published numbers: capibara's core/tpu/README.md 2.0.0 (2025-11-16) and four other toolkits; ours: `chip(name).facts`,
 *           `trainingFlops`, `activationBytes`, `trainingStep`.
 *
 * @example claims().find(({ about }) => about === 'slice v4-32')?.computed // '16 chips of 32 GiB, 4,400 TFLOP/s, int8 4,400'
 */
export function claims(): readonly Claim[] {
  return [
    ...sliceClaims(),
    ...generations(),
    ...throughputClaims(),
    ...memoryClaims(),
    checkpointing(),
    ...quantised(),
    attention(),
    ...podClaims(),
    ...podSizes(),
    ...hostClaims(),
    ...rooflineClaims(),
  ]
}
