/** A text without the passwords of the addresses in it: a mistyped option is shown with its value. */
export function withoutPasswords(text: string): string {
  return text.replace(/(\w+:\/\/[^\s:@/]*):[^\n]*@/g, '$1:...@')
}
