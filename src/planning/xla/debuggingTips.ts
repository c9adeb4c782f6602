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
  {
    symptom: 'TPU not found: jax.devices() lists the CPU',
    set: { JAX_PLATFORMS: 'tpu,cpu' },
    why: 'without it jax falls back to the CPU in silence; with it a TPU that cannot be opened is an error with its reason: libtpu is missing, or another process has the chips',
  },
  {
    symptom: 'the first step takes minutes at every start',
    set: { JAX_COMPILATION_CACHE_DIR: '/tmp/jax_cache' },
    why: 'keeps compiled programs between runs, those that took a second and longer to compile (JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS); xla_persistent_cache is no setting and no flag of jax',
  },
  {
    symptom: 'a step is a hundred times slower than it was, and memory is full',
    set: { JAX_DISABLE_JIT: '0' },
    why: 'jax_disable_jit, a setting for debugging, runs every operation by itself',
  },
  {
    symptom: 'PyTorch/XLA: the first step never ends, or every step takes longer than the one before',
    set: {},
    why: 'operations are recorded until a barrier: torch_xla.sync() (xm.mark_step() before it) after the optimizer, or batches from MpDeviceLoader',
  },
  {
    symptom: 'which device holds which part of an array?',
    set: {},
    why: "jax.debug.visualize_array_sharding(x) draws it; log_device_placement is TensorFlow's and no setting of jax",
  },
]
