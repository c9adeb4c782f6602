import type { ChipName } from '../hardware/index.js'

/** How many flags are set: none; those of nearly all of MaxText's scripts; those of most; the larger sets of a few. */
export type FlagLevel = 'none' | 'basic' | 'standard' | 'aggressive'

/** The levels, from the fewest flags to the most. */
export const flagLevels: readonly FlagLevel[] = ['none', 'basic', 'standard', 'aggressive']

/** Flags with their values. */
export type FlagSet = Readonly<Record<string, string>>

const asyncGather: FlagSet = { xla_enable_async_all_gather: 'true' }
const collectiveFusion: FlagSet = {
  xla_tpu_enable_async_collective_fusion: 'true',
  xla_tpu_enable_async_collective_fusion_fuse_all_gather: 'true',
  xla_tpu_enable_async_collective_fusion_multiple_steps: 'true',
  xla_tpu_overlap_compute_collective_tc: 'true',
  ...asyncGather,
}
const dataParallel: FlagSet = {
  xla_tpu_enable_data_parallel_all_reduce_opt: 'true',
  xla_tpu_data_parallel_opt_different_sized_ops: 'true',
}

/**
 * What each level adds to the one below, by generation. Source: MaxText's scripts (2026-08-22), how many of them in
 * `flag(name).scripts`; tpu7x: its recipes. For v2 and v3 no script was found: nothing is set.
 */
export const flagSets: Readonly<Record<ChipName, Readonly<Record<FlagLevel, FlagSet>>>> = {
  v2: { none: {}, basic: {}, standard: {}, aggressive: {} },
  v3: { none: {}, basic: {}, standard: {}, aggressive: {} },
  v4: { none: {}, basic: asyncGather, standard: {}, aggressive: {} },
  v5e: { none: {}, basic: collectiveFusion, standard: dataParallel, aggressive: {} },
  v5p: {
    none: {},
    basic: { ...collectiveFusion, xla_enable_async_collective_permute: 'true' },
    standard: {
      ...dataParallel,
      xla_tpu_enable_ag_backward_pipelining: 'true',
      xla_tpu_megacore_fusion_allow_ags: 'false',
    },
    aggressive: {
      xla_tpu_enable_megacore_fusion: 'true',
      xla_tpu_enable_sparse_core_collective_offload_all_gather: 'true',
    },
  },
  v6e: {
    none: {},
    basic: collectiveFusion,
    standard: {
      xla_tpu_scoped_vmem_limit_kib: '98304',
      xla_tpu_use_minor_sharding_for_major_trivial_input: 'true',
      xla_tpu_relayout_group_size_threshold_for_reduce_scatter: '1',
    },
    aggressive: dataParallel,
  },
  tpu7x: {
    none: {},
    basic: {},
    standard: { xla_tpu_scoped_vmem_limit_kib: '61440' },
    aggressive: {
      xla_tpu_scoped_vmem_limit_kib: '65536',
      xla_tpu_bf16_emission_mode: 'NATIVE_EMISSION',
      xla_tpu_enable_sparse_core_collective_offload_all_gather: 'true',
      xla_tpu_enable_sparse_core_collective_offload_reduce_scatter: 'true',
      xla_tpu_enable_sparse_core_collective_offload_all_reduce: 'true',
    },
  },
}
