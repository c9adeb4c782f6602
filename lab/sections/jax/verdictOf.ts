import type { JaxRun } from './jaxRun.js'

/** What was found, in a sentence or two. */
export function verdictOf(name: string, run: JaxRun): string {
  const { state, stepped, origin, found, shares } = run
  const step = stepped.value
  if (state.value === 'failed') return `${name} is refused.`
  if (state.value === 'stopped') return `${name}: stopped.`
  if (!step) return `${name} is being read …`
  const parts: string[] = []
  if (step.nonFinite !== undefined) {
    const at = origin.value
      ? ` The first comes from ${origin.value.site || 'an operation without a line'}.`
      : ''
    const when = step.of > 1 ? `step ${step.step} of at most ${step.of}` : 'the run'
    parts.push(`${name}: ${when} is the first with a value that is not finite, in ${step.nonFinite}.${at}`)
  } else if (!found.value && state.value === 'running') {
    return `${name}: step ${step.step} of ${step.of} …`
  } else {
    parts.push(`${name}: every result of ${step.of > 1 ? `${step.step} steps` : 'the run'} is finite.`)
  }
  if (!found.value) return `${parts.join(' ')} Its errors are being measured …`
  const { outputs, step: measured } = found.value
  const worst = outputs.reduce((a, b) => (b.worst > a.worst ? b : a), outputs[0]!)
  if (worst) {
    const kept = Math.max(0, worst.precision - worst.worst)
    const at = measured === step.step ? '' : `In step ${measured}, the last one that is finite, `
    parts.push(
      worst.wrong === 0
        ? `${at}every output is the rounded exact value.`
        : `${at}${worst.name} keeps ${kept.toFixed(1)} of ${worst.precision} bits in its worst element.`,
    )
  }
  if (!shares.value) {
    return state.value === 'running' ? `${parts.join(' ')} Its causes are being ranked …` : parts.join(' ')
  }
  const best = [...shares.value.lines].sort((a, b) => (b.gain ?? 0) - (a.gain ?? 0))[0]
  if (best?.gain !== undefined && best.gain > 0.05) {
    parts.push(
      `Unrounded, ${best.line || 'the operations without a line'} alone would gain ${best.gain.toFixed(1)} bits.`,
    )
  }
  return parts.join(' ')
}
