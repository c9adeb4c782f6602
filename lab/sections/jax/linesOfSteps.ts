import type { ErrorGroup, OperationError, Shadow } from 'tpu-toolkit/precision'
import { isFloat } from 'tpu-toolkit/tensor'
import type { LineRow, OperationRow } from './jaxMessages.js'

/** The operations of a run by lines of source, in the order of their first operation. */
export function linesOfSteps(shadow: Shadow, sourceOf: (line: string) => string): LineRow[] {
  const errors = new Map<number, OperationError>(shadow.operations().map((one) => [one.step, one]))
  const rows = new Map<string, OperationRow[]>()
  for (const [step, { op, output, site }] of shadow.program.steps.entries()) {
    if (!isFloat(output.dtype)) continue
    const line = lineOf(site)
    const error = errors.get(step)
    const row: OperationRow = {
      ...{ step, op: op.name, dtype: output.dtype, shape: output.shape, site: site ?? '' },
      moves: op.rounds === 'never',
      introduced: error?.introduced.max ?? 0,
      total: error?.total.max ?? 0,
    }
    rows.set(line, [...(rows.get(line) ?? []), row])
  }
  return [...rows].map(([line, operations]) => ({
    ...{ line, source: sourceOf(line), operations },
    introduced: Math.max(...operations.map(({ introduced }) => introduced)),
  }))
}

/** Shares and gains of groups of operations, added up by line; the gains of one line's groups overlap, so that of the best stands for it. */
export function sharesByLine(
  groups: readonly ErrorGroup[],
): { readonly line: string; readonly share?: number; readonly gain?: number }[] {
  const lines = new Map<string, { share?: number; gain?: number }>()
  for (const { site, share, gain } of groups) {
    const row = lines.get(lineOf(site)) ?? {}
    if (share !== undefined && Number.isFinite(share)) row.share = (row.share ?? 0) + share
    if (gain !== undefined && gain > (row.gain ?? -Infinity)) row.gain = gain
    lines.set(lineOf(site), row)
  }
  return [...lines].map(([line, row]) => ({ line, ...row }))
}

/** `ssm.py:13` of `ssm.py:13:8`. */
export function lineOf(site: string | undefined): string {
  return site?.replace(/^(.*:\d+):\d+$/, '$1') ?? ''
}
