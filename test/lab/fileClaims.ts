import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { encodeNpy, encodeSafetensors } from 'tpu-toolkit/files'
import { key, normal } from 'tpu-toolkit/random'
import { tensor } from 'tpu-toolkit/tensor'
import { afterAll, describe, expect, it } from 'vitest'
import { readable } from '#text'
import { sampleFile } from '../../lab/sections/file/sampleFile.js'
import type { LabBrowser, OpenLab } from '../support/labPage.js'
import { runCli } from '../support/runCli.js'

/** What the command says of a file, as far as it is compared. */
interface Quantized {
  readonly tensors: readonly { readonly name: string }[]
  readonly rows: readonly {
    readonly tensor: string
    readonly scheme: string
    readonly sqnr: number | string
  }[]
  readonly totals: readonly {
    readonly scheme: string
    readonly way: string
    readonly bits: number
    readonly sqnr: number | string
    readonly clipped: number
    readonly underflowed: number
    readonly maxError: number
    readonly worst: { readonly tensor: string }
  }[]
}

const cells = (page: Page, name: string): Promise<string[][]> =>
  page
    .locator(`section[aria-label="${name}"] tbody tr`)
    .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.innerText)))

const said = (sqnr: number | string): string =>
  sqnr === 'Infinity' || sqnr === Infinity ? 'exact' : readable(Number(sqnr))

/** The memory of the browser's processes that run pages, in bytes. */
async function memoryOf(lab: OpenLab): Promise<number> {
  const session = await lab.browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.reduce((sum, { id, type }) => {
    if (type !== 'renderer') return sum
    const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? []
    return sum + 1024 * Number(kilobytes)
  }, 0)
}

