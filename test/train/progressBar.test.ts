import { PassThrough } from 'node:stream'
import { progressBar } from 'tpu-toolkit/train'
import { describe, expect, it } from 'vitest'

describe('progressBar', () => {
  it('draws the share done and the part under way on a terminal, and clears the line when it stops', () => {
    const screen = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
    const bar = progressBar(screen)
    bar.show(1, 4, 'second of four')
    bar.stop()
    const drawn = String(screen.read())
    expect(drawn).toContain('25 % second of four')
    // The cursor is hidden, the line erased at the end, the cursor shown again.
    expect(drawn).toContain('\u001b[?25l')
    expect(drawn.lastIndexOf('\u001b[0K')).toBeGreaterThan(drawn.indexOf('second of four'))
    expect(drawn).toContain('\u001b[?25h')
  })
  it('draws nothing before it is told something', () => {
    const screen = new PassThrough()
    progressBar(screen).stop()
    expect(screen.read()).toBeNull()
  })
})
