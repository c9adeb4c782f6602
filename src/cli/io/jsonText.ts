/** A value as the JSON that a command prints: indented, numbers that are not finite null. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
