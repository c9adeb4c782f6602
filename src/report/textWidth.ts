/** Widths of characters in the widest of the usual fonts (DejaVu Sans, 12 px) that are far from a letter's. */
const widths: Readonly<Record<string, number>> = {
  ',': 4,
  '.': 4,
  ' ': 4,
  '-': 4.5,
  i: 3.5,
  l: 3.5,
  m: 11.8,
  w: 10,
}

/** About how many pixels a text takes at 12 px, rather too many than too few: nothing measures fonts here. */
export function textWidth(text: string): number {
  let sum = 0
  for (const letter of text) sum += widths[letter] ?? (/[⁰¹²³⁴-⁹⁻]/.test(letter) ? 5 : 7.7)
  return sum
}

/** Room for texts that end at an axis, `gap` pixels before it; not below `least`. */
export function labelMargin(texts: readonly string[], gap: number, least: number): number {
  return texts.reduce((most, text) => Math.max(most, Math.ceil(textWidth(text) + gap)), least)
}

/** A text in lines of at most so many pixels, broken at spaces. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`
    if (lines.length === 0 || textWidth(longer) > width) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines
}
