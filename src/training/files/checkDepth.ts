import { Tensor } from '../../tensors/tensor/index.js'
import { maxDepth } from './strictJson.js'

/**
 * Throws a RangeError for a tree whose objects and arrays nest deeper than 128 levels, as one that holds itself does: what
 * walks it by calling itself would end in an error of the engine.
 */
export function checkDepth(op: string, tree: unknown): void {
  let level: unknown[] = [tree]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) {
      throw new RangeError(`${op}: the tree nests deeper than ${maxDepth} levels [${depth}]`)
    }
    const next = new Set<unknown>()
    for (const node of level) {
      if (typeof node !== 'object' || node === null || node instanceof Tensor || ArrayBuffer.isView(node)) {
        continue
      }
      for (const child of Array.isArray(node) ? node : Object.values(node)) {
        if (typeof child === 'object' && child !== null) next.add(child)
      }
    }
    level = [...next]
  }
}
