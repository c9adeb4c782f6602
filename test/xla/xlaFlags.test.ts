import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { chipNames } from 'tpu-toolkit/hardware'
import {
  debuggingTips,
  explainFlags,
  type FlagKind,
  flag,
  flagLevels,
  flagNames,
  lintFlags,
  nearestFlag,
  toolkitNames,
  xlaFlags,
} from 'tpu-toolkit/xla'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

interface Key {
  readonly xla_flags_only: readonly string[]
  readonly unknown_to_libtpu: readonly string[]
  readonly seeds: readonly { readonly written: string; readonly real: string | null }[]
  readonly flags: readonly {
    readonly name: string
    readonly env: 'LIBTPU_INIT_ARGS'
    readonly kind: FlagKind
    readonly meaning?: string
    readonly maxtext?: Readonly<Record<string, Readonly<Record<string, number>>>>
  }[]
}
const keyFile = new URL('../golden/planning/flags.json', import.meta.url)
const known = JSON.parse(readFileSync(keyFile, 'utf8')) as Key
const libtpu = new Set(known.flags.map(({ name }) => name))

describe('flag', () => {
  it('has every flag that libtpu was given, with its kind and what MaxText sets', () => {
    for (const { name, env, kind, meaning = '', maxtext = {} } of known.flags) {
      expect(flag(name)).toEqual({ name, variable: env, kind, meaning, scripts: maxtext })
    }
    for (const name of known.xla_flags_only) expect(flag(name).variable).toBe('XLA_FLAGS')
    expect(flagNames.length).toBe(known.flags.length + 8)
  })

  it('has none that libtpu refused, but for those of jaxlib', () => {
    for (const name of known.unknown_to_libtpu) {
      if (!flagNames.includes(name)) expect(() => flag(name)).toThrow('flag: no such flag')
      else expect(flag(name).variable).toBe('XLA_FLAGS')
    }
  })

  it.each(known.seeds)('$written, of a published toolkit, means $real', ({ written, real }) => {
    if (real === null) {
      expect(lintFlags({ LIBTPU_INIT_ARGS: `--${written}=true` })[0]?.effect).toBe('ends the process')
    } else {
      expect(nearestFlag(written)).toBe(real)
    }
  })

  it("knows the toolkit's short names only as names to be corrected", () => {
    for (const [short, real] of Object.entries(toolkitNames)) {
      expect(libtpu.has(real)).toBe(true)
      expect(lintFlags({ LIBTPU_INIT_ARGS: `--${short}=true` })[0]).toMatchObject({
        instead: `--${real}=true`,
      })
    }
  })
})

/** What libtpu was seen to do with a word, by its key alone. */
function endsLibtpu(word: string): boolean {
  const [, name = '', value] = /^--([^=]*)=?(.*)$/.exec(word) ?? []
  const found = known.flags.find((one) => one.name === name)
  if (!found) return true
  if (found.kind === 'tristate') return !/^(auto|true|enabled|false|disabled)$/i.test(value!)
  if (found.kind === 'bool') return !/^(true|false)$/.test(value!)
  return found.kind !== 'other' && !Number.isFinite(Number(value))
}

