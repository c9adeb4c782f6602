/** What a matrix unit multiplies: formats of at most 16 bits, or float32 read as tf32. */
export type UnitInput =
  | 'bfloat16'
  | 'float16'
  | 'tf32'
  | 'float8_e4m3fn'
  | 'float8_e5m2'
  | 'float8_e4m3fnuz'
  | 'float8_e5m2fnuz'
  | 'float6_e2m3fn'
  | 'float6_e3m2fn'
  | 'float4_e2m1fn'

/** What an instruction takes as its accumulator and writes. */
export type UnitOutput = 'float32' | 'float16'

/** How one instruction adds the products of one input format for one output. */
export interface UnitRule {
  /** Products of an instruction; a longer row is a chain of them, k ascending, each taking the last one's result. */
  readonly k: number
  /** Products that are added at once: an instruction has k / group groups, one after the other. */
  readonly group: number
  /** Fractional bits, below the largest exponent of the group, that a term keeps; 0 where nothing is aligned ('pairwise'). */
  readonly align: number
  /** What the sum of a group becomes: 'e8m13' has float32's exponents and 14 significant bits. */
  readonly result: 'float32' | 'e8m13' | 'float16'
  /** How: cut toward zero, or to nearest, ties to even. */
  readonly rounding: 'cut' | 'nearest'
  /**
   * How terms are added. 'aligned': products and accumulator in one fixed-point sum, terms cut toward zero. 'floored': products
   * so, then their sum, with 31 bits, and the accumulator meet, each rounded down; 'floored halves': even and odd products apart
   * before that. 'pairwise': a tree of float32 sums, then the accumulator, subnormals taken as 0. 'scaled': as 'aligned', 16
   * products at a time summed exactly before their scales multiply them. Default 'aligned'.
   */
  readonly adder?: 'aligned' | 'floored' | 'floored halves' | 'pairwise' | 'scaled'
  /** Which products are a group: neighbours, or those whose index has the same bit 1 (0 1 4 5 ..., then 2 3 6 7 ...). */
  readonly order?: 'ascending' | 'by bit 1'
  /** The accumulator is one term of the first group, or is added to the sum of all by an ordinary addition. Default 'term'. */
  readonly accumulator?: 'term' | 'added after'
  /** Products that share a scale, whose exponent is added to theirs. Default: no scales. */
  readonly scaled?: number
  /** Whether results measured on hardware are equal to this rule. Default: what the unit says. */
  readonly basis?: UnitBasis
}

/** 'measured': equal to published results of the hardware; 'described': as a publication says, not held against results here. */
export type UnitBasis = 'measured' | 'described'

/** A matrix unit as facts: what it can multiply, and how it adds. */
export interface UnitRecord {
  readonly name: string
  /** The chips that have it. */
  readonly chips: string
  readonly basis: UnitBasis
  /** Where the rules were read, and what they were held against. */
  readonly source: string
  /** By input format, then by what comes out; a combination that is not here does not exist. */
  readonly rules: { readonly [I in UnitInput]?: { readonly [O in UnitOutput]?: UnitRule } }
}

/** A record whose facts were checked: one of `units`, or of `defineUnit`. */
export interface Unit extends UnitRecord {
  /** @internal Distinguishes a checked record from another. */
  readonly isChecked: true
}
