import { noRows, type OpTable } from '../../tensors/tensor/index.js'
import { type DecisionBound, decisionBounds } from './decisionBounds.js'
import { type ElementBound, elementBounds } from './elementBounds.js'
import { type ReductionBound, reductionBounds } from './sumBounds.js'

/** How an operation's bounds are found: element by element, as a reduction, or as a decision. */
export type BoundRule =
  | { readonly element: ElementBound }
  | { readonly reduction: ReductionBound }
  | { readonly decision: DecisionBound }

const { logAddExp: _, ...elements } = elementBounds

/** The rule of every operation; 'none' of those whose form says it all, and of casts. */
export const boundRules: OpTable<BoundRule> = {
  ...noRows('moves'),
  ...tagged(elements, (element) => ({ element })),
  ...tagged(reductionBounds, (reduction) => ({ reduction })),
  ...tagged(decisionBounds, (decision) => ({ decision })),
  cast: 'none',
}

function tagged<K extends string, V>(
  table: Readonly<Record<K, V>>,
  tag: (entry: V) => BoundRule,
): Record<K, BoundRule> {
  const result: Partial<Record<K, BoundRule>> = {}
  for (const name in table) result[name] = tag(table[name])
  return result as Record<K, BoundRule>
}
