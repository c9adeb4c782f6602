import { parameterCount } from 'tpu-toolkit/model'
import {
  auditConfig,
  auditText,
  checkMxuAlignment,
  chinchillaTokens,
  estimateParams,
  getTshirt,
  rematNeeded,
} from 'tpu-toolkit/mxu'
import { describe, expect, it } from 'vitest'
import { readText } from '../support/project.js'

interface SizeKey {
  readonly name: 'S'
  readonly d_model: number
  readonly n_layers: number
  readonly seed_formula: number
  readonly mamba2_body: number
  readonly readme: string
}
const {
  seed_estimate_params: keys,
}: { readonly seed_estimate_params: { readonly sizes: readonly SizeKey[] } } = JSON.parse(
  readText('test/golden/planning/params.json'),
)

describe('checkMxuAlignment(options)', () => {
  it.each([
    [64, 0.5, 0.75],
    [96, 0.25, 0.625],
    [128, 0, 0.5],
    [192, 0.25, 0.25],
    [256, 0, 0],
  ])('heads of %i waste %d on 128 and %d on 256', (headDim, on128, on256) => {
    const at = (chip: 'v5p' | 'v6e') =>
      checkMxuAlignment({ dModel: headDim * 8, nHeads: 8, chip }).sizes.find(({ name }) => name === 'headDim')
        ?.waste
    expect([at('v5p'), at('v6e')]).toEqual([on128, on256])
  })

  it('the width of a head is dModel * expand / nHeads', () => {
    expect(checkMxuAlignment({ dModel: 1024, nHeads: 16, expand: 2 }).headDim).toBe(128)
    expect(checkMxuAlignment({ dModel: 1024, nHeads: 7, headDim: 100 }).headDim).toBe(100)
  })

  it('suggests heads that fill tiles over the same inner width, and what they save', () => {
    const { suggestions, aligned } = checkMxuAlignment({ dModel: 1536, nHeads: 8 })
    expect(aligned).toBe(false)
    // Heads of 192 take two tiles each, 16 passes; heads of 128 one, 12 passes.
    expect(suggestions[0]).toEqual({
      change: 'nHeads 6: heads of 256',
      saves: 0.25,
      of: 'passes of attention',
    })
    expect(suggestions[1]).toEqual({
      change: 'nHeads 12: heads of 128',
      saves: 0.25,
      of: 'passes of attention',
    })
  })

  it('every suggestion of heads is aligned', () => {
    for (const chip of ['v5p', 'tpu7x'] as const) {
      for (const nHeads of [4, 8, 12, 16, 24, 32, 48]) {
        for (const { change } of checkMxuAlignment({ dModel: 3072, nHeads, chip }).suggestions) {
          const heads = Number(/^nHeads (\d+)/.exec(change)?.[1])
          const again = checkMxuAlignment({ dModel: 3072, nHeads: heads, chip })
          expect(again.sizes.find(({ name }) => name === 'headDim')?.waste).toBe(0)
        }
      }
    }
  })

  it('50257 tokens are 50304 in tiles', () => {
    const { sizes, suggestions } = checkMxuAlignment({ dModel: 768, nHeads: 6, vocabulary: 50257 })
    expect(sizes.find(({ name }) => name === 'vocabulary')).toMatchObject({
      below: 50176,
      above: 50304,
      tiles: 393,
    })
    expect(suggestions.map(({ change }) => change)).toEqual(['vocabulary 50304'])
  })

  it.each([
    [
      { dModel: 1024, nHeads: 12 },
      'checkMxuAlignment: heads do not divide the inner width, nearest nHeads 8 [1024 / 12]',
    ],
    [{ dModel: 1024, nHeads: 8, chip: 'v7x' }, 'chip: unknown chip, did you mean tpu7x [v7x]'],
    [{ dModel: 1024 }, 'checkMxuAlignment: option nHeads is missing [dModel]'],
    [{ dModel: 1024, nHeads: 8, d_ff: 1 }, 'checkMxuAlignment: unknown option, did you mean dFf [d_ff]'],
    [
      { dModel: 1024, nHeads: 8, vocabulary: 0.5 },
      'checkMxuAlignment: vocabulary is not a whole number, 1 or more [0.5]',
    ],
  ])('%j is refused: %s', (options, message) => {
    expect(() => checkMxuAlignment(options as never)).toThrow(new RangeError(message))
  })
})

