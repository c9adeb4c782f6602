import type { TrainStepShadow } from './trainStep.js'
import type { LeafUpdate } from './updates.js'

/** Rows of each part, so that all of it is 40 lines at most. */
const rows = { leaves: 10, lines: 4, gradients: 6, origins: 5, constants: 4 }

type Facts = Omit<TrainStepShadow, 'toString'>

/** A share of leaves unchanged from which on it is the problem of the step. */
const stalled = 0.5

/** The report in lines: the verdict, updates by leaf and line, gradients, where their error comes from, constants. */
export function trainStepText(facts: Facts): string {
  const { updates, lines, loss, gradients, gradientLines, gradientsOf, constants, operations } = facts
  const out = [`one training step of ${operations} operations beside float64`, `verdict: ${verdictOf(facts)}`]
  if (loss) out.push(`loss: ${number(loss.value)}, in float64 ${number(loss.exact)}`)
  out.push(
    'updates: elements unchanged, share of the way gone; under stochastic rounding elements unchanged, way gone',
  )
  const ordered = [...updates].sort((a, b) => shareOf(b) - shareOf(a))
  out.push(...first(ordered, rows.leaves, 'leaves', leafText))
  if (lines.length > 1) {
    out.push('by line')
    out.push(
      ...first(lines, rows.lines, 'lines', ({ op, site, leaves, asked, unchanged }) => {
        const names =
          leaves.length > 3
            ? `${leaves.slice(0, 3).join(', ')} and ${leaves.length - 3} more`
            : leaves.join(', ')
        return `  ${percent(unchanged, asked)}  ${op ?? 'inside an optimizer'}${site ? ` at ${site}` : ''}: ${names}`
      }),
    )
  }
  if (gradientsOf === 'loss') {
    out.push('gradients: error against their root mean square, in the mean and in the worst element')
    out.push(
      ...first(
        gradients,
        rows.gradients,
        'gradients',
        ({ name, relative, worst, rms }) =>
          `  ${percent(relative)}  ${percent(worst)}  ${name || 'the parameter'}, of size ${number(rms)}`,
      ),
    )
    const origins = gradientLines.filter(({ share }) => Math.abs(share) >= 0.005)
    if (origins.length > 0) out.push('where their error comes from')
    out.push(
      ...first(origins, rows.origins, 'lines', ({ name, site, steps, share }) => {
        const times = steps.length > 1 ? `, ${steps.length} times` : ''
        return `  ${percent(share)}  ${name}${site ? ` at ${site}` : ''}${times}`
      }),
    )
  } else {
    out.push(
      gradientsOf === 'no loss'
        ? 'gradients: not measured, the step returns no loss'
        : 'gradients: not found among the values of the step; pass lossAndGrad',
    )
  }
  if (constants.length > 0) out.push('constants that rounding changed')
  out.push(
    ...first(
      constants,
      rows.constants,
      'constants',
      ({ text, site }) => `  ${text}${site ? ` at ${site}` : ''}`,
    ),
  )
  return out.join('\n')
}

/** One sentence: what is wrong with the step, if anything is. */
function verdictOf({ updates, gradients }: Facts): string {
  const stuck = updates
    .filter((update) => !update.keptWider && shareOf(update) >= stalled)
    .sort(
      (a, b) => Number(b.kind === 'parameter') - Number(a.kind === 'parameter') || b.unchanged - a.unchanged,
    )
  const [most] = stuck
  const worst = gradients.find(({ relative }) => relative >= 0.1 || Number.isNaN(relative))
  const off = worst
    ? `the gradient of ${nameOf(worst)} is off by ${percent(worst.relative).trim()} of its size`
    : ''
  if (most) {
    const others = stuck.length > 1 ? ` (and ${stuck.length - 1} more)` : ''
    const cure =
      most.kind === 'parameter'
        ? 'a master copy, Kahan compensation or stochastic rounding (lowprecision.storedParams) would move it'
        : 'a state in float32 would move it'
    return `${percent(most.unchanged, most.asked).trim()} of ${nameOf(most)}${others} is unchanged by its update, ${number(most.ulps)} ulp in the median; ${cure}${off && `; ${off}`}`
  }
  if (off) return off
  const moving = updates.filter(({ kind }) => kind === 'parameter')
  return moving.every(({ asked }) => asked === 0)
    ? 'the step changes no parameter, in exact arithmetic either'
    : 'the parameters move by their updates'
}

/** Its share of elements left unchanged. */
export function shareOf({ unchanged, asked }: LeafUpdate): number {
  return asked === 0 ? 0 : unchanged / asked
}

function leafText(update: LeafUpdate): string {
  const { op, site, moved, movedStochastic, changedStochastic, size, dtype, shape, kind, keptWider } = update
  const random = `${percent(1 - changedStochastic / Math.max(1, size))}  ${percent(movedStochastic)}`
  const kept = keptWider ? ', kept wider beside it' : ''
  const where = op ? `, ${op}${site ? ` at ${site}` : ''}` : ', inside an optimizer'
  const what = kind === 'state' ? `state ${nameOf(update)}` : nameOf(update)
  return `  ${percent(shareOf(update))}  ${percent(moved)}  ${random}  ${what} ${dtype} [${shape.join(', ')}]${kept}${where}`
}

function nameOf({ name }: { readonly name: string }): string {
  return name === '' ? 'the parameter' : name
}

function first<T>(items: readonly T[], most: number, what: string, text: (item: T) => string): string[] {
  const left = items.length - most
  return [...items.slice(0, most).map(text), ...(left > 0 ? [`  and ${left} more ${what}`] : [])]
}

/** A share, or a quotient, as a percentage of at most two places. */
function percent(part: number, whole = 1): string {
  const value = whole === 0 ? 0 : (100 * part) / whole
  const text =
    Math.abs(value) >= 99.95 || value === 0 ? value.toFixed(0) : value.toPrecision(value >= 10 ? 3 : 2)
  return `${Number.isFinite(value) ? String(Number(text)) : String(value)} %`.padStart(7)
}

function number(value: number): string {
  return String(Number(value.toPrecision(3)))
}
