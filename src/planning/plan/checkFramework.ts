import { shown } from '../../base/options/index.js'
import type { PlanFinding } from './finding.js'
import type { StepDescription } from './step.js'
import type { TpuConfig } from './tpuConfig.js'

/** What a program asks of jax or PyTorch/XLA: devices, axes, compilation, its cache, worker processes. */
export function checkFramework(config: TpuConfig, step: StepDescription): PlanFinding[] {
  return [
    ...tpuNotFound(config, step),
    ...fsdpAxis(config, step),
    ...pmap(step),
    ...disableJit(step),
    ...markStep(step),
    ...logDevicePlacement(step),
    ...compilationCache(step),
    ...workers(step),
  ]
}

/** Where jax says what it does: a value of `jax.config.update`, else the variable of the same name. */
function jaxSetting({ jaxConfig, environment }: StepDescription, name: string): unknown {
  if (jaxConfig !== undefined && Object.hasOwn(jaxConfig, name)) return jaxConfig[name]
  return environment?.[name.toUpperCase()]
}

/** The words that jax reads as true. */
const isOn = (value: unknown): boolean =>
  value === true || /^(1|y|yes|t|true|on)$/i.test(typeof value === 'number' ? String(value) : text(value))

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function tpuNotFound({ slice }: TpuConfig, step: StepDescription): PlanFinding[] {
  const { visibleDevices } = step
  const platforms = text(jaxSetting(step, 'jax_platforms'))
  const found = (what: string, evidence: string, remedy: string): PlanFinding[] => [
    { rule: 'tpu-not-found', severity: 'error', what, evidence, remedy },
  ]
  if (platforms !== '' && !platforms.split(',').includes('tpu')) {
    return found(
      `jax may not use the TPU: JAX_PLATFORMS is ${platforms}`,
      'jax makes clients of the platforms that are listed, and of no others',
      'JAX_PLATFORMS=tpu,cpu: then a TPU that cannot be opened is an error',
    )
  }
  if (visibleDevices === undefined) return []
  const { platform, count } = visibleDevices
  if (platform !== 'tpu') {
    return found(
      `TPU not found: jax.devices() are ${count} of ${platform}`,
      'without JAX_PLATFORMS jax falls back to the CPU where libtpu cannot be opened or another process has the chips',
      'JAX_PLATFORMS=tpu,cpu names the reason at the start; pip install "jax[tpu]", a TPU VM, one process on each host, and jax.distributed.initialize() on several',
    )
  }
  if (count === slice.jaxDevices) return []
  return found(
    `jax.devices() are ${count}, ${slice.name} has ${slice.jaxDevices}`,
    `${slice.chips} chips of ${slice.chip.jaxDevices === 1 ? 'one device' : `${slice.chip.jaxDevices} devices`}`,
    count < slice.jaxDevices
      ? 'jax.distributed.initialize() on every host before anything uses a device'
      : 'name the slice that there is',
  )
}

function fsdpAxis({ slice, mesh }: TpuConfig, { axes }: StepDescription): PlanFinding[] {
  if (axes === undefined) return []
  const names = Object.keys(axes)
  const devices = slice.jaxDevices
  const asked = Object.values(axes).reduce((all, size) => all * size, 1)
  const fsdp = axes['fsdp'] ?? 1
  const listed = names.map((name) => `${name} ${axes[name]}`).join(', ')
  if (asked !== devices) {
    const others = names.filter((name) => name !== 'fsdp').reduce((all, name) => all * axes[name]!, 1)
    const fits = devices % others === 0
    return [
      {
        rule: 'fsdp-axis',
        severity: 'error',
        what: `axes of ${listed} are ${asked} devices, ${slice.name} has ${devices}`,
        evidence:
          slice.chip.nameCounts === 'chips'
            ? `${slice.chips} chips of ${slice.topology.join('x')}`
            : `the number in ${slice.name} counts TensorCores: ${slice.chips} chips of ${slice.topology.join('x')}`,
        remedy: fits
          ? `fsdp ${devices / others} beside the other axes, or -1 to have it inferred`
          : `axes whose product is ${devices}; fsdp ${fsdp} leaves ${Math.floor(devices / fsdp)}`,
      },
    ]
  }
  const own = mesh.shape[mesh.axisNames.indexOf('fsdp')] ?? 1
  if (own === fsdp) return []
  return [
    {
      rule: 'fsdp-axis',
      severity: 'warning',
      what: `the program shares parameters over ${fsdp} devices, the plan over ${own}`,
      evidence: `axes of ${listed}, the mesh of the plan ${mesh.axisNames.map((name, i) => `${name} ${mesh.shape[i]}`).join(', ')}`,
      remedy: `the same axes in both: memory and bytes between chips are those of fsdp ${own}`,
    },
  ]
}

