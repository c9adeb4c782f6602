import { batch, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'

/** One value of a section as it stands in the address: unknown text is undefined, and the default holds. */
export interface Param<T> {
  readonly initial: T
  readonly read: (text: string) => T | undefined
  readonly write: (value: T) => string
}

/** One of a list of names. */
export function oneOf<Name extends string>(names: readonly Name[], initial: Name): Param<Name> {
  return { initial, read: (text) => names.find((name) => name === text), write: (value) => value }
}

/** A number from `min` to `max`; whole where `step` is 1. */
export function numberFrom(min: number, max: number, initial: number, step?: 1): Param<number> {
  const read = (text: string): number | undefined => {
    const value = text.trim() === '' ? Number.NaN : Number(text)
    return value >= min && value <= max && (step === undefined || Number.isInteger(value)) ? value : undefined
  }
  return { initial, read, write: String }
}

/** Yes or no. */
export function flag(initial: boolean): Param<boolean> {
  return {
    initial,
    read: (text) => (text === '1' ? true : text === '0' ? false : undefined),
    write: (value) => (value ? '1' : '0'),
  }
}

/** Any text, up to a length. */
export function text(initial: string, longest = 20_000): Param<string> {
  return { initial, read: (value) => (value.length <= longest ? value : undefined), write: (value) => value }
}

interface Entry {
  readonly reset: (given: string | null) => void
  readonly written: () => string | undefined
}

/** What the address says: the section, and its values as text. */
interface Route {
  readonly section: string
  readonly values: URLSearchParams
}

const sections = new Map<string, ReadonlyMap<string, Entry>>()

function parse(hash: string): Route {
  const [section = '', ...rest] = hash.replace(/^#/, '').split('&')
  return { section, values: new URLSearchParams(rest.join('&')) }
}

let route = parse(location.hash)
const current = signal(route.section)

/** The section that the address names. */
export const currentSection: ReadonlySignal<string> = current

/** Writes of the address that wait for a pause in the changes, by section. */
const waiting = new Map<string, () => void>()

function flush(): void {
  for (const write of [...waiting.values()]) write()
}

function follow(): void {
  route = parse(location.hash)
  batch(() => {
    for (const [name, entry] of sections.get(route.section) ?? []) entry.reset(route.values.get(name))
    current.value = route.section
  })
}

addEventListener('hashchange', follow)
// Whatever is pressed may lead away: the address of this place is complete before, so that Back returns to what was set.
addEventListener('click', flush, true)

/**
 * Opens a section with these values, as the address writes them, and all others at their defaults. It is a new entry of the
 * browser's history: Back returns to what was set before.
 */
export function goTo(section: string, values: Readonly<Record<string, string>> = {}): void {
  flush()
  const said = new URLSearchParams(values).toString()
  const hash = said === '' ? `#${section}` : `#${section}&${said}`
  if (hash !== location.hash) history.pushState(null, '', hash)
  follow()
}

/**
 * The values of a section as signals, which follow the address and which the address follows, 200 ms behind the last change;
 * values that are the default are left out of it.
 */
export function sectionState<Values extends object>(
  section: string,
  params: { readonly [name in keyof Values]: Param<Values[name]> },
): { readonly [name in keyof Values]: Signal<Values[name]> } {
  const entries = new Map<string, Entry>()
  const add = <T>(name: string, param: Param<T>): Signal<T> => {
    const { entry, state } = entryOf(param)
    if (route.section === section) entry.reset(route.values.get(name))
    entries.set(name, entry)
    return state
  }
  const signals = mapped(params, add)
  sections.set(section, entries)
  let timer: ReturnType<typeof setTimeout> | undefined
  effect(() => {
    const hash = hashOf(section)
    clearTimeout(timer)
    const write = (): void => {
      clearTimeout(timer)
      waiting.delete(section)
      const here = parse(location.hash).section
      if (here === section && hash !== location.hash) history.replaceState(null, '', hash)
    }
    waiting.set(section, write)
    timer = setTimeout(write, 200)
  })
  return signals
}

function mapped<Values extends object>(
  params: { readonly [name in keyof Values]: Param<Values[name]> },
  add: <T>(name: string, param: Param<T>) => Signal<T>,
): { readonly [name in keyof Values]: Signal<Values[name]> } {
  const names = Object.keys(params) as (keyof Values & string)[]
  // Object.fromEntries forgets which name has which type.
  return Object.fromEntries(names.map((name) => [name, add(name, params[name])])) as {
    readonly [name in keyof Values]: Signal<Values[name]>
  }
}

function entryOf<T>(param: Param<T>): { entry: Entry; state: Signal<T> } {
  const state = signal(param.initial)
  return {
    state,
    entry: {
      reset: (given) => {
        const value = given === null ? undefined : param.read(given)
        state.value = value ?? param.initial
      },
      written: () => (state.value === param.initial ? undefined : param.write(state.value)),
    },
  }
}

/** The address of a section as it stands: `#drift&dtype=float16`. */
export function hashOf(section: string): string {
  const values = new URLSearchParams()
  for (const [name, { written }] of sections.get(section) ?? []) {
    const value = written()
    if (value !== undefined) values.set(name, value)
  }
  const said = values.toString()
  return said === '' ? `#${section}` : `#${section}&${said}`
}

/** Every value of a section back to its default. */
export function resetSection(section: string): void {
  for (const { reset } of sections.get(section)?.values() ?? []) reset(null)
}
