import { useEffect, useRef } from 'preact/hooks'

/** Paints a canvas: with everything that is shown, and again where the window's size or its scheme of colours changes. */
export function usePainted(paint: () => void): void {
  const latest = useRef(paint)
  latest.current = paint
  useEffect(() => latest.current())
  useEffect(() => {
    const repaint = (): void => latest.current()
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', repaint)
    addEventListener('repaint', repaint)
    addEventListener('resize', repaint)
    return () => {
      scheme.removeEventListener('change', repaint)
      removeEventListener('repaint', repaint)
      removeEventListener('resize', repaint)
    }
  }, [])
}
