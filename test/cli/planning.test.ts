import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chip, chipNames, slice } from 'tpu-toolkit/hardware'
import { findOptimalBatchSize, modelNamed, parameterCount } from 'tpu-toolkit/model'
import { auditConfig } from 'tpu-toolkit/mxu'
import { operationBounds, servingPlan, trainingStep } from 'tpu-toolkit/roofline'
import { afterAll, describe, expect, it } from 'vitest'
import { runCli } from '../support/runCli.js'

const folder = mkdtempSync(join(tmpdir(), 'planning-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const json = async (...args: string[]) => JSON.parse((await runCli(...args, '--json')).out)

describe('chips', () => {
  it('lists every generation, and of one each fact with its source', async () => {
    const { status, out, error } = await runCli('chips')
    expect({ status, error }).toEqual({ status: 0, error: '' })
    for (const name of chipNames) expect(out).toContain(name)
    expect((await runCli('chips', 'v3')).out).toContain('1.4e14 (book)')
  })

  it('--json is the records themselves', async () => {
    expect((await json('chips', 'v5p')).chips).toEqual([JSON.parse(JSON.stringify(chip('v5p')))])
    const { slices } = await json('chips', 'v5e', '--slices')
    expect(slices.map(({ name }: { name: string }) => name)).toContain(slice('v5e-64').name)
  })

  it('an unknown generation ends with 2 and the nearest one', async () => {
    expect(await runCli('chips', 'v7x')).toEqual({
      status: 2,
      out: '',
      error: 'chips: unknown chip, did you mean tpu7x [v7x]\n',
    })
  })
})

describe('plan', () => {
  it('--json has the batch, the memory and the step that the library gives', async () => {
    const plan = await json('plan', 'llama3-8b', '--slice', 'v6e-64')
    const config = modelNamed('llama3-8b')
    const { batch, memory } = findOptimalBatchSize(config, {
      slice: 'v6e-64',
      sequence: 4096,
      remat: 'block',
      paramsDtype: 'float32',
    })
    expect([plan.batch, plan.memory.bytesPerDevice]).toEqual([batch, memory.bytesPerDevice])
    const step = trainingStep(config, { slice: 'v6e-64', batch, sequence: 4096, remat: 'block' })
    expect([plan.step.lowerBoundSeconds, plan.step.estimateSeconds]).toEqual([
      step.lowerBoundSeconds,
      step.estimateSeconds,
    ])
    expect(plan.parameters.total).toBe(parameterCount(config))
  })

  it('says memory, bound, time and what is assumed', async () => {
    const { status, out } = await runCli('plan', 'mixtral-8x7b', '--slice', 'v5p-512', '--batch', '256')
    expect(status).toBe(0)
    for (const said of [
      '4.67e10 parameters, 1.29e10 active',
      'fits',
      'lower bound',
      'estimate',
      'Assumed:',
    ]) {
      expect(out).toContain(said)
    }
  })

  it('--pipeline has the stages, as text, as JSON and as a page', async () => {
    const asked = [
      'plan',
      'llama3-70b',
      '--slice',
      'v5p-128',
      '--batch',
      '512',
      '--pipeline',
      '4',
      '--virtual',
      '2',
    ]
    const { status, out } = await runCli(...asked)
    expect(status).toBe(0)
    expect(out).toContain(
      'Pipeline interleaved: 4 stages, 16 microbatches, 2 groups of layers in each stage.',
    )
    expect(out).toContain('in flight')
    expect(out).toContain('no published run with pipeline parallelism')
    const plan = await json(...asked, '--microbatches', '32')
    expect(plan.memory.stages.map(({ inFlight }: { inFlight: number }) => inFlight)).toEqual([
      5.5, 4.5, 3.5, 2.5,
    ])
    expect(plan.step.kind).toBe('bound')
    const page = join(folder, 'pipeline.html')
    await runCli(...asked, '--out', page)
    expect(readFileSync(page, 'utf8')).toContain('<title>interleaved: 4 stages, 16 microbatches')
    const wrong = await runCli('plan', 'llama3-70b', '--microbatches', '4')
    expect(wrong).toMatchObject({ status: 2, error: expect.stringContaining('--pipeline') })
  })

  it('--serve has the bound, the figure at peak rates and the range, as text, as JSON and as a page', async () => {
    const asked = ['plan', 'qwen3-32b', '--serve', '--slice', 'v6e-4', '--batch', '64']
    const expected = servingPlan(modelNamed('qwen3-32b'), {
      slice: 'v6e-4',
      batch: 64,
      input: 1024,
      output: 1024,
    })
    const { status, out } = await runCli(...asked)
    expect(status).toBe(0)
    expect(out).toContain('17.1 % to 59.6 % of that at peak rates, as 21 published runs')
    expect(out).toContain(Math.round(expected.tokensPerSecondBound).toLocaleString('en-US'))
    const served = await json(...asked)
    expect(served.tokensPerSecondEstimate).toEqual(expected.tokensPerSecondEstimate)
    const bound = await json(
      'plan',
      'llama3-70b',
      '--serve',
      '--slice',
      'v5e-16',
      '--weights',
      'int8',
      '--cache',
      'int8',
    )
    expect([bound.kind, bound.tokensPerSecondEstimate]).toEqual(['bound', null])
    const drafted = await json(
      ...asked,
      '--drafted',
      '2',
      '--accept',
      '0.5,0.25',
      '--draft',
      'qwen3-8b',
      '--chunk',
      '512',
    )
    expect([drafted.decode.tokens, drafted.prefill.chunks, drafted.kind]).toEqual([1.75, 2, 'bound'])
    const page = join(folder, 'serve.html')
    await runCli(...asked, '--out', page)
    expect(readFileSync(page, 'utf8')).toContain(
      'At most 4,678 generated tokens a second; 674 to 2,349 by published servers.',
    )
    // More requests than fit.
    expect((await runCli(...asked.slice(0, -1), '512')).status).toBe(1)
    expect(await runCli(...asked, '--accept', '0.5')).toMatchObject({
      status: 2,
      error: expect.stringContaining('belong to --drafted'),
    })
  })

  it('a model by its letters, split as asked', async () => {
    const plan = await json(
      'plan',
      'family=mamba2,D=2048,L=48',
      '--slice',
      'v5e-64',
      '--batch',
      '64',
      '--tensor',
      '4',
    )
    expect(plan.memory.split).toEqual({ data: 1, fsdp: 16, tensor: 4, expert: 1 })
  })

  it('the table of parameters holds what the memory counts', async () => {
    const plan = await json('plan', 'llama3-70b', '--slice', 'v5p-128', '--batch', '64', '--tensor', '4')
    const held = plan.sharding.parameters.reduce(
      (sum: number, { shardShape, copies }: { shardShape: number[]; copies: number }) =>
        sum + shardShape.reduce((n, size) => n * size, copies),
      0,
    )
    expect(4 * held).toBe(plan.memory.perDevice.weights)
    const down = plan.sharding.parameters.find(({ name }: { name: string }) => name === 'layer.mlp.down')
    expect(down.spec).toEqual(['tensor', 'fsdp'])
  })

  it('what is kept by name, and ways that share positions', async () => {
    const asked = [
      'plan',
      'llama3-70b',
      '--slice',
      'tpu7x-512',
      '--batch',
      '64',
      '--sequence',
      '131072',
    ] as const
    const ways = ['--fsdp', '64', '--context', '8', '--save', 'context,q', '--offload', 'decoder_layer_input']
    const plan = await json(...asked, ...ways)
    expect(plan.memory.split).toEqual({ data: 1, fsdp: 64, tensor: 1, expert: 1, context: 8 })
    expect(plan.memory.host.activations).toBeGreaterThan(0)
    expect(plan.step.kind).toBe('estimate')
    const { status, error } = await runCli('plan', 'gpt2', '--remat', 'dots', '--save', 'q')
    expect([status, error]).toEqual([
      2,
      'plan: --save, --offload and --every belong to --remat block [dots]\n',
    ])
  })

  it('a batch that does not fit ends with 1', async () => {
    const { status, out } = await runCli('plan', 'llama3-70b', '--slice', 'v5e-8', '--batch', '8')
    expect(status).toBe(1)
    expect(out).toContain('does not fit')
  })

  it.each([
    [
      ['llama3-70b', '--slice', 'v5e-8'],
      /^plan: one sequence for each way takes .* nearest that fits v5e-128 \(8x16\)\n$/,
    ],
    [['llama9'], /^plan: modelNamed: unknown model/],
    [['D=4'], /^plan: the model has no family/],
    [['family=gpt2,D'], /^plan: a letter and its value are not name=value \[D\]/],
    [['family=gpt2,D=100,L=2,N=3'], /^plan: architectureOf: N heads do not divide D, nearest N 2/],
    [['gpt2', '--slice', 'v5e-9'], /^plan: slice: v5e has no slice of 9 chips/],
    [['gpt2', '--tensor', '5'], /^plan: .*the split multiplies to 5 devices and v5p-128 has 64/],
    [['gpt2', '--remat', 'none'], /^plan: unknown policy \[none\]/],
    [['gpt2', '--batch', '0'], /^plan: --batch is not a whole number/],
  ])('%j is refused with 2 and one line', async (args, message) => {
    const { status, out, error } = await runCli('plan', ...args)
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(error).toMatch(message)
  })
})

describe('roofline', () => {
  it('--json has the operations of the library', async () => {
    const { operations } = await json('roofline', 'gpt2', '--chip', 'v6e', '--sequence', '128')
    const listed = operationBounds(modelNamed('gpt2'), { chip: 'v6e', batch: 1, sequence: 128 })
    // Infinity, of no bytes, is null in JSON.
    expect(operations).toEqual(JSON.parse(JSON.stringify(listed)))
  })

  it('decoding is bound by HBM', async () => {
    const { out } = await runCli(
      'roofline',
      'llama3-8b',
      '--sequence',
      '1',
      '--context',
      '8192',
      '--pass',
      'forward',
    )
    expect(out).not.toMatch(/ compute$/m)
  })
})

describe('audit', () => {
  it('--json is the audit of the library', async () => {
    const audit = auditConfig({ dModel: 1024, nLayers: 24, slice: 'v5p-8', remat: 'block' })
    expect(await json('audit', 'M')).toEqual(JSON.parse(JSON.stringify(audit)))
  })

  it('misaligned heads end with 1', async () => {
    const { status, out } = await runCli('audit', '--d-model', '1536', '--layers', '12', '--heads', '32')
    expect(status).toBe(1)
    expect(out).toMatch(/error\s+headDim/)
  })

  it('no size and no width end with 2', async () => {
    expect((await runCli('audit')).error).toMatch(/^audit: --d-model is not a whole number/)
    expect((await runCli('audit', 'XXL')).error).toMatch(/^audit: unknown size/)
  })
})

describe('--out', () => {
  it.each([
    ['chips', 'v5p'],
    ['plan', 'gpt2', '--slice', 'v5e-8'],
    ['roofline', 'gpt2'],
    ['audit', 'M'],
  ])('%s %s writes a page that needs nothing else', async (...args) => {
    const path = join(folder, `${args[0]}.html`)
    const { out } = await runCli(...args, '--out', path)
    expect(out).toContain(`Written: ${path}`)
    const page = existsSync(path) ? readFileSync(path, 'utf8') : ''
    expect(page).toMatch(/^<!doctype html>/)
    expect(page).not.toMatch(/<script\s|<link|src="/)
  })
})
