/** Which rows a batch is of: drawn at once, gathered now or later. */
export interface Plan {
  readonly size: number
  readonly replacement: boolean
  /** The numbers of the rows, and with n-step returns of the last rows of these. */
  readonly indices: Float64Array
  readonly lasts: Float64Array | undefined
  /** Prioritized: size P(row) when it was drawn. */
  readonly relative: Float64Array | undefined
}

/** A plan as JSON has it. */
export interface PlanJson {
  readonly replacement: boolean
  readonly indices: readonly number[]
  readonly lasts: readonly number[] | null
  readonly relative: readonly number[] | null
}

export function planToJson({ replacement, indices, lasts, relative }: Plan): PlanJson {
  return {
    replacement,
    indices: [...indices],
    lasts: lasts ? [...lasts] : null,
    relative: relative ? [...relative] : null,
  }
}

export function planFromJson({ replacement, indices, lasts, relative }: PlanJson): Plan {
  return {
    size: indices.length,
    replacement,
    indices: Float64Array.from(indices),
    lasts: lasts ? Float64Array.from(lasts) : undefined,
    relative: relative ? Float64Array.from(relative) : undefined,
  }
}
