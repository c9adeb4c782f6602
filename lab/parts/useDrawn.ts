import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/**
 * A canvas that `draw` draws: in the frame after each rendering, however many there are before it, and again where its place gets
 * another width, the reader another scheme of colours, or the page is printed.
 */
export function useDrawn(draw: (canvas: HTMLCanvasElement) => void): RefObject<HTMLCanvasElement | null> {
  const canvas = useRef<HTMLCanvasElement | null>(null)
  const latest = useRef(draw)
  latest.current = draw
  useEffect(() => {
    const target = canvas.current
    if (!target) return undefined
    // At once, not in the next frame: paper does not wait for it.
    const repaint = (): void => latest.current(target)
    let width: number | undefined
    const sizes = new ResizeObserver(([place]) => {
      const now = place?.contentRect.width
      if (now !== width) repaint()
      width = now
    })
    // Not the canvas, whose size may be what `draw` makes it.
    sizes.observe(target.closest('figure') ?? target.parentElement ?? target)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', repaint)
    addEventListener('repaint', repaint)
    return () => {
      sizes.disconnect()
      scheme.removeEventListener('change', repaint)
      removeEventListener('repaint', repaint)
    }
  }, [])
  useEffect(() => {
    const frame = requestAnimationFrame(() => canvas.current && latest.current(canvas.current))
    return () => cancelAnimationFrame(frame)
  })
  return canvas
}
