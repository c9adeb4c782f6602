/**
 * Where the guide of a title is: among the pages of the site where the lab is its root, else among those that the build of the
 * lab writes. Undefined where the page has neither.
 */
export function guideAddress(title: string): string | undefined {
  const help = document.querySelector<HTMLLinkElement>('link[rel="help"]')
  return help ? new URL(`documents/${guideFile(title)}`, help.href).href : undefined
}

/** The file of the guide of a title, as TypeDoc names it. */
export function guideFile(title: string): string {
  return `${title.replaceAll(' ', '_')}.html`
}
