import type { Plugin } from 'esbuild'

/**
 * For pages: what an entry point imports of Node is left out where nothing of it is used. Where something is, the bundle still names
 * the module, which `nodeModulesIn` finds.
 */
export const withoutNode: Plugin = {
  name: 'without-node',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }))
  },
}

/** The modules of Node that files of a bundle import. */
export function nodeModulesIn(
  outputs: Readonly<Record<string, { readonly imports: readonly { readonly path: string }[] }>>,
): string[] {
  return Object.entries(outputs).flatMap(([file, { imports }]) =>
    imports.filter(({ path }) => path.startsWith('node:')).map(({ path }) => `${file}: ${path}`),
  )
}
