import { architectureOf, type ModelConfig, modelNamed } from '../../planning/model/index.js'
import { BadInput } from '../io/badInput.js'

/** What the help says of a model on the command line. */
export const modelHelp = 'llama3-8b, gpt2 ..., or family=decoder,D=4096,F=14336,L=32,N=32,V=128256'

/** A model on the command line: the name of a public one, or its family and letters. */
export function readModel(text: string): ModelConfig {
  const config = text.includes('=') ? lettersOf(text) : modelNamed(text)
  architectureOf(config)
  return config
}

function lettersOf(text: string): ModelConfig {
  const entries = text.split(',').map((part): [string, unknown] => {
    const [name = '', value = ''] = part.split('=').map((side) => side.trim())
    if (name === '' || value === '') {
      throw new BadInput(`a letter and its value are not name=value [${part.slice(0, 50)}]`)
    }
    return [name, valueOf(value)]
  })
  const config = Object.fromEntries(entries)
  if (!isConfig(config)) throw new BadInput(`the model has no family [${text.slice(0, 50)}]`)
  return config
}

function valueOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  // Widths of dense layers: 784x512x10.
  if (/^\d+(x\d+)+$/.test(text)) return text.split('x').map(Number)
  return Number.isNaN(Number(text)) ? text : Number(text)
}

/** The rest is checked by whoever takes the configuration. */
function isConfig(record: Record<string, unknown>): record is Record<string, unknown> & ModelConfig {
  return typeof record['family'] === 'string'
}
