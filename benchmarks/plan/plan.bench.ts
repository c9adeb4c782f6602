import { defaultCalibration, type RunError, runErrors, servingShares } from 'tpu-toolkit/roofline'

// npm run bench:plan
//
// The estimate of `trainingStep` on every published run: its error with all constants, with constants fitted without the run
// (leave one out), and with constants fitted on no run of the same model; the lower bound over the published time. Runs that are
// held out are in no fit. Then every published run of serving beside its bound and the figure at peak rates. Nothing is timed.

const percent = (share: number | null): string =>
  share === null || Number.isNaN(share) ? '-' : `${share < 0 ? '-' : '+'}${Math.abs(100 * share).toFixed(1)}`

const rows = runErrors()
const line = (cells: readonly string[], widths: readonly number[]): string =>
  cells.map((cell, i) => (i < 3 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ')
const widths = [24, 34, 9, 8, 8, 8, 6, 5]
process.stdout.write(
  `${line(['model', 'where', 'dtype', 'error %', 'one out', 'model out', 'bound', 'held'], widths)}\n`,
)
for (const { run, error, leaveOneOut, leaveModelOut, bound } of rows) {
  const { slices = 1, slice, sequence } = run
  const where = `${slices > 1 ? `${slices} x ` : ''}${slice}, ${sequence} tokens`
  const dtype = run.dtype.startsWith('float8') ? 'float8' : run.dtype
  const cells = [run.model, where, dtype, percent(error), percent(leaveOneOut), percent(leaveModelOut)]
  process.stdout.write(
    `${line([...cells, bound === null ? '-' : bound.toFixed(2), run.fitted ? '' : 'held'], widths)}\n`,
  )
}

/** Median and largest of the leave-one-out errors, those of no estimate counted apart. */
function summary(title: string, chosen: (row: RunError) => boolean): void {
  const these = rows.filter(chosen)
  const errors = these
    .flatMap(({ leaveOneOut }) =>
      leaveOneOut === null || Number.isNaN(leaveOneOut) ? [] : [Math.abs(leaveOneOut)],
    )
    .sort((a, b) => a - b)
  const middle =
    ((errors[(errors.length - 1) >> 1] ?? Number.NaN) + (errors[errors.length >> 1] ?? Number.NaN)) / 2
  const none = these.length - errors.length
  process.stdout.write(
    `${title}: ${these.length} runs, median ${(100 * middle).toFixed(1)} %, worst ${(100 * (errors.at(-1) ?? Number.NaN)).toFixed(1)} %${none === 0 ? '' : `, ${none} without another run to fit on`}\n`,
  )
}

const many = ({ run }: RunError): boolean => (run.slices ?? 1) > 1
const plain = (row: RunError): boolean =>
  row.run.kind === 'dense' && row.run.dtype === 'bfloat16' && !many(row)
process.stdout.write('\nLeave one out, held-out runs as they are:\n')
summary('dense, bfloat16, one slice', plain)
summary('  of these held out', (row) => plain(row) && !row.run.fitted)
summary('several slices', many)
summary('dense, 8 bits', ({ run }) => run.kind === 'dense' && run.dtype !== 'bfloat16')
summary('experts', ({ run }) => run.kind === 'experts')
summary('windows', ({ run }) => run.kind === 'windows')
summary('all held out', ({ run }) => !run.fitted)
process.stdout.write(
  `lower bound over published time: at most ${Math.max(...rows.map(({ bound }) => bound ?? 0)).toFixed(2)}\n\nConstants:\n`,
)
const { dense, attention, narrow, windowBlock, slices, experts } = defaultCalibration()
for (const [name, { value, points }] of dense) {
  process.stdout.write(
    `${name}: ${value.toFixed(4)} of the bfloat16 peak (${points.length} runs), attention at ${attention.get(name) ?? 1} of that rate\n`,
  )
}
for (const [name, { value, points }] of narrow) {
  process.stdout.write(`${name}: ${value.toFixed(4)} of its peak (${points.length} runs)\n`)
}
process.stdout.write(
  `windows: ${windowBlock.value} keys wider on either side; a doubling of slices: ${slices.value.toExponential(2)} of a step for each FLOP per byte of the network\n`,
)
process.stdout.write(
  `experts: products ${experts.products.toFixed(2)}, passes ${experts.passes.toFixed(0)} (${experts.unalignedPasses.toFixed(0)} more if unaligned), ${experts.tokensPerExpert.toFixed(0)} tokens an expert\n`,
)

process.stdout.write('\nServing, generated tokens a second:\n')
const servingWidths = [22, 28, 11, 9, 9, 9, 9, 9]
const servingLine = (cells: readonly string[]): void => {
  process.stdout.write(`${line(cells, servingWidths)}\n`)
}
servingLine(['model', 'where', 'server', 'published', 'at peak', 'bound', '% of peak', '% of bound'])
for (const { run, bound, atPeak, share } of servingShares()) {
  const where = `${run.slice}, ${run.batch} x ${run.input}/${run.output}`
  const cells = [
    run.model,
    where,
    run.server,
    run.tokensPerSecond.toFixed(0),
    atPeak.toFixed(0),
    bound.toFixed(0),
  ]
  servingLine([...cells, (100 * share).toFixed(0), ((100 * run.tokensPerSecond) / bound).toFixed(0)])
}
