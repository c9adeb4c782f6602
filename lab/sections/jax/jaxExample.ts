import type { JaxProgram } from './jaxMessages.js'

/** The programs that are there at once, by the names of their files. */
export const jaxExampleNames = ['ssm', 'transformer'] as const

/** A program that the page has, fetched when it is asked for. */
export async function jaxExample(name: (typeof jaxExampleNames)[number]): Promise<JaxProgram> {
  const { story } = (await import(new URL(`jax-${name}.js`, document.baseURI).href)) as {
    story: { readonly text: string; readonly inputs: string; readonly source: string }
  }
  const inputs = Uint8Array.from(atob(story.inputs), (character) => character.charCodeAt(0))
  return {
    name: `${name}.mlir`,
    text: new Blob([story.text]),
    inputs: { name: `${name}.safetensors`, data: new Blob([inputs]) },
    sources: [{ name: `${name}.py`, text: story.source }],
  }
}

/** The program among files that were dropped, with its inputs and sources; why there is none as a text. */
export async function jaxFiles(files: readonly File[]): Promise<JaxProgram | string> {
  const program = files.find(({ name }) => /\.(mlir|stablehlo|txt|onnx)$/.test(name))
  if (!program) {
    return 'none of these files is a program: .mlir as as_text(debug_info=True) writes it, or .onnx'
  }
  const inputs = files.find(({ name }) => /\.(safetensors|npz|npy)$/.test(name))
  const python = files.filter(({ name }) => name.endsWith('.py'))
  return {
    name: program.name,
    text: program,
    inputs: inputs && { name: inputs.name, data: inputs },
    sources: await Promise.all(python.map(async (file) => ({ name: file.name, text: await file.text() }))),
  }
}
