import { nearestName, shown } from '../../base/options/index.js'
import { type ChipFacts, type ChipKind, type ChipName, chipTable } from './chipTable.js'

/**
 * One generation of chips. Its numbers are those to plan with; `facts` has each of them under the same name with its source,
 * and what other sources say.
 */
export interface Chip extends ChipKind {
  readonly name: ChipName
  readonly facts: ChipFacts
  readonly bfloat16FlopsPerSecond: number
  readonly int8OpsPerSecond: number | null
  readonly float8FlopsPerSecond: number | null
  readonly hbmGib: number
  readonly hbmBytes: number
  /** What a compiled program may use, of one JAX device and of the chip. */
  readonly programHbmGibPerDevice: number
  readonly programHbmBytes: number
  readonly hbmBytesPerSecond: number
  /** Fast memory beside the matrix units: about 22 times the HBM's rate, by the scaling book. */
  readonly vmemMibPerCore: number
  readonly vmemBytesPerSecond: number
  readonly cmemMib: number | null
  readonly tensorCores: number
  readonly jaxDevices: number
  readonly mxusPerCore: number
  readonly mxuSide: number
  /** What the peak rate says the clock is: FLOP/s = 2 side^2 MXUs clock. */
  readonly clockHz: number
  readonly sparseCores: number | null
  /** The vector unit: 8 sublanes of 128 lanes, in every generation. */
  readonly vpuLanes: number
  readonly vpuSublanes: number
  readonly iciLinks: number
  readonly iciBytesPerSecondPerLink: number | null
  readonly iciBytesPerSecondBothWays: number | null
  readonly iciHopSeconds: number
  readonly pcieBytesPerSecond: number | null
  readonly dcnBytesPerSecond: number | null
}

/** The generations, oldest first. */
export const chipNames: readonly ChipName[] = ['v2', 'v3', 'v4', 'v5e', 'v5p', 'v6e', 'tpu7x']

/** How else the generations are called, for errors. */
const otherNames: Readonly<Record<string, ChipName>> = {
  ...{ v5: 'v5p', v5lite: 'v5e', v5litepod: 'v5e', v6: 'v6e', trillium: 'v6e' },
  ...{ v7: 'tpu7x', v7x: 'tpu7x', tpu7: 'tpu7x', tpuv7x: 'tpu7x', ironwood: 'tpu7x' },
}

/**
 * The facts of one generation, per chip: peak rates, memories, links, each with its source.
 *
 * Shape     none. Dtype none. Rounding none.
 * Throws    RangeError for an unknown name; the nearest known one is named.
 * Source    `chip(name).facts` and `sources`; conflicts between them are `facts.<name>.others`.
 *
 * @example chip('v5p').bfloat16FlopsPerSecond // 459e12
 * @example chip('v6e').mxuSide // 256
 * @example chip('v3').facts.bfloat16FlopsPerSecond.others[0] // { value: 140e12, source: 'book' }
 * @example chip('v7x') // throws chip: unknown chip, did you mean tpu7x [v7x]
 */
export function chip(name: string): Chip {
  const found = typeof name === 'string' ? chips.get(name) : undefined
  if (found) return found
  throw new RangeError(`chip: unknown chip, ${adviceFor(name)} [${shown(name)}]`)
}

function adviceFor(name: unknown): string {
  const near =
    typeof name === 'string'
      ? (otherNames[name.toLowerCase().replace(/[-_ ]/g, '')] ?? nearestName(name, chipNames))
      : undefined
  return near === undefined ? `there are ${chipNames.join(', ')}` : `did you mean ${near}`
}

/** A generation by its name or its record; a record may have custom numbers. */
export type ChipLike = ChipName | Chip

/** The record of a generation given either way; the caller's name stands in the error. */
export function chipOf(op: string, given: ChipLike): Chip {
  if (typeof given === 'string') return chip(given)
  if (typeof given === 'object' && given !== null && Array.isArray(given.podTopology)) return given
  throw new TypeError(`${op}: neither the name nor the record of a chip [${shown(given)}]`)
}

/** The name that is meant by another one: what Cloud calls v5litepod is v5e. */
export function chipNameOf(name: string): string {
  return name === 'v5litepod' ? 'v5e' : name
}

const gib = 2 ** 30

function makeChip(name: ChipName): Chip {
  const { kind, facts } = chipTable[name]
  const value = <Key extends keyof ChipFacts>(key: Key): ChipFacts[Key]['value'] => facts[key].value
  const peak = facts.bfloat16FlopsPerSecond.value
  const mxus = facts.mxusPerCore.value * facts.tensorCores.value
  return Object.freeze({
    name,
    ...kind,
    facts: Object.freeze(facts),
    bfloat16FlopsPerSecond: peak,
    int8OpsPerSecond: value('int8OpsPerSecond'),
    float8FlopsPerSecond: value('float8FlopsPerSecond'),
    hbmGib: facts.hbmGib.value,
    hbmBytes: facts.hbmGib.value * gib,
    programHbmGibPerDevice: facts.programHbmGibPerDevice.value,
    programHbmBytes: Math.floor(facts.programHbmGibPerDevice.value * gib) * facts.jaxDevices.value,
    hbmBytesPerSecond: facts.hbmBytesPerSecond.value,
    vmemMibPerCore: facts.vmemMibPerCore.value,
    vmemBytesPerSecond: 22 * facts.hbmBytesPerSecond.value,
    cmemMib: value('cmemMib'),
    tensorCores: facts.tensorCores.value,
    jaxDevices: facts.jaxDevices.value,
    mxusPerCore: facts.mxusPerCore.value,
    mxuSide: facts.mxuSide.value,
    clockHz: peak / (2 * facts.mxuSide.value ** 2 * mxus),
    sparseCores: value('sparseCores'),
    vpuLanes: 128,
    vpuSublanes: 8,
    iciLinks: facts.iciLinks.value,
    iciBytesPerSecondPerLink: value('iciBytesPerSecondPerLink'),
    iciBytesPerSecondBothWays: value('iciBytesPerSecondBothWays'),
    iciHopSeconds: 1e-6,
    pcieBytesPerSecond: value('pcieBytesPerSecond'),
    dcnBytesPerSecond: value('dcnBytesPerSecond'),
  })
}

const chips: ReadonlyMap<string, Chip> = new Map(chipNames.map((name) => [name, makeChip(name)]))
