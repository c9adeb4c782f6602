import type { ChipName } from '../hardware/index.js'
import { type ModelConfig, modelNamed } from '../model/index.js'

/** A published measurement of training in bfloat16. */
export interface Measured {
  readonly chip: ChipName
  readonly slice: string
  readonly model: string
  readonly sequence: number
  /** Known where the model's dimensions are public: then the measurement is tokens per second per chip. */
  readonly config?: ModelConfig
  readonly tokensPerSecondPerChip?: number
  /** As printed, all pairs of positions counted, where the dimensions are not public. */
  readonly mfu?: number
  readonly source: string
}

const tiers = 'MaxText docs/reference/models/tiering.md, 2025'
const recipes = 'AI-Hypercomputer/tpu-recipes training/ironwood/README.md at 0797d9c, 2026'
const v5pTable = 'MaxText README, runtime performance on v5p, 2025'
const v5eTable = 'MaxText configs/v5e/README.md, 2023'
const v4Table = 'MaxText configs/v4/README.md, 2023'

const printed = (
  chip: ChipName,
  source: string,
  sequence: number,
  rows: readonly (readonly [string, string, number])[],
): Measured[] => rows.map(([model, slice, mfu]) => ({ chip, slice, model, sequence, mfu, source }))

const known = (
  chip: ChipName,
  source: string,
  rows: readonly (readonly [string, string, string, number, number])[],
): Measured[] =>
  rows.map(([model, name, slice, sequence, tokensPerSecondPerChip]) => ({
    ...{ chip, slice, model, sequence, config: modelNamed(name), tokensPerSecondPerChip, source },
  }))

/** The measurements that the constants are fitted on. Not here: the row of 1024B on v5p-2048, whose two columns disagree. */
export const measured: readonly Measured[] = [
  ...printed('v4', v4Table, 2048, [
    ['22B', 'v4-128', 0.567],
    ['52B', 'v4-384', 0.56],
  ]),
  // 238.3 thousand tokens a second on two slices of 3072 chips; printed beside it: 46.2 %.
  ...known('v4', 'arXiv:2204.02311, 2022', [['PaLM 540B', 'palm-540b', 'v4-6144', 2048, 238.3e3 / 6144]]),
  ...printed('v5e', v5eTable, 2048, [
    ['16B', 'v5e-256', 0.611],
    ['32B', 'v5e-256', 0.6686],
    ['64B', 'v5e-256', 0.599],
    ['128B', 'v5e-256', 0.5606],
  ]),
  ...printed('v5p', v5pTable, 2048, [
    ['32B', 'v5p-128', 0.7147],
    ['64B', 'v5p-128', 0.7031],
    ['128B', 'v5p-256', 0.6868],
    ['128B', 'v5p-512', 0.6853],
    ['256B', 'v5p-1024', 0.6882],
    ['512B', 'v5p-1024', 0.6399],
    ['1024B', 'v5p-4096', 0.648],
    ['1160B', 'v5p-7680', 0.6427],
    ['1160B', 'v5p-12288', 0.6623],
  ]),
  ...known('v5p', tiers, [['Llama 2 70B', 'llama2-70b', 'v5p-1024', 4096, 692]]),
  ...known('v6e', tiers, [
    ['Llama 2 70B', 'llama2-70b', 'v6e-256', 4096, 900],
    ['Llama 3.1 8B', 'llama3-8b', 'v6e-256', 8192, 7207],
    ['Llama 3.1 70B', 'llama3-70b', 'v6e-256', 8192, 960],
  ]),
  ...printed('v6e', `${tiers}; its 123 tokens/s would be 35.2 %`, 8192, [
    ['Llama 3.1 405B', 'v6e-256', 0.3855],
  ]),
  ...known('tpu7x', recipes, [
    ['Llama 3.1 70B', 'llama3-70b', 'tpu7x-128', 8192, 2686.98],
    ['Llama 3.1 70B', 'llama3-70b', 'tpu7x-512', 8192, 2670.55],
    ['Llama 3.1 70B', 'llama3-70b', 'tpu7x-512', 131072, 963.03],
    ['Llama 3.1 405B', 'llama3.1-405b', 'tpu7x-512', 8192, 499.77],
  ]),
]

/** Measurements of models with 8 experts, which the factor for routing is fitted on. */
export const measuredExperts: readonly Measured[] = [
  ...known('v5p', tiers, [['Mixtral 8x7B', 'mixtral-8x7b', 'v5p-512', 4096, 2909]]),
  ...known('v6e', tiers, [
    ['Mixtral 8x7B', 'mixtral-8x7b', 'v6e-256', 4096, 3899],
    ['Mixtral 8x22B', 'mixtral-8x22b', 'v6e-256', 4096, 1326],
  ]),
]