describe('xlaFlags', () => {
  const everyWay = chipNames.flatMap((hardware) =>
    flagLevels.flatMap((level) =>
      [false, true].flatMap((mixtureOfExperts) =>
        (['default', 'float32'] as const).map((reductions) => ({
          hardware,
          level,
          mixtureOfExperts,
          reductions,
        })),
      ),
    ),
  )

  it('never has a flag that would end the process, nor one that does nothing on the chip', () => {
    for (const options of everyWay) {
      const set = xlaFlags({ ...options, dumpTo: '/tmp/hlo' })
      expect(set.XLA_FLAGS).toBe('--xla_dump_to=/tmp/hlo')
      for (const word of set.LIBTPU_INIT_ARGS?.split(' ') ?? []) expect(endsLibtpu(word), word).toBe(false)
      expect(lintFlags({ ...set }, { hardware: options.hardware })).toEqual([])
    }
    expect(everyWay.length).toBe(112)
  })

  it('grows with the level', () => {
    for (const hardware of chipNames) {
      const counts = flagLevels.map(
        (level) => (xlaFlags({ hardware, level }).LIBTPU_INIT_ARGS ?? '').split('--').length,
      )
      expect(counts).toEqual([...counts].sort((a, b) => a - b))
    }
  })

  it('sets what MaxText sets: asynchronous all-gathers on v4, more VMEM on v6e, and less for experts', () => {
    expect(xlaFlags({ hardware: 'v4' })).toEqual({ LIBTPU_INIT_ARGS: '--xla_enable_async_all_gather=true' })
    expect(xlaFlags({ hardware: 'v6e' }).LIBTPU_INIT_ARGS).toContain('--xla_tpu_scoped_vmem_limit_kib=98304')
    expect(xlaFlags({ hardware: 'v6e', mixtureOfExperts: true }).LIBTPU_INIT_ARGS).toContain(
      '_limit_kib=81920',
    )
    expect(xlaFlags({ hardware: 'v5p' }).LIBTPU_INIT_ARGS).toContain(
      '--xla_tpu_megacore_fusion_allow_ags=false',
    )
    expect(xlaFlags({ hardware: 'v5e', level: 'none' })).toEqual({})
    for (const hardware of ['v4', 'v5e', 'v5p', 'v6e'] as const) {
      for (const word of xlaFlags({ hardware }).LIBTPU_INIT_ARGS!.split(' ')) {
        const [name, value] = word.slice(2).split('=') as [string, string]
        expect(flag(name).scripts[hardware]?.[value], word).toBeGreaterThan(0)
      }
    }
  })

  it('asks for float32 sums by the flag that exists, not by bf16_reduction', () => {
    const { LIBTPU_INIT_ARGS } = xlaFlags({ hardware: 'v5e', level: 'none', reductions: 'float32' })
    expect(LIBTPU_INIT_ARGS).toBe('--xla_jf_bf16_inside_cross_replica_sum=false')
  })

  it('keeps what is set, and lets it win', () => {
    const set = {
      LIBTPU_INIT_ARGS: '--xla_enable_async_all_gather=false --xla_tpu_enable_domain_passes',
      HOME: '/root',
    }
    const { LIBTPU_INIT_ARGS } = xlaFlags({ hardware: 'v5e', level: 'basic', set })
    expect(LIBTPU_INIT_ARGS!.startsWith(`${set.LIBTPU_INIT_ARGS} --`)).toBe(true)
    expect(LIBTPU_INIT_ARGS!.match(/xla_enable_async_all_gather/g)).toHaveLength(1)
    expect(xlaFlags({ hardware: 'v5e', level: 'basic', set: { LIBTPU_INIT_ARGS } })).toEqual({
      LIBTPU_INIT_ARGS,
    })
  })

  it("takes flags of one's own, which win over the level's", () => {
    const flags = {
      xla_enable_async_all_gather: 'auto',
      xla_tpu_host_transfer_overlap_limit: 24,
      xla_dump_hlo_as_text: true,
    }
    const set = xlaFlags({ hardware: 'v4', flags })
    expect(set).toEqual({
      LIBTPU_INIT_ARGS: '--xla_enable_async_all_gather=auto --xla_tpu_host_transfer_overlap_limit=24',
      XLA_FLAGS: '--xla_dump_hlo_as_text=true',
    })
  })

  it.each([
    [{ hardware: 'v7x' }, 'chip: unknown chip, did you mean tpu7x [v7x]'],
    [
      { hardware: 'v4', level: 'max' },
      'xlaFlags: unknown level, there are none, basic, standard, aggressive [max]',
    ],
    [{ hardware: 'v4', levle: 'none' }, 'xlaFlags: unknown option, did you mean level [levle]'],
    [
      { hardware: 'v4', flags: { xla_tpu_scoped_vmem_limit_kb: 1 } },
      'xlaFlags: no such flag, nearest xla_tpu_scoped_vmem_limit_kib [xla_tpu_scoped_vmem_limit_kb]',
    ],
    [
      { hardware: 'v4', flags: { xla_enable_async_all_gather: 1 } },
      'xlaFlags: xla_enable_async_all_gather takes auto, true, enabled, false or disabled [1]',
    ],
    [
      { hardware: 'v4', flags: { xla_gpu_triton_gemm_any: true } },
      'xlaFlags: xla_gpu_triton_gemm_any does nothing on a TPU',
    ],
    [
      { hardware: 'v4', set: { XLA_FLAGS: '--xla_enable_async_all_gather=true' } },
      'xlaFlags: what is set in XLA_FLAGS would end the process: it belongs to LIBTPU_INIT_ARGS',
    ],
    [{ hardware: 'v4', dumpTo: 'a b' }, "xlaFlags: dumpTo is not a folder's name without spaces [a b]"],
  ])('refuses %j', (options, text) => expect(() => xlaFlags(options as never)).toThrow(text))

  it('lets unlisted names pass where that is asked for', () => {
    const flags = { xla_tpu_something_new: 'true' }
    expect(xlaFlags({ hardware: 'v5e', level: 'none', flags, allowUnlisted: true })).toEqual({
      LIBTPU_INIT_ARGS: '--xla_tpu_something_new=true',
    })
    expect(() =>
      xlaFlags({ hardware: 'v5e', flags: { xla_tpu_bf16_reduction: true }, allowUnlisted: true }),
    ).toThrow('nearest xla_jf_bf16_inside_cross_replica_sum')
  })
})

