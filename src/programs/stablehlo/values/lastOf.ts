/** A function of something that mostly is the same as before: what it gave for that is kept. */
export function lastOf<K extends object, A extends readonly unknown[], R>(
  f: (key: K, ...rest: A) => R,
): (key: K, ...rest: A) => R {
  const kept = new WeakMap<K, { readonly result: R }>()
  return (key, ...rest) => {
    const before = kept.get(key)
    if (before) return before.result
    const result = f(key, ...rest)
    kept.set(key, { result })
    return result
  }
}
