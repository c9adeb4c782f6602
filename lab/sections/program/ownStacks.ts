/** Of V8: how an error's stack is written. */
interface StackWriter {
  prepareStackTrace?: (error: Error, frames: readonly StackFrame[]) => string
  stackTraceLimit?: number
}
interface StackFrame {
  getFileName(): string | null
  getLineNumber(): number | null
  getColumnNumber(): number | null
  getFunctionName(): string | null
}

/**
 * From here on an error's stack, in V8 and in Firefox, has the lines of the program alone, as V8 writes them, the program being
 * `fileName`: the library's are one bundled line each, which tells nobody anything.
 */
export function ownStacks(fileName: string): void {
  const written = (error: Error, frames: readonly (readonly [name: string, place: string])[]): string =>
    [
      `${error.name}: ${error.message}`,
      ...frames.map(([name, place]) => `    at ${name || '<anonymous>'} (${fileName}:${place})`),
    ].join('\n')
  const ofFirefox = Object.getOwnPropertyDescriptor(Error.prototype, 'stack')
  if (ofFirefox?.get) {
    const { get: whole } = ofFirefox
    Object.defineProperty(Error.prototype, 'stack', {
      ...ofFirefox,
      get(this: Error): string {
        const lines = String(whole.call(this) ?? '').split('\n')
        return written(
          this,
          lines.flatMap((line) => {
            const [, name = '', place = ''] = /^([^@]*)@blob:.*?:(\d+:\d+)$/.exec(line) ?? []
            return place === '' ? [] : [[name, place] as const]
          }),
        )
      },
    })
  }
  const errors = Error as unknown as StackWriter
  errors.stackTraceLimit = 40
  errors.prepareStackTrace = (error, frames) =>
    written(
      error,
      frames
        .filter((frame) => frame.getFileName()?.startsWith('blob:'))
        .map((frame) => [
          frame.getFunctionName() ?? '',
          `${frame.getLineNumber()}:${frame.getColumnNumber()}`,
        ]),
    )
}
