import { readFileSync } from 'node:fs'
import { encodeNpz, readSafetensors } from 'tpu-toolkit/files'
import type { Tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import type { LabBrowser, OpenLab } from '../support/labPage.js'
import { root } from '../support/project.js'
import { runCli } from '../support/runCli.js'

const folder = `${root}examples/jax/`

/** What the section is to do, in the lab that is open. */
export function jaxClaims(lab: () => OpenLab, browser: LabBrowser): void {
  describe('a JAX program', () => {
    it('is there at once: the step and the line of its NaN as the command finds them, its lines, and an operation by its values', async () => {
      const { page, errors, context } = await lab().open('#jax')
      const { out } = await runCli(
        ...['program', 'nan', `${folder}ssm.mlir`, '--inputs', `${folder}ssm.safetensors`],
        ...['--steps', '20', '--carry', '--json'],
      )
      const known = JSON.parse(out) as { step: number; output: string; found: { site: string } }
      const said = `step ${known.step} of at most 20 is the first with a value that is not finite, in ${known.output}.`
      await page.waitForSelector(`.said:has-text(${JSON.stringify(said)})`)
      await page.waitForSelector('.said:has-text("Unrounded, ssm.py:13 alone would gain")')
      expect(await page.locator('#origin + p').innerText()).toBe(
        `${known.found.site.replace(/:\d+$/, '')}: states = jnp.exp(-s) * jnp.cumsum(jnp.exp(s) * x)`,
      )
      const lines = await page.locator('section[aria-label="The program by lines"] tbody tr').allInnerTexts()
      expect(lines.map((line) => line.split('\t')[0])).toEqual(
        [12, 13, 14, 15, 19, 24].map((line) => `ssm.py:${line}`),
      )
      await page.click('button:text-is("ssm.py:13")')
      await page.click('button:has-text("cumsum")')
      await page.waitForSelector('section[aria-label="Elements"]')
      const [first] = await page.locator('section[aria-label="Elements"] tbody tr').allInnerTexts()
      expect(first).toMatch(/^0\t1\.3671875\t1\.365\d+\t0$/)
      expect(errors).toEqual([])
      await context.close()
    })

    it('is taken from the reader, with inputs of numpy and the source of its lines', async () => {
      const { page, errors, context } = await lab().open('#jax&steps=1')
      const { tensors } = readSafetensors(`${folder}ssm.safetensors`)
      const mlir = { name: 'own.mlir', mimeType: '', buffer: readFileSync(`${folder}ssm.mlir`) }
      const npz = {
        name: 'own.npz',
        mimeType: '',
        buffer: Buffer.from(encodeNpz(tensors as Record<string, Tensor>, { compress: true })),
      }
      const python = { name: 'ssm.py', mimeType: '', buffer: readFileSync(`${folder}ssm.py`) }
      await page.waitForSelector('input[type="file"]')
      await page.setInputFiles('input[type="file"]', [mlir, npz, python])
      await page.waitForSelector('.said:has-text("own.mlir: every result of the run is finite.")')
      await page.waitForSelector('td:has-text("decay = jax.nn.softplus")')
      await page.setInputFiles('input[type="file"]', [
        { name: 'bad.mlir', mimeType: '', buffer: Buffer.from('module { func.func @main() { nonsense } }') },
      ])
      await page.waitForSelector('.said:has-text("bad.mlir is refused.")')
      expect(await page.locator('[role="alert"]').innerText()).toMatch(/bad\.mlir is refused:.*1:\d+/)
      await page.setInputFiles('input[type="file"]', [npz])
      await page.waitForSelector('text=none of these files is a program')
      expect(errors).toEqual([])
      await context.close()
    })

    if (browser === 'firefox') return

    it('is an ONNX model too, whose arguments are drawn where no file gives them', async () => {
      const { page, errors, context } = await lab().open('#jax')
      await page.waitForSelector('input[type="file"]')
      await page.setInputFiles('input[type="file"]', `${root}examples/onnx/layer_norm.onnx`)
      await page.waitForSelector('.said:has-text("layer_norm.onnx: every result of the run is finite.")')
      await page.waitForSelector('text=Drawn at random, since no file has them: ')
      await page.waitForSelector('section[aria-label="The program by lines"] tbody tr')
      expect(errors).toEqual([])
      await context.close()
    })
  })
}
