/** The first signal that came, until it is closed. */
export interface StopSignals {
  readonly came: () => string | undefined
  readonly close: () => void
}

/** Hears signals: the first stops a run, and another one then does to the process what it does to others. */
export function stopSignals(names: readonly string[]): StopSignals {
  let came: string | undefined
  const handlers = names.map((name) => {
    const hear = (): void => {
      came ??= name
      close()
    }
    process.on(name, hear)
    return [name, hear] as const
  })
  const close = (): void => {
    for (const [name, hear] of handlers) process.off(name, hear)
  }
  return { came: () => came, close }
}