/** What the section is to do, in the lab that is open. */
export function fileClaims(lab: () => OpenLab, browser: LabBrowser): void {
  describe('a file', () => {
    // Of this browser's own: both run in one worker, which loads this file once.
    const folder = mkdtempSync(join(tmpdir(), 'lab-file-'))
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    it('that is the sample has the numbers of the command, sorted by a column, and asks no host for anything', async () => {
      const path = join(folder, 'sample.safetensors')
      writeFileSync(path, sampleFile())
      const { out } = await runCli('quantize', path, '--format', 'mxfp4,nvfp4,float8_e4m3fn', '--json')
      const told = JSON.parse(out) as Quantized
      const { page, context, errors } = await lab().open('#file&formats=float8_e4m3fn%2Cmxfp4%2Cnvfp4', {
        serviceWorkers: 'allow',
      })
      await page.waitForSelector('button:text("Take a sample file")')
      await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
      await page.locator('button:text("Take a sample file")').focus()
      await page.keyboard.press('Enter')
      await page.waitForSelector('.said:has-text("4 tensors quantised")')
      const rows = await cells(page, 'SQNR by tensor and format')
      expect(rows.map(([name]) => name)).toEqual(told.tensors.map(({ name }) => name))
      expect(rows.flatMap((row) => row.slice(3))).toEqual(told.rows.map(({ sqnr }) => said(sqnr)))
      const totals = await cells(page, 'All tensors together')
      expect(totals.map((row) => [...row.slice(0, 3), row[6], row[7]])).toEqual(
        told.totals.map(({ scheme, way, bits, sqnr, maxError, worst }) => [
          ...[`${scheme} ${way}`, readable(bits, 4), said(sqnr), readable(maxError), worst.tensor],
        ]),
      )
      await page.click('button.sort:text("mxfp4")')
      const sorted = (await cells(page, 'SQNR by tensor and format')).map((row) => Number(row[4]))
      expect(sorted).toEqual([...sorted].sort((a, b) => a - b))
      expect(await page.locator('th[aria-sort="ascending"]').innerText()).toContain('mxfp4')
      await page.waitForURL('**sample=1**')
      const refused = await page.evaluate("fetch(location.href).then(() => 'answered', () => 'refused')")
      expect(refused).toBe('refused')
      expect(errors.filter((error) => !error.includes('Content Security Policy'))).toEqual([])
      await context.close()
    })

    it('that is chosen is read where it lies: safetensors and npy, without a request', async () => {
      const x = tensor(normal(key(3), 600), { shape: [20, 30] })
      const { page, context, errors } = await lab().open('#file&formats=bfloat16%2Cmxfp8_e5m2')
      await page.waitForSelector('input[type="file"]')
      await page.setInputFiles('input[type="file"]', {
        name: 'w.safetensors',
        mimeType: '',
        buffer: Buffer.from(encodeSafetensors({ w: x, n: tensor([1], { dtype: 'int32' }) })),
      })
      await page.waitForSelector('.said:has-text("w.safetensors"):has-text("1 tensor quantised")')
      await page.waitForSelector('text=Left out: n (dtype I32).')
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      const [first] = await cells(page, 'SQNR by tensor and format')
      await page.setInputFiles('input[type="file"]', {
        name: 'w.npy',
        mimeType: '',
        buffer: Buffer.from(encodeNpy(x)),
      })
      await page.waitForSelector('.said:has-text("of npy: 1 tensor quantised")')
      const [again] = await cells(page, 'SQNR by tensor and format')
      expect(again!.slice(1)).toEqual(first!.slice(1))
      // The worker's own script, which may be asked for again, the blob of the page that starts it, which is no request to a server, and
      // nothing else.
      const own = /^blob:|\/(workers|chunks)\/\w+\.js$/
      expect(asked.filter((url) => !own.test(url))).toEqual([])
      expect(errors).toEqual([])
      await context.close()
    })

    it.each([
      [
        'cut.safetensors',
        encodeSafetensors({ w: tensor([1, 2, 3, 4]) }).subarray(0, -3),
        'reaches past the 13 bytes of data [w: 16]',
      ],
      ['text.safetensors', Buffer.from('this is a text and no tensors'), 'the header is longer than'],
      ['cut.npy', encodeNpy(tensor([1, 2, 3, 4])).subarray(0, -3), 'needs 16 bytes of data [13]'],
      ['empty.safetensors', new Uint8Array(0), 'shorter than the 8 bytes of a header length [0]'],
    ] as const)('that is broken is named with what is wrong: %s', async (name, bytes, why) => {
      const { page, context } = await lab().open('#file')
      await page.waitForSelector('input[type="file"]')
      await page.setInputFiles('input[type="file"]', { name, mimeType: '', buffer: Buffer.from(bytes) })
      await page.waitForSelector(`.said:has-text("${name} is refused.")`)
      expect(await page.locator('[role="alert"]').innerText()).toContain(why)
      await context.close()
    })

    if (browser === 'firefox') return
    // Once is enough: the library and the page have no branches for browsers here.

    it('of more than 1 GB is read in pieces, the memory steady, and can be stopped', async () => {
      const { page, context } = await lab().open('#file&formats=bfloat16')
      await page.waitForSelector('input[type="file"]')
      // 17 times the same 64 MiB of one Blob: 1.07 GiB to whoever reads it, 64 MiB to the browser.
      await page.evaluate(`(async () => {
        const size = 2 ** 23
        const part = new Blob([Float64Array.from({ length: size }, (_, i) => (i % 1021) / 1024 - 0.4)])
        const entry = { dtype: 'F64', shape: [17 * 64, size / 64], data_offsets: [0, 17 * part.size] }
        let json = JSON.stringify({ big: entry })
        json += ' '.repeat((8 - (json.length % 8)) % 8)
        const header = new Uint8Array(8 + json.length)
        new DataView(header.buffer).setBigUint64(0, BigInt(json.length), true)
        header.set(new TextEncoder().encode(json), 8)
        const files = new DataTransfer()
        files.items.add(new File([header, ...Array(17).fill(part)], 'big.safetensors'))
        globalThis.files = files
      })()`)
      const before = await memoryOf(lab())
      await page.evaluate(`(() => {
        const field = document.querySelector('input[type="file"]')
        field.files = globalThis.files.files
        field.dispatchEvent(new Event('change', { bubbles: true }))
      })()`)
      let [most, ended] = [0, false]
      const end = page
        .waitForSelector('.said:has-text("1 tensor quantised")', { timeout: 150_000 })
        .then(() => {
          ended = true
        })
      while (!ended) {
        most = Math.max(most, await memoryOf(lab()))
        await Promise.race([end, page.waitForTimeout(250)])
      }
      expect(await page.locator('.said').innerText()).toContain('1.06 GiB of safetensors')
      // The worker's program and its tables are some tens of MiB; a copy of the file would be 1,088.
      expect((most - before) / 2 ** 20).toBeLessThan(300)
      const [row] = await cells(page, 'SQNR by tensor and format')
      expect(row!.slice(0, 3)).toEqual(['big', '[1088, 131072]', 'float64'])
      await page.selectOption('label:has-text("how they are applied") select', 'scaled')
      await page.click('button:text-is("Stop")')
      await page.waitForSelector('.said:has-text("stopped at")')
      await context.close()
    }, 180_000)

    it('shows code that runs in the editor with the first values of the tensor', async () => {
      const { page, context } = await lab().open('#file&sample=1&tensor=layer.0.norm')
      await page.waitForSelector('.said:has-text("4 tensors quantised")')
      await page.click('summary:text("Show the code")')
      expect(await page.locator('.show-code code').innerText()).toContain('256 values of layer.0.norm')
      await page.click('text=Open in the editor')
      await page.waitForSelector('.cm-content:has-text("reportPieces")')
      await page.click('button:text-is("Run")')
      await page.waitForSelector('text=It ran to its end')
      expect(await page.locator('.output').innerText()).toContain('mxfp4 floor SQNR 30.')
      await page.goBack()
      await page.waitForSelector('h1:text("A file")')
      await context.close()
    })
  })
}
