/** The elements of one channel. */
export interface ChannelPart {
  readonly channel: number
  readonly start: number
  readonly end: number
}

/**
 * How NCCL divides the elements of one collective among channels: consecutive stretches of the same number of whole cells, the
 * last one of what is left.
 */
export function channelParts(
  count: number,
  elementBytes: number,
  { channels, cellBytes }: { readonly channels: number; readonly cellBytes: number },
): ChannelPart[] {
  const share = Math.ceil((count * elementBytes) / channels / cellBytes) * (cellBytes / elementBytes)
  const parts: ChannelPart[] = []
  for (let start = 0; start < count; start += share) {
    parts.push({ channel: parts.length, start, end: Math.min(count, start + share) })
  }
  return parts
}
