import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A program of `examples/jax` as the lab opens it: its text, its inputs in base64, the Python that was lowered. */
export interface JaxExample {
  readonly name: string
  readonly text: string
  readonly inputs: string
  readonly source: string
}

/** The programs of `examples/jax`. */
export function jaxExamples(root: string): JaxExample[] {
  return ['ssm', 'transformer'].map((name) => {
    const read = (ending: string): Buffer => readFileSync(join(root, `examples/jax/${name}.${ending}`))
    return {
      name,
      text: read('mlir').toString('utf8'),
      inputs: read('safetensors').toString('base64'),
      source: read('py').toString('utf8'),
    }
  })
}
