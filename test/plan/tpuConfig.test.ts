import { chip, chipNames } from 'tpu-toolkit/hardware'
import { tpuConfig } from 'tpu-toolkit/plan'
import { lintFlags } from 'tpu-toolkit/xla'
import { describe, expect, it } from 'vitest'

describe('tpuConfig', () => {
  it('v5p with 64 chips is v5p-128: 4x4x4, rings, 64 times the peak', () => {
    const config = tpuConfig({ version: 'v5p', chips: 64 })
    expect(config).toMatchObject({
      ...{
        version: 'v5p',
        chips: 64,
        topology: [4, 4, 4],
        precision: 'bfloat16',
        paramsDtype: 'float32',
        remat: 'block',
      },
      ...{ peakOpsPerSecond: 64 * 459e12, hbmBytes: 64 * 95 * 2 ** 30, hbmBytesPerSecond: 64 * 2765e9 },
    })
    expect(config.slice.name).toBe('v5p-128')
    expect(config.mesh).toMatchObject({ axisNames: ['data', 'fsdp'], shape: [1, 64] })
    expect(config.peaks).toEqual({
      ...{ bfloat16: 64 * 459e12, int8: 64 * 918e12, float8_e4m3fn: 64 * 459e12, float8_e5m2: 64 * 459e12 },
    })
  })

  it('v4-32 of the toolkit (32 chips, 16 GB, 2200 TFLOPS) is 16 chips of 32 GiB and 4400 TFLOPS', () => {
    const config = tpuConfig({ version: 'v4', chips: 16 })
    expect(config.slice.name).toBe('v4-32')
    expect(config.peakOpsPerSecond).toBe(4400e12)
    expect(config.hbmBytes / config.chips).toBe(32 * 2 ** 30)
  })

  it.each([
    ['v5e', 64, 12_608e12, 12_600e12],
    ['v5e', 256, 50_432e12, 50_500e12],
    ['v6e', 64, 58_752e12, 21_000e12],
    ['v6e', 256, 235_008e12, 84_000e12],
  ] as const)('%s-%i has %f FLOP/s, where the toolkit prints %f', (version, chips, peak, printed) => {
    expect(tpuConfig({ version, chips }).peakOpsPerSecond).toBe(peak)
    expect(peak).not.toBe(printed)
  })

  it.each([
    ['v4', 4, 850e12, 0.77, 0.77],
    ['v5e', 64, 9_500e12, 0.85, 0.75],
    ['v6e', 64, 15_000e12, 0.88, 0.26],
    ['v6e', 256, 62_000e12, 0.9, 0.26],
  ] as const)(
    '%s with %i chips at %f FLOP/s is not at the share the toolkit prints, %f, but %f',
    (version, chips, rate, printed, share) => {
      const found = rate / tpuConfig({ version, chips }).peakOpsPerSecond!
      expect(Number(found.toFixed(2))).toBe(share)
      if (version !== 'v4') expect(Math.abs(found - printed)).toBeGreaterThan(0.09)
    },
  )

  it('v5e-8 of the toolkit (40 GB, 35 usable) has 126 GiB that programs may use', () =>
    expect(tpuConfig({ version: 'v5e', chips: 8 }).programHbmBytes).toBe(126 * 2 ** 30))

  it.each([
    ['v5e', 240.5],
    ['v5p', 166],
    ['v4', 229.2],
    ['v6e', 560.4],
    ['tpu7x', 312.6],
  ] as const)('%s needs %f operations a byte', (version, intensity) => {
    const { criticalIntensity } = tpuConfig({
      version,
      chips: version === 'v5e' || version === 'v6e' ? 4 : 8,
    })
    expect(Math.abs(criticalIntensity! - intensity)).toBeLessThan(0.06)
  })

  it('has an environment that ends no process, keeps what is set, and spells bfloat16 out', () => {
    for (const version of chipNames) {
      const { environment } = tpuConfig({ version, chips: 4, set: { XLA_FLAGS: '--xla_dump_to=/tmp/hlo' } })
      expect(lintFlags({ ...environment }, { hardware: version })).toEqual([])
      expect(environment).toMatchObject({
        XLA_FLAGS: '--xla_dump_to=/tmp/hlo',
        JAX_DEFAULT_MATMUL_PRECISION: 'bfloat16',
      })
      // Sums over devices are asked for in float32 unless said otherwise.
      expect(environment.LIBTPU_INIT_ARGS).toContain('--xla_jf_bf16_inside_cross_replica_sum=false')
    }
  })

  it('has no rate for float32, which is several passes of bfloat16', () => {
    const config = tpuConfig({ version: 'v5p', chips: 4, precision: 'float32' })
    expect(config).toMatchObject({ peakOpsPerSecond: null, criticalIntensity: null })
    expect(config.environment.JAX_DEFAULT_MATMUL_PRECISION).toBe('float32')
  })

  it('takes a topology, and the mesh on it', () => {
    const config = tpuConfig({ version: 'v5p', topology: '4x8x12', axes: { data: -1, fsdp: 4 } })
    expect(config).toMatchObject({ chips: 384, mesh: { shape: [96, 4] } })
    expect(tpuConfig({ version: 'v5e', topology: [4, 4], chips: 16 }).slice.wrap).toEqual([false, false])
    expect(tpuConfig({ version: 'tpu7x', chips: 4 }).mesh.size).toBe(8)
  })

  it.each([
    [{ version: 'v7', chips: 4 }, 'chip: unknown chip, did you mean tpu7x [v7]'],
    [{ version: 'v5p' }, 'tpuConfig: neither chips nor topology is given [no chips]'],
    [
      { version: 'v5p', chips: 50 },
      'slice: v5p has no slice of 50 chips, nearest v5p-64 (2x4x4), v5p-128 (4x4x4)',
    ],
    [{ version: 'v5e', topology: '8x32' }, 'slice: v5e has no topology 8x32'],
    [
      { version: 'v5p', chips: 64, topology: '4x4x8' },
      'tpuConfig: 4x4x8 has 128 chips, not 64: leave one of the two out',
    ],
    [
      { version: 'v5e', chips: 4, precision: 'float8_e4m3fn' },
      'tpuConfig: v5e has no published rate in float8_e4m3fn, nearest bfloat16 or int8; v5p, v6e, tpu7x have [float8_e4m3fn]',
    ],
    [
      { version: 'v3', chips: 4, precision: 'int8' },
      'tpuConfig: v3 has no published rate in int8, nearest bfloat16; v4, v5e, v5p, v6e have',
    ],
    [
      { version: 'v5p', chips: 4, precision: 'bf16' },
      'tpuConfig: unknown precision, did you mean bfloat16 [bf16]',
    ],
    [{ version: 'v5p', chips: 4, remat: 'full' }, 'tpuConfig: unknown remat'],
    [
      { version: 'v5p', chips: 8, axes: { data: 3, fsdp: 3 } },
      'createMesh: v5p-16 has 8 devices, the axes 9',
    ],
    [
      { version: 'v5p', chips: 8, param_dtype: 'float32' },
      'tpuConfig: unknown option, did you mean paramsDtype [param_dtype]',
    ],
    [undefined, 'tpuConfig: option version is missing [no options]'],
  ])('refuses %j', (options, text) => expect(() => tpuConfig(options as never)).toThrow(text))

  it('reads its rates from the chips', () => {
    for (const version of chipNames) {
      const { hbmBytesPerSecond, pcieBytesPerSecondPerChip } = tpuConfig({ version, chips: 4 })
      expect(hbmBytesPerSecond).toBe(4 * chip(version).hbmBytesPerSecond)
      expect(pcieBytesPerSecondPerChip).toBe(chip(version).pcieBytesPerSecond)
    }
  })
})