function pmap({ mapping }: StepDescription): PlanFinding[] {
  if (mapping !== 'pmap') return []
  return [
    {
      rule: 'pmap',
      severity: 'warning',
      what: 'jax.pmap is left over',
      evidence:
        'since jax 0.8.0 pmap is jit and shard_map underneath, and maintained only; it maps the leading axis over the devices of one host and knows no mesh',
      remedy: 'jax.jit with NamedSharding for arrays, or jax.shard_map for code of one device',
    },
  ]
}

function disableJit(step: StepDescription): PlanFinding[] {
  if (!isOn(jaxSetting(step, 'jax_disable_jit'))) return []
  return [
    {
      rule: 'disable-jit',
      severity: 'error',
      what: 'jax_disable_jit is on',
      evidence:
        'every operation is sent to the device by itself, nothing is fused, and memory holds what fusion would not write',
      remedy: 'leave it off outside of debugging; jax.disable_jit() as a context around the one call',
    },
  ]
}

function markStep({ framework, markStep }: StepDescription): PlanFinding[] {
  if (framework !== 'pytorch-xla' || markStep !== false) return []
  return [
    {
      rule: 'mark-step',
      severity: 'error',
      what: 'nothing ends the graph of a step',
      evidence:
        'PyTorch/XLA records operations until a barrier: without one the graph grows by a step each time, compiles again and does not run',
      remedy:
        'torch_xla.sync() (xm.mark_step() before it) after optimizer.step(), xm.optimizer_step(optimizer, barrier=True), or batches from MpDeviceLoader',
    },
  ]
}

function logDevicePlacement({ jaxConfig, framework }: StepDescription): PlanFinding[] {
  const name = Object.keys(jaxConfig ?? {}).find((key) => /^(jax_)?log_device_placement$/.test(key))
  if (name === undefined) return []
  return [
    {
      rule: 'log-device-placement',
      severity: framework === 'pytorch-xla' ? 'note' : 'error',
      what: `${name} is no setting of ${framework === 'pytorch-xla' ? 'PyTorch/XLA' : 'jax'}`,
      evidence: `it is TensorFlow's; jax.config.update('${name}', ...) raises AttributeError in jax 0.10.2`,
      remedy:
        'jax.debug.visualize_array_sharding(x), x.sharding, or the sharding in jax.jit(f).lower(...).as_text()',
    },
  ]
}

/** Names that read like a setting and are none: jaxlib ends the process at the flag, jax raises at the setting. */
const noCache = /xla_persistent_cache\w*/

function compilationCache(step: StepDescription): PlanFinding[] {
  const { compilationCache, framework = 'jax', environment = {}, jaxConfig = {} } = step
  const wrong = [
    ...Object.keys(jaxConfig),
    environment['XLA_FLAGS'] ?? '',
    environment['LIBTPU_INIT_ARGS'] ?? '',
  ]
    .map((words) => noCache.exec(words)?.[0])
    .find((name) => name !== undefined)
  const remedy =
    framework === 'jax'
      ? 'JAX_COMPILATION_CACHE_DIR=gs://... or a local folder that stays; set before the first compilation'
      : 'torch_xla.runtime.initialize_cache(path, readonly=False), before anything is computed'
  if (wrong !== undefined) {
    return [
      {
        rule: 'compilation-cache',
        severity: 'error',
        what: `${wrong} is no setting of jax and no flag`,
        evidence:
          'jax 0.10.2: "Unrecognized config option" from jax.config.update, "Unknown flag in XLA_FLAGS" at the first client',
        remedy,
      },
    ]
  }
  const folder = jaxSetting(step, 'jax_compilation_cache_dir')
  const kept =
    text(folder) !== '' || (framework === 'pytorch-xla' && environment['XLA_PERSISTENT_CACHE_PATH'])
  if (compilationCache !== 'none' || kept) return []
  return [
    {
      rule: 'compilation-cache',
      severity: 'note',
      what: 'compiled programs are not kept',
      evidence:
        'every start, and every restart after a preemption, compiles again what has not changed; programs that compile for a second and longer would be kept',
      remedy,
    },
  ]
}

/** The most worker processes of the toolkit's rule, where the cores of the host are not given. */
const mostWorkers = 32

function workers({ input }: StepDescription): PlanFinding[] {
  if (input === undefined) return []
  const { workers, prefetch, hostCores } = input
  const most = hostCores ?? mostWorkers
  const found: PlanFinding[] = []
  if (workers > most) {
    found.push({
      rule: 'worker-count',
      severity: 'warning',
      what: `${workers} workers on one host`,
      evidence:
        hostCores === undefined
          ? `each is a process with its own memory; the toolkit's most is ${mostWorkers}, give hostCores to compare with the host`
          : `the host has ${shown(hostCores)} cores: more processes wait for each other`,
      remedy: `${most} or fewer`,
    })
  }
  if (prefetch !== undefined && prefetch < workers) {
    found.push({
      rule: 'prefetch',
      severity: 'warning',
      what: `${prefetch} batches are prefetched by ${workers} workers`,
      evidence: `${workers - prefetch} workers wait at any time: each has one batch in hand`,
      remedy: `prefetch of ${workers} or more, or ${Math.max(1, prefetch)} workers`,
    })
  }
  return found
}
