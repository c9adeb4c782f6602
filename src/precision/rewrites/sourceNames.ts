import { pathsOf, type Treelike } from '../../tensors/tree/index.js'

/**
 * What the leaves of a function's inputs are called in its source: `N` of `({ N }) => ...`, `p.w` of `(p) => ...`, `a` of
 * `([a, b]) => ...`. Where the source cannot be read, x, x[0], or the path itself.
 */
export function sourceNames(f: (...args: never[]) => unknown, inputs: Treelike): string[] {
  const paths = pathsOf(inputs, { op: 'suggestRewrites' }).map(({ path }) => path)
  const [, plain, braces, brackets] =
    /^(?:async\s+)?(?:function\b[^(]*)?\(?\s*(?:([\w$]+)\s*(?:=>|[,)=:])|\{([^{}]*)\}|\[([^[\]]*)\])/.exec(
      Function.prototype.toString.call(f),
    ) ?? []
  const locals = new Map<string, string>()
  for (const part of braces?.split(',') ?? []) {
    const [, key, local] = /^\s*([\w$]+)(?:\s*:\s*([\w$]+))?/.exec(part) ?? []
    if (key !== undefined) locals.set(key, local ?? key)
  }
  for (const [i, part] of (brackets?.split(',') ?? []).entries()) {
    const [, local] = /^\s*([\w$]+)/.exec(part) ?? []
    if (local !== undefined) locals.set(String(i), local)
  }
  return paths.map((path) => {
    if (path === '') return plain ?? 'x'
    const [first, ...rest] = path.split('.')
    const root = locals.get(first!)
    if (root !== undefined) return root + rest.map(member).join('')
    if (plain === undefined && /^[A-Za-z_$]/.test(first!)) return first + rest.map(member).join('')
    return (plain ?? 'x') + [first!, ...rest].map(member).join('')
  })
}

function member(key: string): string {
  if (/^\d+$/.test(key)) return `[${key}]`
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `['${key}']`
}
