import type { Signal } from '@preact/signals'

/** A list of names to choose from. */
export function Choice<Name extends string>(props: {
  readonly label: string
  readonly value: Signal<Name>
  readonly names: readonly Name[]
  /** What a name is called on the page. Default: the name. */
  readonly said?: Readonly<Partial<Record<Name, string>>>
}) {
  const { label, value, names, said } = props
  return (
    <label class="field">
      {label}
      <select
        value={value.value}
        onChange={({ currentTarget }) => {
          value.value = names.find((name) => name === currentTarget.value) ?? value.value
        }}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {said?.[name] ?? name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** A number that is typed; what is no number from `min` to `max` changes nothing and is said to be none. */
export function NumberField(props: {
  readonly label: string
  readonly value: Signal<number>
  readonly min: number
  readonly max: number
  readonly step?: number
}) {
  const { label, value, min, max, step } = props
  return (
    <label class="field">
      {label}
      <input
        class="number"
        type="number"
        value={value.value}
        min={min}
        max={max}
        step={step ?? 'any'}
        onChange={({ currentTarget }) => {
          if (currentTarget.checkValidity() && currentTarget.value !== '')
            value.value = currentTarget.valueAsNumber
          else currentTarget.reportValidity()
        }}
      />
    </label>
  )
}

/** A slider with its number; `at` and `from` map a place on the slider to a value, where steps are not even. */
export function Slider(props: {
  readonly label: string
  readonly value: Signal<number>
  readonly min: number
  readonly max: number
  readonly step?: number
  readonly said?: (value: number) => string
}) {
  const { label, value, min, max, step = 1, said = String } = props
  return (
    <label class="field">
      <span>
        {label}: <strong>{said(value.value)}</strong>
      </span>
      <input
        type="range"
        min={min}
        max={max}
        step={step}
        value={value.value}
        aria-valuetext={said(value.value)}
        onInput={({ currentTarget }) => {
          value.value = currentTarget.valueAsNumber
        }}
      />
    </label>
  )
}

/** Yes or no. */
export function Check({ label, value }: { readonly label: string; readonly value: Signal<boolean> }) {
  return (
    <label class="field beside">
      <input
        type="checkbox"
        checked={value.value}
        onChange={({ currentTarget }) => {
          value.value = currentTarget.checked
        }}
      />
      {label}
    </label>
  )
}
