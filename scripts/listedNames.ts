/** The names an index.ts lists, in its order; a type carries its keyword: `type Order`. */
export function listedNames(indexText: string): string[] {
  const code = indexText.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '')
  return [...code.matchAll(/export\s+(type\s+)?\{([^}]*)\}/g)].flatMap(([, type, names]) =>
    (names ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => (type ? `type ${name}` : name)),
  )
}

/** The files that an entry point names, each with what it lists from there. */
export function listedByFile(indexText: string): [file: string, names: readonly string[]][] {
  return [...indexText.matchAll(/^export (?:type )?\{[^}]*\} from '([^']+)'/gm)].map(([line, file]) => [
    file ?? '',
    listedNames(line).map((name) => name.replace('type ', '')),
  ])
}
