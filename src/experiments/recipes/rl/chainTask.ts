/** What a policy writes: sequences of tokens, each right where it follows from the prompt, its place and the token before. */
export const tokens = 16
export const prompts = 8
export const sequence = 8

/** The token that earns a reward. The one before decides with: a wrong one makes another one right. */
export function rightToken(prompt: number, place: number, before: number): number {
  return (3 * prompt + 5 * place + 7 * before + 1) % tokens
}
