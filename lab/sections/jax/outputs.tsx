import { readable } from '#text'
import { SortTable } from '../../parts/sortTable.js'
import type { OutputRow } from './jaxMessages.js'

/** How far each output is off. */
export function Outputs(props: { readonly outputs: readonly OutputRow[]; readonly reference: string }) {
  const { outputs, reference } = props
  return (
    <details>
      <summary>
        The {outputs.length} outputs beside {reference}
      </summary>
      <SortTable
        name="Outputs"
        head={['output', 'bits kept', 'bits off, worst', 'bits off, mean', 'elements off', 'of']}
        rows={outputs.map(({ name, precision, worst, mean, wrong, size }) => [
          name,
          number(Math.max(0, precision - worst)),
          number(worst),
          number(mean),
          wrong,
          size,
        ])}
      />
    </details>
  )
}

const number = (value: number): { said: string; value: number } => ({ said: readable(value), value })
