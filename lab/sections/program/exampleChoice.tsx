import { useSignal } from '@preact/signals'

/** A program of a page of the guides, named `page: heading`. */
interface Example {
  readonly name: string
  readonly code: string
}

/** The programs of the guides in groups by page, those alone that have what is searched for. */
export function ExampleChoice(props: {
  readonly examples: readonly Example[]
  readonly onChoose: (code: string) => void
}) {
  const { examples, onChoose } = props
  const searched = useSignal('')
  const words = searched.value.toLowerCase().split(/\s+/)
  const found = examples.filter(({ name, code }) => {
    const text = `${name}\n${code}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const groups = new Map<string, Example[]>()
  for (const example of found) {
    const page = example.name.split(': ')[0]!
    groups.set(page, [...(groups.get(page) ?? []), example])
  }
  return (
    <div class="controls">
      <label class="field">
        search the programs of the guides
        <input
          type="search"
          value={searched.value}
          placeholder="a word of its title or code"
          onInput={({ currentTarget }) => {
            searched.value = currentTarget.value
          }}
        />
      </label>
      <label class="field">
        a program of the guides
        <select
          value=""
          onChange={({ currentTarget }) => {
            const chosen = examples.find(({ name }) => name === currentTarget.value)
            if (chosen) onChoose(chosen.code)
            currentTarget.value = ''
          }}
        >
          <option value="">{found.length === 0 ? 'none has it' : `choose one of ${found.length}`}</option>
          {[...groups].map(([page, ones]) => (
            <optgroup key={page} label={page}>
              {ones.map(({ name }) => (
                <option key={name} value={name}>
                  {name.slice(page.length + 2)}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
    </div>
  )
}
