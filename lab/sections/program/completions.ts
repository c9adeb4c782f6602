import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { importsOf } from './imports.js'
import type { LabModule, LabName } from './labModules.js'

/** Completes names of the package: in imports all of a module, elsewhere those that the program imports, and members of namespaces. */
export function completions(modules: readonly LabModule[]) {
  const byName = new Map(modules.map((one) => [one.module, one]))
  return (context: CompletionContext): CompletionResult | null => {
    const { pos, explicit } = context
    const code = context.state.doc.toString()
    const inModule = context.matchBefore(/\bfrom\s*['"][^'"\n]*/)
    if (inModule) {
      const from = inModule.from + inModule.text.search(/['"]/) + 1
      return {
        from,
        options: modules
          .filter(({ needsNode }) => !needsNode)
          .map(({ module, about }) => ({ label: module, info: about })),
        filter: true,
      }
    }
    const word = context.matchBefore(/[A-Za-z_$][\w$]*/)
    const from = word?.from ?? pos
    const braces = bracesAround(code, pos)
    if (braces) {
      const module = byName.get(braces.module ?? 'tpu-toolkit')
      if (!module) return null
      const namespaces = module.namespaces.map((name) => ({
        label: name,
        type: 'namespace',
        info: aboutOf(byName, name),
      }))
      return { from, options: [...module.names.map(optionOf), ...namespaces], validFor: /^[\w$]*$/ }
    }
    const member = context.matchBefore(/([A-Za-z_$][\w$]*)\.[\w$]*/)
    if (member) {
      const [local = ''] = member.text.split('.')
      const module = namespaceOf(code, local, byName)
      if (!module) return null
      return {
        from: member.from + local.length + 1,
        options: module.names.map(optionOf),
        validFor: /^[\w$]*$/,
      }
    }
    if (!word && !explicit) return null
    const imported = importsOf(code).flatMap(({ module, named }) => {
      const names = new Map(byName.get(module.text)?.names.map((one) => [one.name, one.about]))
      return named.map(({ name, local }) => ({
        label: local,
        info: names.get(name.text) ?? aboutOf(byName, name.text),
        detail: module.text,
      }))
    })
    return { from, options: imported.filter(({ label }) => label !== word?.text), validFor: /^[\w$]*$/ }
  }
}

const optionOf = ({ name, about }: LabName): Completion => ({ label: name, info: about })

const aboutOf = (byName: ReadonlyMap<string, LabModule>, folder: string): string =>
  byName.get(`tpu-toolkit/${folder}`)?.about ?? ''

/** Where the cursor is between the braces of an import: the module behind them, where it is written already. */
function bracesAround(code: string, pos: number): { readonly module: string | undefined } | undefined {
  const before = code.slice(0, pos)
  if (!/(?:^|\n)[ \t]*import\s+(?:type\s+)?\{[^{}'"]*$/.test(before)) return undefined
  const [, module] = /^[^{}'"]*\}\s*from\s*['"]([^'"\n]+)/.exec(code.slice(pos)) ?? []
  return { module }
}

/** The module that the program has as a namespace of this name. */
function namespaceOf(
  code: string,
  local: string,
  byName: ReadonlyMap<string, LabModule>,
): LabModule | undefined {
  for (const { module, named, namespace } of importsOf(code)) {
    if (namespace === local) return byName.get(module.text)
    const found = module.text === 'tpu-toolkit' && named.find((one) => one.local === local)
    if (found) return byName.get(`tpu-toolkit/${found.name.text}`)
  }
  return undefined
}
