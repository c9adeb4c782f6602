import type { Socket } from 'node:net'
import { runStep2750 } from 'tpu-toolkit/step2750'
import { labSections } from '../../lab/shell/sections.js'
import { openLab } from '../support/labPage.js'

// What the lab takes in a browser, one line a figure: `npm run lab:figures`, on a machine that does nothing else.

const lab = await openLab()
try {
  console.log(`JavaScript before the first section: ${(lab.built.initialBytes / 1000).toFixed(1)} kB gzipped`)
  const sum = lab.built.files.reduce((total, { gzipped }) => total + gzipped, 0)
  console.log(`all files: ${(sum / 1000).toFixed(0)} kB gzipped`)

  // What goes over the wire, heads too: the page first, then every section in the same visit.
  const sockets = new Set<Socket>()
  lab.server.on('connection', (socket) => sockets.add(socket))
  const sent = (): string =>
    `${([...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0) / 1000).toFixed(0)} kB`
  const visit = await lab.open()
  await visit.page.waitForSelector('.cards')
  await visit.page.waitForLoadState('networkidle')
  console.log(`transferred for the start, the recorded run and all cards: ${sent()}`)
  for (const { id } of labSections) {
    await visit.page.goto(`${lab.url}#${id}`)
    await visit.page.waitForSelector('main[aria-busy="false"] h1')
    await visit.page.waitForLoadState('networkidle')
    await visit.page.waitForTimeout(1000)
    console.log(`transferred, with #${id}: ${sent()}`)
  }
  await visit.context.close()

  const first = await lab.open('#nan&rate=2.75e-3')
  await first.page.waitForSelector('canvas')
  const shown = await first.page.evaluate<number>('performance.now()')
  console.log(`first chart: ${shown.toFixed(0)} ms after the navigation began`)
  await first.context.close()

  const options = { lr: 2.75e-3, steps: 330 }
  runStep2750(options)
  const began = performance.now()
  runStep2750(options)
  const inNode = performance.now() - began
  const { page, context } = await lab.open('#number')
  const inPage = await page.evaluate<number>(`new Promise((done) => {
    const worker = new Worker('workers/nan.js', { type: 'module' })
    let runs = 0
    worker.onmessage = ({ data }) => {
      if (!data.end) return
      if (++runs === 2) done(data.end.milliseconds)
      else worker.postMessage({ options: ${JSON.stringify(options)} })
    }
    worker.postMessage({ options: ${JSON.stringify(options)} })
  })`)
  console.log(
    `a run to NaN of 275 steps, the second in its process: ${inNode.toFixed(0)} ms in Node, ${inPage.toFixed(0)} ms in a worker of the page, ${(inPage / inNode).toFixed(2)} times`,
  )
  const drawn = await page.evaluate<number>(`new Promise((done) => {
    location.hash = 'drift&power=12'
    const times = []
    const step = () => {
      const slider = document.querySelector('select')
      const label = [...document.querySelectorAll('label')].find((one) => one.textContent.startsWith('series'))
      const select = label?.querySelector('select')
      const said = document.querySelector('.said')
      if (!select || !said?.textContent) return setTimeout(step, 50)
      // Told by the page itself: asking at every frame would add half a frame.
      const seen = new MutationObserver(() => {
        times.push(performance.now() - began)
        seen.disconnect()
        if (times.length < 30) return setTimeout(step, 30)
        done(times.slice(10).sort((a, b) => a - b)[10])
      })
      seen.observe(said, { characterData: true, childList: true, subtree: true })
      const began = performance.now()
      select.value = select.value === 'tenths' ? 'ones' : 'tenths'
      select.dispatchEvent(new Event('change', { bubbles: true }))
    }
    setTimeout(step, 1500)
  })`)
  console.log(
    `a change of the drift explorer at 4,096 values, to the sentence that says it: ${drawn.toFixed(1)} ms, median of 20`,
  )
  await context.close()
} finally {
  await lab.close()
}
