/** A flight of flights-200k.arrow: minutes late, miles, hour of the day. */
export interface Flight {
  readonly delay: number
  readonly distance: number
  readonly time: number
}

/** Sine and cosine of the hour, distance in thousands of miles, the delay to predict. */
export function features({ delay, distance, time }: Flight): {
  x: number
  y: number
  far: number
  delay: number
} {
  const angle = (2 * Math.PI * time) / 24
  return { x: Math.sin(angle), y: Math.cos(angle), far: distance / 1000, delay }
}

/** The same with a hundred times the work, as a tokenizer or a decoder has. */
export function heavy(flight: Flight): ReturnType<typeof features> {
  let result = features(flight)
  for (let i = 1; i < 100; i++) result = features({ ...flight, time: flight.time + result.far * 1e-9 })
  return result
}
