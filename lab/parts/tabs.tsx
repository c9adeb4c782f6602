import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

/** Parts of a section of which one is shown: tabs over it, of which the arrow keys choose. */
export function Tabs<Name extends string>(props: {
  readonly id: string
  /** What the tabs are of. */
  readonly name: string
  readonly value: Signal<Name>
  readonly names: readonly Name[]
  readonly said: Readonly<Record<Name, string>>
  readonly children: ComponentChildren
}) {
  const { id, name, value, names, said, children } = props
  const tabOf = (one: Name): string => `${id}-${one}`
  const press = (event: KeyboardEvent): void => {
    const at = names.indexOf(value.value)
    const places: Readonly<Record<string, number>> = {
      ArrowRight: (at + 1) % names.length,
      ArrowLeft: (at + names.length - 1) % names.length,
      Home: 0,
      End: names.length - 1,
    }
    const to = places[event.key]
    if (to === undefined) return
    event.preventDefault()
    value.value = names[to]!
    document.getElementById(tabOf(names[to]!))?.focus()
  }
  return (
    <div id={id}>
      <div role="tablist" aria-label={name}>
        {names.map((one) => (
          <button
            key={one}
            id={tabOf(one)}
            type="button"
            role="tab"
            aria-selected={one === value.value}
            aria-controls={`${id}-panel`}
            tabIndex={one === value.value ? 0 : -1}
            onClick={() => {
              value.value = one
            }}
            onKeyDown={press}
          >
            {said[one]}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={tabOf(value.value)}>
        {children}
      </div>
    </div>
  )
}
