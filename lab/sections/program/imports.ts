/** A part of a program: where it begins, and its text. */
export interface Part {
  readonly from: number
  readonly text: string
}

/** An import or a re-export of a program. */
export interface Import {
  /** The name of the module, without its quotes. */
  readonly module: Part
  /** The names between braces, each with what the program calls it. */
  readonly named: readonly { readonly name: Part; readonly local: string }[]
  /** What `* as` calls the module; undefined where there is none. */
  readonly namespace: string | undefined
}

const statement =
  /^([ \t]*(?:import|export)\b(?:[ \t]+type\b)?\s*)([^'"`;=()]*?)(\bfrom\s*)(['"])([^'"\n]+)\4/gm
const bare = /^([ \t]*import\s*)(['"])([^'"\n]+)\2/gm

/** The imports of a program, in their order. */
export function importsOf(code: string): Import[] {
  const found: Import[] = []
  for (const { 0: whole, 1: head = '', 2: names = '', 5: module = '', index } of code.matchAll(statement)) {
    const quoted = index + whole.length - module.length - 1
    const braces = names.indexOf('{')
    const inside = braces < 0 ? '' : names.slice(braces + 1, names.lastIndexOf('}'))
    const start = index + head.length + braces + 1
    const named = [
      ...inside.matchAll(/(?:\btype\s+)?([A-Za-z_$][\w$]*)(?:\s+as\s+([A-Za-z_$][\w$]*))?/g),
    ].map(({ 0: all, 1: name = '', 2: local, index: at }) => ({
      name: { from: start + at + all.indexOf(name, all.startsWith('type ') ? 4 : 0), text: name },
      local: local ?? name,
    }))
    const [, namespace] = /\*\s+as\s+([A-Za-z_$][\w$]*)/.exec(names) ?? []
    found.push({ module: { from: quoted, text: module }, named, namespace })
  }
  for (const { 0: whole, 3: module = '', index } of code.matchAll(bare)) {
    const from = index + whole.length - module.length - 1
    found.push({ module: { from, text: module }, named: [], namespace: undefined })
  }
  return found.sort((a, b) => a.module.from - b.module.from)
}
