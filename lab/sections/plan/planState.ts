import { type ChipName, chipNames, topologies } from 'tpu-toolkit/hardware'
import { type ModelConfig, modelNamed, modelNames } from 'tpu-toolkit/model'
import { type Dataflow, dataflows } from 'tpu-toolkit/systolic'
import { flagLevels } from 'tpu-toolkit/xla'
import { flag, numberFrom, oneOf, sectionState, text } from '../../shell/urlState.js'
import type { PlanAsked } from './planMessages.js'

const most = 2 ** 20
const size = numberFrom(1, most, 1, 1)
const cells = (initial: number) => numberFrom(1, 8, initial, 1)

/** Policies of recomputation. */
export const remats = ['everything', 'dots', 'block'] as const

/** The parts of a plan, each under its tab. */
export const planTabNames = ['memory', 'torus', 'operations', 'unit', 'flags'] as const

/** Everything of the section that stands in the address. */
export const state = sectionState('plan', {
  tab: oneOf(planTabNames, 'memory'),
  model: oneOf([...modelNames, 'own'], 'llama3-8b'),
  D: numberFrom(1, most, 2048, 1),
  F: numberFrom(1, most, 8192, 1),
  L: numberFrom(1, 10_000, 24, 1),
  N: numberFrom(1, most, 16, 1),
  V: numberFrom(1, 1e7, 50_304, 1),
  chip: oneOf(chipNames, 'v5p'),
  topology: text('4x4x4', 20),
  batch: numberFrom(0, most, 0, 1),
  sequence: numberFrom(1, most, 4096, 1),
  data: size,
  tensor: size,
  expert: size,
  params: oneOf(['bfloat16', 'float32'] as const, 'float32'),
  remat: oneOf(remats, 'block'),
  parameter: text('layer.mlp.up', 60),
  device: numberFrom(0, most, 0, 1),
  rows: size,
  tokens: numberFrom(1, most, 2048, 1),
  context: numberFrom(0, most, 0, 1),
  pass: oneOf(['forward', 'both'] as const, 'both'),
  dataflow: oneOf<Dataflow>(dataflows, 'ws'),
  high: cells(3),
  wide: cells(3),
  m: cells(4),
  n: cells(3),
  k: cells(3),
  cycle: numberFrom(0, 10_000, 0, 1),
  level: oneOf(flagLevels, 'standard'),
  experts: flag(false),
  wideSums: flag(false),
  libtpu: text('--xla_tpu_bf16_reduction=false --xla_enable_async_all_gather=1', 5000),
  xla: text('', 5000),
})

/** The topology that is chosen, where the chip has it; else its first of at least 64 chips, or its largest. */
export function topologyOf(chip: ChipName, text: string): readonly number[] {
  const offered = topologies(chip)
  const chips = (shape: readonly number[]): number => shape.reduce((product, side) => product * side, 1)
  return (
    offered.find((shape) => shape.join('x') === text) ??
    offered.find((shape) => chips(shape) >= 64) ??
    offered.at(-1)!
  )
}

/** The model that is chosen. */
export function configOf(): ModelConfig {
  const { model, D, F, L, N, V } = state
  if (model.value !== 'own') return modelNamed(model.value)
  return { family: 'decoder', D: D.value, F: F.value, L: L.value, N: N.value, V: V.value }
}

/** The question as the address has it; ways of 1 are not asked for, so that fsdp takes what is left. */
export function askedOf(): PlanAsked {
  const { chip, topology, batch, sequence, params, remat, parameter, rows, tokens, context, pass } = state
  const ways = (['data', 'tensor', 'expert'] as const).flatMap((way) =>
    state[way].value > 1 ? [[way, state[way].value] as const] : [],
  )
  return {
    ...{ config: configOf(), chip: chip.value, topology: topologyOf(chip.value, topology.value) },
    ...{ batch: batch.value, sequence: sequence.value, split: Object.fromEntries(ways) },
    ...{ paramsDtype: params.value, remat: remat.value },
    ...{ parameter: parameter.value, rows: rows.value, tokens: tokens.value },
    ...{ context: context.value, pass: pass.value },
  }
}
