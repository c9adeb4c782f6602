import { chip, chipNames, type Fact, peakOpsPerSecond, sources } from 'tpu-toolkit/hardware'
import { describe, expect, it } from 'vitest'
import { readText } from '../support/project.js'

interface ChipKey {
  readonly bf16: number
  readonly int8: number | null
  readonly fp8: number | null
  readonly hbm_gib: number
  readonly hbm_bytes_per_second: [number, string]
  readonly tensorcores: number
  readonly jax_devices: number
  readonly mxus_per_core: number
  readonly mxu: number
  readonly vmem_mib_per_core: number
  readonly ici_ports: number
  readonly ici_link_one_way: number | null
  readonly ici_chip_total: number | null
  readonly pod: readonly number[]
  readonly program_hbm_gib_per_device: number
  readonly name_counts: string
  readonly chips_per_host: number | readonly number[]
}
const keys: {
  readonly chips: Readonly<Record<string, ChipKey>>
  readonly other: {
    readonly vmem_over_hbm_bandwidth: number
    readonly hop_latency_seconds: number
    readonly dcn_v5p_bytes_per_second_per_chip: number
  }
} = JSON.parse(readText('test/golden/planning/hardware.json'))

describe('chip(name)', () => {
  it('has every generation of the keys', () => {
    expect([...chipNames]).toEqual(Object.keys(keys.chips))
  })

  it.each(Object.entries(keys.chips))('%s has the numbers of the keys', (name, key) => {
    const made = chip(name)
    expect({
      bf16: made.bfloat16FlopsPerSecond,
      int8: made.int8OpsPerSecond,
      fp8: made.float8FlopsPerSecond,
      hbm_gib: made.hbmGib,
      hbm: made.hbmBytesPerSecond,
      tensorcores: made.tensorCores,
      jax_devices: made.jaxDevices,
      mxus_per_core: made.mxusPerCore,
      mxu: made.mxuSide,
      vmem_mib_per_core: made.vmemMibPerCore,
      ici_ports: made.iciLinks,
      ici_link_one_way: made.iciBytesPerSecondPerLink,
      ici_chip_total: made.iciBytesPerSecondBothWays,
      pod: made.podTopology,
      program: made.programHbmGibPerDevice,
      name_counts: made.nameCounts,
      chips_per_host: [...made.hostChips].sort((a, b) => a - b),
    }).toEqual({
      bf16: key.bf16,
      int8: key.int8,
      fp8: key.fp8,
      hbm_gib: key.hbm_gib,
      hbm: key.hbm_bytes_per_second[0],
      tensorcores: key.tensorcores,
      jax_devices: key.jax_devices,
      mxus_per_core: key.mxus_per_core,
      mxu: key.mxu,
      vmem_mib_per_core: key.vmem_mib_per_core,
      ici_ports: key.ici_ports,
      ici_link_one_way: key.ici_link_one_way,
      ici_chip_total: key.ici_chip_total,
      pod: key.pod,
      program: key.program_hbm_gib_per_device,
      name_counts: key.name_counts,
      chips_per_host: [key.chips_per_host].flat(),
    })
    expect(made.vmemBytesPerSecond / made.hbmBytesPerSecond).toBe(keys.other.vmem_over_hbm_bandwidth)
    expect(made.iciHopSeconds).toBe(keys.other.hop_latency_seconds)
  })

  it('v5p has 6.25 GB/s of data-centre network per chip, not per slice or host', () => {
    expect(chip('v5p').dcnBytesPerSecond).toBe(keys.other.dcn_v5p_bytes_per_second_per_chip)
  })

  it('every number has a source that is listed, or is null and says why', () => {
    for (const name of chipNames) {
      for (const [what, fact] of Object.entries<Fact>({ ...chip(name).facts })) {
        const from = [...fact.sources, ...fact.others.map(({ source }) => source)]
        expect(from.filter((source) => !Object.hasOwn(sources, source))).toEqual([])
        if (fact.value === null) expect(fact.note, `${name} ${what}`).not.toBe('')
        else expect(fact.sources.length, `${name} ${what}`).toBeGreaterThan(0)
      }
    }
  })

  it('keeps conflicts visible: another source never repeats the number to use', () => {
    for (const name of chipNames) {
      for (const fact of Object.values<Fact>({ ...chip(name).facts })) {
        for (const other of fact.others) expect(other.value).not.toBe(fact.value)
      }
    }
    expect(chip('v3').facts.bfloat16FlopsPerSecond.others.map(({ value }) => value)).toContain(140e12)
  })

  it('the clock that follows from the peak rate is 1.5 GHz on v5e, within the peak rate`s three digits', () => {
    expect(Math.abs(chip('v5e').clockHz / 1.5e9 - 1)).toBeLessThan(0.005)
  })

  it('tpu7x is two devices a chip, and a program may use 94.74 GiB of each', () => {
    expect(chip('tpu7x').programHbmBytes).toBe(2 * Math.floor(94.74 * 2 ** 30))
  })

  it.each([
    ['v7x', 'chip: unknown chip, did you mean tpu7x [v7x]'],
    ['Ironwood', 'chip: unknown chip, did you mean tpu7x [Ironwood]'],
    ['v5', 'chip: unknown chip, did you mean v5p [v5]'],
    ['v5litepod', 'chip: unknown chip, did you mean v5e [v5litepod]'],
    ['V5P', 'chip: unknown chip, did you mean v5p [V5P]'],
    ['H100', 'chip: unknown chip, there are v2, v3, v4, v5e, v5p, v6e, tpu7x [H100]'],
    [5, 'chip: unknown chip, there are v2, v3, v4, v5e, v5p, v6e, tpu7x [5]'],
    [undefined, 'chip: unknown chip, there are v2, v3, v4, v5e, v5p, v6e, tpu7x [undefined]'],
  ])('chip(%s) is refused with the nearest name', (name, message) => {
    expect(() => chip(name as never)).toThrow(new RangeError(message))
  })
})

describe('peakOpsPerSecond(chip, dtype)', () => {
  it('v3 has no faster int8, against the 140 TOP/s in print', () => {
    expect(() => peakOpsPerSecond(chip('v3'), 'int8')).toThrow(
      /v3 has no published int8 rate \(no faster int8 mode/,
    )
  })

  it('v4 computes int8 at the bfloat16 rate', () => {
    expect(peakOpsPerSecond(chip('v4'), 'int8')).toBe(peakOpsPerSecond(chip('v4'), 'bfloat16'))
  })

  it('tpu7x doubles in float8, and has no published int8 rate', () => {
    const made = chip('tpu7x')
    expect(peakOpsPerSecond(made, 'float8_e4m3fn')).toBe(2 * peakOpsPerSecond(made, 'bfloat16'))
    expect(() => peakOpsPerSecond(made, 'int8')).toThrow(
      'peakOpsPerSecond: tpu7x has no published int8 rate (not published), there are bfloat16, float8_e4m3fn, float8_e5m2 [int8]',
    )
  })

  it('an unknown dtype is refused with the nearest one', () => {
    expect(() => peakOpsPerSecond(chip('v6e'), 'bf16' as never)).toThrow(
      'peakOpsPerSecond: v6e has no published bf16 rate, did you mean bfloat16 [bf16]',
    )
  })
})
