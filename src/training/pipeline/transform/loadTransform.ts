import { type BaseTransform, isModuleTransform, type RecordFunction, type Transform } from './transform.js'

/** A transform ready to run, with the name that errors give it. */
export interface LoadedTransform {
  readonly name: string
  readonly run: RecordFunction<unknown, unknown>
}

/** Makes any form of a transform ready, importing the module that it names. */
export async function loadTransform(transform: Transform<unknown, unknown>): Promise<LoadedTransform> {
  if (typeof transform === 'function') {
    const run = transform as RecordFunction<unknown, unknown>
    return { name: transform.name || 'a function', run }
  }
  if (!isModuleTransform(transform)) {
    return { name: transform.constructor.name, run: (record, context) => transform.apply(record, context) }
  }
  const { href, exportName: name, options } = transform
  let found: unknown
  try {
    found = ((await import(/* @vite-ignore */ href)) as Record<string, unknown>)[name]
  } catch (error) {
    throw new RangeError(`fromModule: cannot load the module [${href}: ${(error as Error).message}]`, {
      cause: error,
    })
  }
  if (found === undefined) {
    throw new RangeError(`fromModule: the module has no export of this name [${name} of ${href}]`)
  }
  if (typeof found !== 'function') {
    throw new TypeError(`fromModule: neither a function nor a class [${name} of ${href}]`)
  }
  // By its method, not by instanceof: the module may have loaded another copy of this package.
  if (typeof (found.prototype as Partial<BaseTransform> | undefined)?.apply === 'function') {
    const made = new (found as new (options: unknown) => BaseTransform)(options)
    return { name, run: (record, context) => made.apply(record, context) }
  }
  if (options !== undefined) {
    throw new RangeError(
      `fromModule: a function takes no options, export a class with apply [${name} of ${href}]`,
    )
  }
  return { name, run: found as RecordFunction<unknown, unknown> }
}
