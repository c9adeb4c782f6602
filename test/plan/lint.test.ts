import { lint, type Rule, rules, type StepDescription, tpuConfig } from 'tpu-toolkit/plan'
import { describe, expect, it } from 'vitest'

const config = tpuConfig({ version: 'v5p', chips: 16, axes: { data: 4, fsdp: 4 } })
const llama = { family: 'decoder', D: 4096, F: 14336, L: 32, N: 32, K: 8, V: 128256 } as const
const found = (step: StepDescription, model: Parameters<typeof lint>[1] = llama, of = config) =>
  lint(of, model, step)
const only = (step: StepDescription, model?: Parameters<typeof lint>[1], of = config) => {
  const all = found(step, model, of)
  expect(all).toHaveLength(1)
  return all[0]!
}

const input = { bytesPerExample: 1, examplesPerStep: 1, examplesPerSecondPerWorker: 1, workers: 1 }

describe('lint', () => {
  it('finds nothing in a sound plan', () => {
    const sound: StepDescription = {
      ...{
        batch: 64,
        sequence: 4096,
        batchAxes: ['data', 'fsdp'],
        accumulateDtype: 'float32',
        allReduceDtype: 'float32',
      },
      ...{
        beta2: 0.999,
        beta2Dtype: 'float32',
        cumsumDtype: 'float32',
        covarianceDtype: 'float32',
        clockBias: 4,
      },
      ...{
        donate: true,
        batchShapes: [
          [64, 4096],
          [64, 4096],
        ],
        flagsSet: 'before-import',
        environment: { ...config.environment },
      },
      ...{ stepSeconds: 1, hostBytesPerStepPerChip: 1e6 },
      input: { bytesPerExample: 16384, examplesPerStep: 64, examplesPerSecondPerWorker: 100, workers: 4 },
      storage: { region: 'us-east5', computeRegion: 'us-east5', bytes: 1e12, pricePerGB: 0.02 },
    }
    expect(found(sound)).toEqual([])
  })

  it.each<[Rule, StepDescription, RegExp, RegExp]>([
    [
      'flags',
      { environment: { LIBTPU_INIT_ARGS: '--xla_tpu_bf16_reduction=false' } },
      /ends the process/,
      /xla_jf_bf16_inside_cross_replica_sum=false/,
    ],
    ['flags-before-import', { flagsSet: 'after-import' }, /read once/, /before anything imports jax/],
    [
      'memory',
      { batch: 4096, sequence: 8192 },
      /on each device, 103 GB usable; most of it/,
      /more fsdp ways|a smaller batch/,
    ],
    [
      'critical-batch',
      { batch: 16, sequence: 64 },
      /^64 tokens a chip, 166 operations a byte/,
      /^a batch of 42 sequences/,
    ],
    [
      'changing-shapes',
      {
        batchShapes: [
          [8, 100],
          [8, 128],
          [8, 100],
        ],
      },
      /^2 shapes among 3 batches: 8x100, 8x128/,
      /pad to a few/,
    ],
    [
      'batch-over-fsdp',
      { batchAxes: ['data'] },
      /^4 devices compute the same rows/,
      /P\(\('data', 'fsdp'\)\)/,
    ],
    ['accumulation', { accumulateDtype: 'bfloat16' }, /stops at 256/, /float32/],
    ['accumulation', { accumulateDtype: 'float16' }, /stops at 2048/, /float32/],
    ['beta2', { beta2: 0.999, beta2Dtype: 'bfloat16' }, /largest bfloat16 below 1 is 0.99609375/, /float32/],
    ['cumsum', { cumsumDtype: 'bfloat16' }, /stops at 256/, /stableCumsum/],
    ['covariance', { covarianceDtype: 'bfloat16' }, /stops at 256/, /stableCovariance/],
    ['clock-bias', { clockBias: 'unbounded' }, /exp\(89\)/, /boundedClockBias/],
    ['donation', { donate: false }, /: 96.4 GB more/, /donate_argnames/],
    ['all-reduce-dtype', { allReduceDtype: 'bfloat16' }, /\(n - 1\) u = 0.0586/, /cast gradients to float32/],
    [
      'host-transfers',
      { hostBytesPerStepPerChip: 30e9, stepSeconds: 1 },
      /^30 GB over PCIe at 15 GB\/s on v5p take 2 s, a step 1 s/,
      /overlap/,
    ],
    [
      'data-rate',
      {
        stepSeconds: 0.5,
        input: { bytesPerExample: 1e6, examplesPerStep: 1000, examplesPerSecondPerWorker: 100, workers: 8 },
      },
      /^2000 examples\/s \(2 GB\/s\) are needed, 8 workers prepare 800/,
      /^20 workers/,
    ],
    [
      'storage-region',
      { storage: { region: 'eu', computeRegion: 'us', bytes: 5e12, pricePerGB: 0.02 } },
      /^5 TB between regions at 0.02 a GB \(10\^9 bytes\): 100$/,
      /copy them to us/,
    ],
    [
      'tpu-not-found',
      { visibleDevices: { platform: 'cpu', count: 1 } },
      /falls back to the CPU/,
      /JAX_PLATFORMS=tpu/,
    ],
    [
      'tpu-not-found',
      { visibleDevices: { platform: 'tpu', count: 4 } },
      /^16 chips of one device$/,
      /initialize/,
    ],
    ['tpu-not-found', { environment: { JAX_PLATFORMS: 'cpu' } }, /of no others/, /JAX_PLATFORMS=tpu,cpu/],
    // The published table's mesh for this pod.
    ['fsdp-axis', { axes: { data: 8, fsdp: 4 } }, /counts TensorCores: 16 chips of/, /^fsdp 2 beside/],
    ['fsdp-axis', { axes: { data: 3, fsdp: 4 } }, /16 chips/, /product is 16; fsdp 4 leaves 4$/],
    ['fsdp-axis', { axes: { data: 2, fsdp: 8 } }, /the mesh of the plan data 4, fsdp 4$/, /of fsdp 4$/],
    ['pmap', { mapping: 'pmap' }, /jax 0\.8\.0/, /shard_map/],
    ['disable-jit', { environment: { JAX_DISABLE_JIT: 'yes' } }, /nothing is fused/, /debugging/],
    ['disable-jit', { jaxConfig: { jax_disable_jit: true } }, /nothing is fused/, /debugging/],
    ['mark-step', { framework: 'pytorch-xla', markStep: false }, /until a barrier/, /torch_xla\.sync/],
    ['log-device-placement', { jaxConfig: { log_device_placement: true } }, /AttributeError/, /visualize/],
    ['compilation-cache', { compilationCache: 'none' }, /preemption/, /^JAX_COMPILATION_CACHE_DIR/],
    [
      'compilation-cache',
      { jaxConfig: { xla_persistent_cache: '/tmp' } },
      /Unrecognized/,
      /COMPILATION_CACHE_DIR/,
    ],
    [
      'compilation-cache',
      { compilationCache: 'none', framework: 'pytorch-xla' },
      /start/,
      /initialize_cache/,
    ],
    ['worker-count', { input: { ...input, workers: 33, prefetch: 40 } }, /most is 32/, /^32 or fewer$/],
    ['worker-count', { input: { ...input, workers: 9, hostCores: 8 } }, /8 cores/, /^8 or fewer$/],
    [
      'prefetch',
      { input: { ...input, workers: 8, prefetch: 6 } },
      /^2 workers wait/,
      /^prefetch of 8 or more, or 6/,
    ],
  ])('%s: %j, with evidence and remedy', (rule, step, evidence, remedy) => {
    const one = only(step)
    expect(one.rule).toBe(rule)
    expect(one.evidence).toMatch(evidence)
    expect(one.remedy).toMatch(remedy)
  })

  it('finds nothing in what is set as it should be', () => {
    const sound: readonly StepDescription[] = [
      { visibleDevices: { platform: 'tpu', count: 16 }, environment: { JAX_PLATFORMS: 'tpu,cpu' } },
      { axes: { data: 4, fsdp: 4 } },
      { mapping: 'shard_map' },
      { environment: { JAX_DISABLE_JIT: '0' } },
      // What jax.config.update sets goes before the variable.
      { environment: { JAX_DISABLE_JIT: '1' }, jaxConfig: { jax_disable_jit: false } },
      { framework: 'pytorch-xla', markStep: true },
      { framework: 'jax', markStep: false },
      { compilationCache: 'gs://bucket' },
      { compilationCache: 'none', environment: { JAX_COMPILATION_CACHE_DIR: '/cache' } },
      { compilationCache: 'none', jaxConfig: { jax_compilation_cache_dir: '/cache' } },
      { input: { ...input, workers: 32, prefetch: 32 } },
      { input: { ...input, workers: 64, hostCores: 112 } },
    ]
    for (const step of sound) expect(found(step), JSON.stringify(step)).toEqual([])
  })

  it.each<[StepDescription, string]>([
    [{ input: { ...input, prefetch: -1 } }, 'lint: prefetch is not a whole number'],
    [{ axes: { fsdp: 0 } }, 'lint: axis fsdp is not a whole number'],
    [{ mapping: 'xmap' as never }, 'mapping'],
    [{ framework: 'torch' as never }, 'framework'],
    [{ visibleDevices: { platform: 'tpu' } as never }, 'lint: option count is missing'],
  ])('%j is no step', (step, text) => expect(() => found(step)).toThrow(text))

  it('finds transfers that take half a step, an error where they take longer than one', () => {
    // 15 GB/s over PCIe.
    const severity = (gigabytes: number) =>
      found({ hostBytesPerStepPerChip: gigabytes * 1e9, stepSeconds: 1 }).map((one) => one.severity)
    expect([7.4, 7.5, 15, 15.1].map(severity)).toEqual([[], ['warning'], ['warning'], ['error']])
  })

  it('measures heads and vocabulary by the array of the generation: 192 wastes 25 percent on 128, where the toolkit says 50', () => {
    const odd = { ...llama, D: 3072, N: 16, K: 16, V: 50257 }
    const [head, vocabulary] = found({}, odd)
    expect(head).toMatchObject({
      rule: 'head-alignment',
      evidence: expect.stringContaining('192 is padded to 256: 25 %'),
    })
    expect(vocabulary).toMatchObject({ rule: 'vocabulary-alignment', remedy: 'pad the vocabulary to 50304' })
    const v6e = tpuConfig({ version: 'v6e', chips: 16, axes: { data: 4, fsdp: 4 } })
    expect(found({}, llama, v6e)[0]).toMatchObject({
      evidence: expect.stringContaining('128 is padded to 256: 50 %'),
    })
  })

  it("finds the arrays that P('fsdp') on every first dimension cannot split", () => {
    const model = { family: 'mlp', widths: [64, 1022, 16] } as const
    const one = only({ parameterSpecs: 'first-dimension' }, model)
    expect(one).toMatchObject({
      rule: 'parameters-divide',
      severity: 'error',
      what: '2 parameters cannot be split as they are to be',
    })
    expect(one.evidence).toContain(
      'layer1.bias dimension 0 of 1022 does not divide into 4 parts over fsdp, 1020 and 1024 would',
    )
    expect(found({ parameterSpecs: { layer1: ['fsdp'], 'layer1.bias': [] } }, model)).toEqual([])
  })

  it('lets beta2 be where the dtype holds it, and 1 where it is meant', () => {
    expect(found({ beta2: 0.995, beta2Dtype: 'bfloat16' })).toEqual([])
    expect(found({ beta2: 0.999, beta2Dtype: 'float32' })).toEqual([])
    expect(only({ beta2: 0.99999999, beta2Dtype: 'float32' }).rule).toBe('beta2')
  })

  it('takes the flags for sums into account: asked for in float32 it is a note', () => {
    const plain = tpuConfig({ version: 'v5p', chips: 16, axes: { data: 4, fsdp: 4 }, reductions: 'default' })
    expect(only({ allReduceDtype: 'bfloat16' }).severity).toBe('note')
    expect(only({ allReduceDtype: 'bfloat16' }, llama, plain).severity).toBe('warning')
  })

  it('tells findings in the order of the rules, and checks only what is said', () => {
    const all = found({
      donate: false,
      beta2: 0.999,
      batchAxes: [],
      flagsSet: 'after-import',
      cumsumDtype: 'bfloat16',
    })
    const places = all.map(({ rule }) => rules.indexOf(rule))
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(new Set(rules).size).toBe(32)
    expect(found({})).toEqual([])
  })

  it.each([
    [() => lint({} as never, llama), 'lint: the first argument is not a config, make one with tpuConfig'],
    [() => lint(config, {} as never), 'unknown family'],
    [() => lint(config, llama, { bacth: 3 } as never), 'lint: unknown option, did you mean batch [bacth]'],
    [() => lint(config, llama, { beta2: 2 }), 'lint: beta2 is not a number from 0 to 1 [2]'],
    [
      () => lint(config, llama, { input: { workers: 2 } } as never),
      'lint: option bytesPerExample is missing',
    ],
  ])('%# refuses what is no plan', (run, text) => expect(run).toThrow(text))
})
