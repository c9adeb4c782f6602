import { bitsOf } from '../hardware/index.js'
import { type ModelConfig, parameterCount } from '../model/index.js'
import { lintFlags } from '../xla/index.js'
import { bytesText, type PlanFinding, secondsText } from './finding.js'
import type { StepDescription } from './step.js'
import type { TpuConfig } from './tpuConfig.js'

/** What happens around the step: flags, donation, host, data, storage. */
export function checkHost(config: TpuConfig, model: ModelConfig, step: StepDescription): PlanFinding[] {
  return [
    ...flags(config, step),
    ...donation(config, model, step),
    ...hostTransfers(config, step),
    ...dataRate(step),
    ...storageRegion(step),
  ]
}

function flags({ version }: TpuConfig, { environment = {}, flagsSet }: StepDescription): PlanFinding[] {
  const found: PlanFinding[] = lintFlags(environment, { hardware: version }).map(
    ({ variable, text, effect, message, instead }) => ({
      rule: 'flags',
      severity: effect === 'ends the process' ? 'error' : effect === 'unknown' ? 'warning' : 'note',
      what: `${text} in ${variable}: ${message}`,
      evidence: `libtpu 0.0.51 and jaxlib 0.10.2: ${effect}`,
      remedy: instead === null ? 'leave it out' : instead,
    }),
  )
  if (flagsSet === 'after-import') {
    found.push({
      rule: 'flags-before-import',
      severity: 'error',
      what: 'flags are set after jax is imported',
      evidence: 'LIBTPU_INIT_ARGS and XLA_FLAGS are read once, before the first client is made',
      remedy: 'set them at the top of the program or in its environment, before anything imports jax',
    })
  }
  return found
}

function donation(
  { paramsDtype, slice }: TpuConfig,
  model: ModelConfig,
  { donate }: StepDescription,
): PlanFinding[] {
  if (donate !== false) return []
  const state = parameterCount(model) * (bitsOf(paramsDtype) / 8 + 8)
  return [
    {
      rule: 'donation',
      severity: 'warning',
      what: 'the training state is not donated',
      evidence: `old and new state are there at once: ${bytesText(state)} more, parameters and two float32 moments; the slice has ${bytesText(slice.programHbmBytes)} usable`,
      remedy: "jax.jit(step, donate_argnames='state')",
    },
  ]
}

function hostTransfers(
  { pcieBytesPerSecondPerChip, version }: TpuConfig,
  { hostBytesPerStepPerChip, stepSeconds }: StepDescription,
): PlanFinding[] {
  if (
    hostBytesPerStepPerChip === undefined ||
    stepSeconds === undefined ||
    pcieBytesPerSecondPerChip === null
  ) {
    return []
  }
  const seconds = hostBytesPerStepPerChip / pcieBytesPerSecondPerChip
  if (seconds < stepSeconds / 2) return []
  return [
    {
      rule: 'host-transfers',
      severity: seconds > stepSeconds ? 'error' : 'warning',
      what: 'transfers between host and chip take as long as the step',
      evidence: `${bytesText(hostBytesPerStepPerChip)} over PCIe at ${bytesText(pcieBytesPerSecondPerChip)}/s on ${version} take ${secondsText(seconds)}, a step ${secondsText(stepSeconds)}`,
      remedy:
        'send less (uint8 inputs, metrics every n steps), keep it on the device, or overlap it with the step',
    },
  ]
}

function dataRate({ input, stepSeconds }: StepDescription): PlanFinding[] {
  if (input === undefined || stepSeconds === undefined) return []
  const { examplesPerStep, examplesPerSecondPerWorker, workers, bytesPerExample } = input
  const needed = examplesPerStep / stepSeconds
  const made = workers * examplesPerSecondPerWorker
  if (made >= needed) return []
  return [
    {
      rule: 'data-rate',
      severity: 'warning',
      what: 'the workers do not keep up with the step',
      evidence: `${Number(needed.toPrecision(3))} examples/s (${bytesText(needed * bytesPerExample)}/s) are needed, ${workers} workers prepare ${Number(made.toPrecision(3))}`,
      remedy: `${Math.ceil(needed / examplesPerSecondPerWorker)} workers, or less work for each example`,
    },
  ]
}

function storageRegion({ storage }: StepDescription): PlanFinding[] {
  if (storage === undefined || storage.region === storage.computeRegion) return []
  const { region, computeRegion, bytes, pricePerGB } = storage
  return [
    {
      rule: 'storage-region',
      severity: 'warning',
      what: `data lie in ${region}, the slice in ${computeRegion}`,
      evidence: `${bytesText(bytes)} between regions at ${pricePerGB} a GB (10^9 bytes): ${Number(((bytes / 1e9) * pricePerGB).toPrecision(6))}`,
      remedy: `copy them to ${computeRegion} once`,
    },
  ]
}