describe('lintFlags', () => {
  it('says of every name that libtpu refused that it ends the process', () => {
    for (const name of known.unknown_to_libtpu) {
      expect(lintFlags({ LIBTPU_INIT_ARGS: `--${name}=true` }), name).toMatchObject([
        { effect: 'ends the process' },
      ])
    }
  })

  it('says of every flag of libtpu that it ends jaxlib in XLA_FLAGS', () => {
    for (const name of libtpu) {
      expect(lintFlags({ XLA_FLAGS: `--${name}=true` })).toMatchObject([
        { problem: 'other variable', effect: 'ends the process', instead: `LIBTPU_INIT_ARGS=--${name}=true` },
      ])
    }
  })

  it.each([
    ['--xla_enable_async_all_gather=1', 'illegal value', 'ends the process', null],
    ['--xla_enable_async_all_gather', 'illegal value', 'ends the process', null],
    ['--xla_tpu_scoped_vmem_limit_kib=96MiB', 'illegal value', 'ends the process', null],
    ['xla_enable_async_all_gather=true', 'not a flag', 'does nothing', '--xla_enable_async_all_gather=true'],
    ['-xla_enable_async_all_gather=true', 'not a flag', 'does nothing', '--xla_enable_async_all_gather=true'],
    [
      '--xla_tpu_enable_async_collective_fusio=true',
      'unlisted name',
      'unknown',
      '--xla_tpu_enable_async_collective_fusion=true',
    ],
    ['--xla_dump_to=/tmp', 'other variable', 'ends the process', 'XLA_FLAGS=--xla_dump_to=/tmp'],
    ['xla_dump_to=/tmp', 'not a flag', 'does nothing', 'XLA_FLAGS=--xla_dump_to=/tmp'],
    ['--noxla_enable_async_all_gather', 'unlisted name', 'unknown', '--xla_enable_async_all_gather'],
  ])('finds in LIBTPU_INIT_ARGS %s: %s', (text, problem, effect, instead) =>
    expect(lintFlags({ LIBTPU_INIT_ARGS: text })).toMatchObject([{ text, problem, effect, instead }]),
  )

  it.each([
    ['xla_dump_to=/tmp', 'not a flag', '--xla_dump_to=/tmp'],
    ['-xla_dump_hlo_as_text=true', 'unknown name', '--xla_dump_hlo_as_text=true'],
    ['--noxla_dump_hlo_as_text', 'unknown name', '--xla_dump_hlo_as_text=false'],
    ['--undefok=abc', 'unknown name', null],
    ['--xla_dump_hlo_as_text=yes', 'illegal value', null],
    ['--xla_gpu_enable_triton_softmax_fusion=true', 'unknown name', null],
  ])('finds in XLA_FLAGS %s, which ended jaxlib 0.10.2: %s', (text, problem, instead) =>
    expect(lintFlags({ XLA_FLAGS: text })).toMatchObject([{ problem, effect: 'ends the process', instead }]),
  )

  it('takes what jaxlib took: four words for booleans, and words without -- behind the first', () => {
    for (const value of ['1', '0', 'True', 'false']) {
      expect(lintFlags({ XLA_FLAGS: `--xla_dump_hlo_as_text=${value}` })).toEqual([])
    }
    expect(lintFlags({ XLA_FLAGS: '--xla_dump_hlo_as_text foo=1' })).toMatchObject([
      { effect: 'does nothing' },
    ])
  })

  it('takes what libtpu takes: --noNAME of a boolean, a bare boolean, and unknown names under --undefok', () => {
    const fine =
      '--noxla_tpu_enable_copy_fusion --xla_tpu_enable_domain_passes --undefok=abc,def --abc=1 --def'
    expect(lintFlags({ LIBTPU_INIT_ARGS: fine })).toEqual([])
  })

  it('finds what does nothing: megacore on one core, SparseCore flags without one, words set twice, GPU variables', () => {
    const megacore = { LIBTPU_INIT_ARGS: '--xla_tpu_enable_megacore_fusion=true' }
    expect(lintFlags(megacore, { hardware: 'v5e' })).toMatchObject([{ problem: 'not for this chip' }])
    expect(lintFlags(megacore, { hardware: 'v5p' })).toEqual([])
    expect(lintFlags({ LIBTPU_INIT_ARGS: '--xla_sc_disjoint_spmem=true' }, { hardware: 'v5e' })).toHaveLength(
      1,
    )
    const twice = '--xla_tpu_enable_copy_fusion=true --xla_tpu_enable_copy_fusion=false'
    expect(lintFlags({ LIBTPU_INIT_ARGS: twice })).toMatchObject([
      { problem: 'set twice', effect: 'last one counts' },
    ])
    expect(lintFlags({ XLA_PYTHON_CLIENT_PREALLOCATE: 'false' })).toMatchObject([{ problem: 'GPU only' }])
    expect(lintFlags({ JAX_DEFAULT_MATMUL_PRECISION: 'bf16' })).toMatchObject([{ instead: 'bfloat16' }])
  })

  it(`never throws on text, and finds nothing in what it says to write instead (seed ${seed})`, () => {
    const word = fc.oneof(
      fc.constantFrom(...flagNames).map((name) => `--${name}=true`),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const found = lintFlags({ LIBTPU_INIT_ARGS: words.join(' ') })
        for (const { effect, message } of found) {
          expect([effect, message].every((text) => text !== '')).toBe(true)
        }
      }),
      { seed },
    )
    expect(() => lintFlags('--a' as never)).toThrow('lintFlags: needs a record')
  })
})

describe('explainFlags and debuggingTips', () => {
  it('say what each flag does, and who sets it so', () => {
    const set = xlaFlags({ hardware: 'v5e', dumpTo: '/tmp/hlo' })
    const told = explainFlags({ ...set })
    expect(told.map(({ text }) => text)).toContain(
      'asynchronous all-gather; so in scripts of MaxText: v4 2, v5e 8, v5p 9, v6e 6',
    )
    expect(told.at(-1)).toMatchObject({ variable: 'XLA_FLAGS', name: 'xla_dump_to' })
  })

  it('give tips that lint has nothing against', () => {
    for (const { set } of debuggingTips) expect(lintFlags(set)).toEqual([])
  })
})
