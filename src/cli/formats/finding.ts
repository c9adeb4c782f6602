import { readable } from '../../base/text/index.js'
import type { SetResults } from './formatsResults.js'
import type { Measurement } from './measure.js'

/** The SQNR that a bit buys: 20 log10 2 dB. No code of normal numbers has more a bit (Shannon's rate-distortion bound). */
export const decibelsPerBit: number = 20 * Math.log10(2)

/** The headline of a data set: the best at each width, and what is most telling of this data. */
export function finding(name: string, rows: readonly Measurement[], loss: number | undefined): string {
  const special: Readonly<Record<string, () => string>> = {
    normal: () => toTheBound(rows),
    weights: () => lossOf(rows, 'kernels', loss),
    activations: () => lossOf(rows, 'kernels and activations', loss),
    gradients: () => withoutScale(rows),
  }
  return [bestOf(rows), (special[name] ?? (() => zeros(rows)))()].filter((part) => part !== '').join(' ')
}

/** The rows with the most SQNR at 8, 6 and 4 bits of code, those there are. */
function bestAtWidths(rows: readonly Measurement[]): Measurement[] {
  return [8, 6, 4].flatMap((width) => {
    const there = rows.filter((row) => row.elementBits === width && row.sqnr !== null)
    return there.length > 0 ? [there.reduce((a, b) => (b.sqnr! > a.sqnr! ? b : a))] : []
  })
}

function bestOf(rows: readonly Measurement[]): string {
  const best = bestAtWidths(rows).map((row) => `${row.elementBits} bits ${label(row)}, ${decibels(row.sqnr)}`)
  return best.length === 0 ? '' : `Most signal to noise at ${best.join('; at ')}.`
}

function toTheBound(rows: readonly Measurement[]): string {
  const finite = rows.filter((row) => row.sqnr !== null)
  const distance = (row: Measurement): number => decibelsPerBit * row.bits - row.sqnr!
  if (finite.length === 0) return ''
  const closest = finite.reduce((a, b) => (distance(b) < distance(a) ? b : a))
  return `No code of normal numbers has more than 6.02 dB a bit; ${label(closest)} comes closest, ${decibels(distance(closest))} below.`
}

function zeros(rows: readonly Measurement[]): string {
  const scaled = find(rows, 'float4_e2m1fn', 'scaled')
  const blocks = [find(rows, 'mxfp4', 'floor'), find(rows, 'nvfp4', 'two levels')]
  const parts = [
    scaled && `with one scale for a tensor ${percent(scaled.underflow)}`,
    blocks[0] && `in blocks of 32 (mxfp4) ${percent(blocks[0].underflow)}`,
    blocks[1] && `in blocks of 16 (nvfp4) ${percent(blocks[1].underflow)}`,
  ].filter((part) => part !== undefined)
  return parts.length === 0
    ? ''
    : `Of the values that are not zero 4-bit floats lose to zero: ${parts.join(', ')}.`
}

function withoutScale(rows: readonly Measurement[]): string {
  const parts = ['float8_e4m3fn', 'float8_e5m2'].flatMap((scheme) => {
    const [plain, scaled] = [find(rows, scheme, 'plain'), find(rows, scheme, 'scaled')]
    if (!plain || !scaled) return []
    return [`${scheme} ${percent(plain.underflow)} without a scale, ${percent(scaled.underflow)} with one`]
  })
  return parts.length === 0
    ? ''
    : `Of the gradients that are not zero become zero: in ${parts.join('; in ')}.`
}

function lossOf(rows: readonly Measurement[], what: string, loss: number | undefined): string {
  if (loss === undefined) return ''
  const parts = bestAtWidths(rows)
    .filter((row) => row.loss !== null)
    .map((row) => `${label(row)} ${signedPercent(row.loss! / loss - 1)}`)
  const finite = rows.filter((row) => row.loss !== null)
  if (parts.length === 0 || finite.length === 0) return ''
  const worst = finite.reduce((a, b) => (b.loss! > a.loss! ? b : a))
  const most = `the most harm is done by ${label(worst)}: ${signedPercent(worst.loss! / loss - 1)}`
  return `With ${what} so quantised the held-out loss changes from ${readable(loss)} by: ${parts.join(', ')}; ${most}.`
}

/** The headline of a run: which rule for MX scales serves best, or, without MX, the best row there is. */
export function summaryFinding(sets: readonly SetResults[]): string {
  const cases = sets.flatMap(({ title, rows }) => mxCases(rows).map((modes) => ({ title, modes })))
  if (cases.length === 0) return sets.map(({ title, finding: text }) => `${title}: ${text}`)[0] ?? ''
  const wins = new Map<string, number>()
  let [behind, where] = [0, '']
  for (const { title, modes } of cases) {
    const most = Math.max(...modes.map((row) => row.sqnr!))
    // To a hundredth of a dB, so that draws are draws.
    for (const row of modes) if (row.sqnr! > most - 0.01) wins.set(row.way, (wins.get(row.way) ?? 0) + 1)
    const floor = modes.find((row) => row.way === 'floor')!
    if (most - floor.sqnr! > behind) [behind, where] = [most - floor.sqnr!, `${floor.scheme}, ${title}`]
  }
  const order = [...wins].sort((a, b) => b[1] - a[1])
  const counts = order.map(([way, times]) => `'${way}' in ${times}`).join(', ')
  const lag =
    behind > 0
      ? ` 'floor', the rule of the OCP specification, is behind the best by up to ${decibels(behind)} (${where}).`
      : ''
  return `Of the rules for an MX block's scale, the most signal to noise, or within 0.01 dB of it, has ${counts} of ${cases.length} cases (elements x data).${lag}`
}

/** The four rules on one MX element, for each element, where all results are finite. */
function mxCases(rows: readonly Measurement[]): Measurement[][] {
  const names = [...new Set(rows.filter((row) => row.way === 'floor').map((row) => row.scheme))]
  return names
    .map((scheme) => rows.filter((row) => row.scheme === scheme))
    .filter((modes) => modes.every((row) => row.sqnr !== null))
}

function find(rows: readonly Measurement[], scheme: string, way: string): Measurement | undefined {
  return rows.find((row) => row.scheme === scheme && row.way === way)
}

/** A way in words. */
export function label({ scheme, way }: Pick<Measurement, 'scheme' | 'way'>): string {
  return `${scheme} ${way}`
}

const decibels = (value: number | null): string => `${value === Infinity ? 'exact' : readable(value)} dB`

/** A share for a sentence or a table. */
export function percent(share: number): string {
  if (share === 0) return '0 %'
  // Nearly all is not all.
  return `${readable(100 * share, share > 0.99 && share < 1 ? 4 : 2)} %`
}

/** A change for a sentence or a table. */
export function signedPercent(change: number): string {
  const size = Math.abs(100 * change)
  return `${change > 0 ? '+' : change < 0 ? '-' : ''}${readable(size, size < 100 ? 2 : 3)} %`
}
