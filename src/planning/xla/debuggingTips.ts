/** What to set when something is wrong. */
export interface DebuggingTip {
  readonly symptom: string
  /** Environment variables to set before jax is imported. */
  readonly set: Readonly<Record<string, string>>
  readonly why: string
}

/** Variables that help to find what is wrong, by symptom. Sources: jax's configuration options; tpu-facts of `flag`. */
export const debuggingTips: readonly DebuggingTip[] = [
  {
    symptom:
      'the process ends at the first use of jax with "Unknown command line flag" or "Unknown flag in XLA_FLAGS"',
    set: {},
    why: "a name that the library does not know, or one in the other library's variable: `lintFlags(environment)` says which",
  },
  {
    symptom: 'flags change nothing',
    set: {},
    why: 'both variables are read once, when the first client is made: set them before jax is imported; words without -- are ignored',
  },
  {
    symptom: 'what did the compiler make of it?',
    set: { XLA_FLAGS: '--xla_dump_to=/tmp/hlo --xla_dump_hlo_as_text=true' },
    why: 'writes the HLO of every compiled program before and after optimization; --xla_dump_hlo_pass_re=.* after every pass',
  },
  {
    symptom: 'a NaN of unknown origin',
    set: { JAX_DEBUG_NANS: 'True' },
    why: 'jax runs a jitted function that returned a NaN again, operation by operation, and stops at the first',
  },
  {
    symptom: 'every step compiles again',
    set: { JAX_LOG_COMPILES: '1' },
    why: 'jax says what it compiles and for which shapes; `JAX_EXPLAIN_CACHE_MISSES=1` says what differed',
  },
  {
    symptom: 'a mesh is to be tried without a TPU',
    set: { XLA_FLAGS: '--xla_force_host_platform_device_count=8', JAX_PLATFORMS: 'cpu' },
    why: 'the host shows as eight devices',
  },
  {
    symptom: 'bfloat16 gradients lose small contributions in the all-reduce',
    set: { LIBTPU_INIT_ARGS: '--xla_jf_bf16_inside_cross_replica_sum=false' },
    why: 'asks for sums that are not bfloat16; casting gradients to float32 before the all-reduce asks for it in the program itself',
  },
]
