import { checkName, checkOptions, checkText, type OptionTable } from '../base/options/index.js'
import { readable } from '../base/text/index.js'

/** One axis of a plot. */
export interface Axis {
  readonly label: string
  /** Default 'linear'. Values that a logarithm cannot show are marked at the edge instead. */
  readonly scale?: 'linear' | 'log2' | 'log10'
  /** Default: the data's range. */
  readonly domain?: readonly [number, number]
}

const axisNames: OptionTable<Axis> = { label: 'required', scale: 'optional', domain: 'optional' }

/** Throws unless this is an axis: a label, and options that are known. */
export function checkAxis(op: string, which: string, axis: Axis): void {
  checkOptions(`${op}: ${which}`, axis, axisNames)
  checkText(op, `the label of ${which}`, axis.label)
  checkName(op, `scale of ${which}`, axis.scale ?? 'linear', ['linear', 'log2', 'log10'])
}

/** An axis with its range and ticks settled. */
export interface Scale {
  readonly log: boolean
  readonly base: number
  readonly domain: readonly [number, number]
  readonly ticks: readonly number[]
  readonly tickText: (value: number) => string
}

/** Ranges and ticks from the values an axis has to show; `values` may hold anything, what does not fit is passed over. */
export function axisScale(axis: Axis, values: readonly number[], most: number): Scale {
  const log = axis.scale === 'log2' || axis.scale === 'log10'
  const base = axis.scale === 'log2' ? 2 : 10
  const domain = axis.domain ?? range(values, log)
  if (!log) {
    const ticks = linearTicks(domain, most)
    return { log, base, domain, ticks, tickText: oneStyle(ticks) }
  }
  const ticks = logTicks(domain, base, most)
  return { log, base, domain, ticks, tickText: base === 2 ? (v) => readable(v, 6) : oneStyle(ticks) }
}

/** All ticks of an axis as plain numbers, or all as multiples of powers of ten. */
function oneStyle(ticks: readonly number[]): (value: number) => string {
  const plain = ticks.every((tick) => tick === 0 || (Math.abs(tick) >= 1e-3 && Math.abs(tick) < 1e6))
  return plain ? (value) => readable(value, 6) : powerText
}

function range(values: readonly number[], log: boolean): [number, number] {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const v of values) {
    if (!Number.isFinite(v) || (log && v <= 0)) continue
    low = Math.min(low, v)
    high = Math.max(high, v)
  }
  if (low > high) return log ? [1, 10] : [0, 1]
  if (low < high) return [low, high]
  return log ? [low / 2, low * 2] : [low - 1, low + 1]
}

/** Powers of the base inside the range, every one or every few; with fewer than two of base 10, also 2 and 5 times them. */
function logTicks([low, high]: readonly [number, number], base: number, most: number): number[] {
  const logarithm = base === 2 ? Math.log2 : Math.log10
  const first = Math.ceil(logarithm(low) - 1e-9)
  const last = Math.floor(logarithm(high) + 1e-9)
  if (base === 10 && last - first < 1) {
    const near = [first - 1, first, first + 1].flatMap((power) =>
      [1, 2, 5].map((m) => Number(`${m}e${power}`)),
    )
    const inside = near.filter((tick) => tick >= low && tick <= high)
    return inside.length >= 2 ? inside : linearTicks([low, high], 4)
  }
  const step = Math.max(1, Math.ceil((last - first + 1) / most))
  const count = Math.floor((last - first) / step) + 1
  return Array.from({ length: count }, (_, i) => base ** (first + i * step)).map((tick) =>
    Number(tick.toPrecision(12)),
  )
}

function linearTicks([low, high]: readonly [number, number], most: number): number[] {
  const rough = (high - low) / most
  const unit = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= rough) ?? rough
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)))
}

/** 5·10⁻⁴, or 10⁻³ where the factor is 1. */
function powerText(value: number): string {
  if (value === 0) return '0'
  const [digits = '', power = ''] = Number(value.toPrecision(6)).toExponential().split('e')
  const raised = String(Number(power)).replace(
    /[-\d]/g,
    (digit) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(digit)]!,
  )
  const ten = `10${raised}`
  return digits === '1' ? ten : digits === '-1' ? `-${ten}` : `${digits}·${ten}`
}
