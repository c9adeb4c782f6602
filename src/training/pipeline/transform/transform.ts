import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { RecordContext } from './recordContext.js'

/** A function of one record. It must not depend on what it saw before: records come in any order, in any thread. */
export type RecordFunction<In, Out> = (record: In, context: RecordContext) => Out | Promise<Out>

/**
 * A transform with parameters, as a class: what its constructor prepares is used for every record. Exported from a module
 * and named by `fromModule`, it is constructed once in each worker.
 */
export abstract class BaseTransform<In = unknown, Out = unknown> {
  /** What becomes of a record; of a filter, whether it stays. */
  abstract apply(record: In, context: RecordContext): Out | Promise<Out>
}

declare const types: unique symbol

/** A transform named by its module and export, so that it can be found again in a worker. */
export interface ModuleTransform<In = unknown, Out = unknown> {
  readonly href: string
  readonly exportName: string
  readonly options: unknown
  /** Never there; holds the types. */
  readonly [types]?: (record: In) => Out
}

/** A transform in any of its forms. */
export type Transform<In, Out> = RecordFunction<In, Out> | BaseTransform<In, Out> | ModuleTransform<In, Out>

/**
 * Names a transform by the module that exports it: a function (record, context) => result, or a class whose instances
 * have a method `apply(record, context)` and whose constructor takes `options`. Closures cannot go to another thread;
 * this can, and without workers it runs in this one.
 *
 * `module` is a URL (`new URL('./tokenize.js', import.meta.url)`), an absolute path, or a package's name.
 *
 * Special   records, results and options cross as `structuredClone` copies them, tensors as tensors.
 */
export function fromModule<In = unknown, Out = unknown>(
  module: string | URL,
  exportName: string,
  options?: unknown,
): ModuleTransform<In, Out> {
  const text = String(module)
  if (text.startsWith('.')) {
    throw new RangeError(
      `fromModule: a relative path has no fixed place, give a URL or an absolute path [${text}]`,
    )
  }
  if (typeof exportName !== 'string' || exportName === '') {
    throw new TypeError(`fromModule: an export has a name [${String(exportName)}]`)
  }
  return { href: isAbsolute(text) ? pathToFileURL(text).href : text, exportName, options }
}

/** Whether a transform is named by module and export. */
export function isModuleTransform(transform: unknown): transform is ModuleTransform {
  return typeof (transform as Partial<ModuleTransform> | undefined)?.href === 'string'
}
