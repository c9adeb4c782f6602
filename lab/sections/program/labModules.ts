/** A public name with the first sentence of its docstring. */
export interface LabName {
  readonly name: string
  readonly about: string
}

/** An import of the package: the package itself, or an entry point of it. */
export interface LabModule {
  readonly module: string
  readonly about: string
  readonly names: readonly LabName[]
  /** Of the package itself: the entry points that it has as namespaces. */
  readonly namespaces: readonly string[]
  /** Whether it needs Node, so that no page has it. */
  readonly needsNode?: true
}

/** The imports with their names, as the build of the page has written them. */
export async function loadModules(): Promise<readonly LabModule[]> {
  const built: { readonly modules: readonly LabModule[] } = await import(
    new URL('names.js', document.baseURI).href
  )
  return built.modules
}