describe('the sizes and rules of the Python toolkit', () => {
  it.each(keys.sizes)('getTshirt($name) has the parameters of its own formula, not $readme', (key) => {
    expect(getTshirt(key.name)).toEqual({
      ...{ name: key.name, dModel: key.d_model, nLayers: key.n_layers },
      ...{ parameters: key.seed_formula, printed: key.readme },
    })
    expect(estimateParams(key.d_model, key.n_layers)).toBe(key.seed_formula)
  })

  it.each(keys.sizes)('Mamba-2 of size $name has $mamba2_body parameters in its body', (key) => {
    const { d_model, n_layers, mamba2_body } = key
    // The last norm is counted with the body, the embedding is not.
    expect(parameterCount({ family: 'mamba2', D: d_model, L: n_layers, V: 1 }) - d_model).toBe(mamba2_body)
  })

  it('getTshirt refuses other sizes', () => {
    expect(() => getTshirt('XXL' as never)).toThrow(/^getTshirt: unknown size/)
  })

  it('chinchillaTokens is 20 a parameter', () => expect(chinchillaTokens(148.2e6)).toBe(2.964e9))

  it('rematNeeded compares one float32 array a layer with half of the HBM', () => {
    const half = 95 * 2 ** 30 * 0.5
    const tokens = Math.floor(half / (24 * 1024 * 4))
    const at = (sequence: number) => rematNeeded({ nLayers: 24, batch: 1, sequence, dModel: 1024 })
    expect([at(tokens), at(tokens + 1)]).toEqual([false, true])
  })
})

describe('auditConfig(options)', () => {
  const audit = auditConfig({ dModel: 1024, nLayers: 24 })

  it('does not print 148.2M: the formula gives 164.3M, the exact count is said beside it', () => {
    expect(audit.estimatedParameters).toBe(164_304_896)
    expect(audit.parameters).toBe(parameterCount({ family: 'mamba2', D: 1024, L: 24, H: 16 }))
    expect(audit.chinchillaTokens).toBe(20 * audit.parameters)
  })

  it('counts gradients and activations, against the memory that programs may use', () => {
    const { perDevice, usableBytesPerDevice } = audit.memory
    expect(perDevice.gradients).toBeGreaterThan(0)
    expect(perDevice.activations).toBeGreaterThan(0)
    expect(usableBytesPerDevice).toBe(Math.floor(95.73 * 2 ** 30))
    expect(audit.memory.devices).toBe(4)
  })

  it('names misaligned heads with evidence and remedy', () => {
    const { findings } = auditConfig({ dModel: 1536, nLayers: 12, nHeads: 32 })
    expect(findings[0]).toEqual({
      about: 'headDim',
      verdict: 'error',
      evidence: "96 of 128 on v5p's arrays of 128: 25.0 % idle at most",
      remedy:
        'nHeads 24: heads of 128 (saves 25.0 % of the passes of attention), or nHeads 12: heads of 256 (saves 25.0 % of the passes of attention)',
    })
  })

  it('says what the published report has wrong', () => {
    const said = audit.corrections.map(({ published }) => published).join('\n')
    for (const claim of ['148.2M', '7B', '50 %', '1.5 GB', '8 chips', 'Tensor Cores']) {
      expect(said).toContain(claim)
    }
  })

  it('a model that does not fit is an error with a remedy', () => {
    const { findings } = auditConfig({ dModel: 8192, nLayers: 64, slice: 'v5e-4' })
    expect(findings.find(({ about }) => about === 'memory')?.verdict).toBe('error')
  })

  it('auditText says every finding, and JSON keeps the record', () => {
    const text = auditText(audit)
    for (const { about } of audit.findings) expect(text).toContain(about)
    expect(JSON.parse(JSON.stringify(audit))).toMatchObject({ estimatedParameters: 164_304_896 })
  })

  it.each([
    [{ dModel: 1024 }, 'auditConfig: option nLayers is missing [dModel]'],
    [{ dModel: 1024, nLayers: 0 }, 'auditConfig: nLayers is not a whole number, 1 or more [0]'],
    [{ dModel: 1024, nLayers: 2, slice: 'v5p-9' }, /^slice: v5p has no slice of 4.5 chips/],
    [
      { dModel: 1024, nLayers: 2, batch: 3 },
      'estimateMemory: 4 devices share the batch and do not divide it, nearest 4 [3]',
    ],
  ])('%j is refused', (options, message) => {
    expect(() => auditConfig(options as never)).toThrow(message)
  })
})
