import { checkName, checkText } from '../../base/options/index.js'
import { checkRow, type Row } from './experiment.js'

/** What of a row is good. */
export interface Objective {
  /** The field of the rows that is looked at. */
  readonly metric: string
  /** Default: 'min'. */
  readonly goal?: 'min' | 'max'
  /**
   * What a metric that is null, NaN or infinite means. Default: 'worst'. 'best' is for one such as the first NaN step, which a
   * run that stays finite does not have.
   */
  readonly missing?: 'worst' | 'best'
}

/** A row's place: the lower the better; Infinity for one that counts as the worst. */
export type Judge = (row: Row) => number

/** How rows compare under an objective. A row without the metric is an error that names the experiment. */
export function judgeOf(op: string, experiment: string, objective: Objective): Judge {
  const { metric, goal = 'min', missing = 'worst' } = objective
  checkText(op, 'metric', metric)
  checkName(op, 'goal', goal, ['min', 'max'])
  checkName(op, 'missing', missing, ['worst', 'best'])
  const absent = missing === 'worst' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  return (row) => {
    const value = row[metric]
    if (typeof value !== 'number') checkRow(experiment, row, metric)
    if (typeof value !== 'number') return absent
    return goal === 'min' ? value : -value
  }
}
