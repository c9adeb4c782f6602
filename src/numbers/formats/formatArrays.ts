import { format as formatOf } from './catalogue.js'
import type { FloatFormat } from './format.js'
import { FormatArray } from './formatArray.js'

// One class per named format. Getters, not fields: a class that nobody imports then leaves no trace in a bundle.

/**
 * bfloat16 numbers over a Uint16Array of codes.
 *
 * @example BFloat16Array.of(1, 257).codes // [0x3f80, 0x4380]
 * @example BFloat16Array.from(Float32Array.of(3, 1, 2)).sort().map((x) => x / 3).at(-1) // 1
 */
export class BFloat16Array extends FormatArray<Uint16Array> {
  static override get format(): FloatFormat {
    return formatOf('bfloat16')
  }
}

/**
 * float16 numbers over a Uint16Array of codes, under IEEE's name for them: the language has a Float16Array of its own
 * by now, whose buffers these two may share.
 *
 * @example Binary16Array.of(0.1).at(0) // 0.0999755859375
 */
export class Binary16Array extends FormatArray<Uint16Array> {
  static override get format(): FloatFormat {
    return formatOf('float16')
  }
}

/** float8_e3m4 numbers over a Uint8Array of codes. */
export class Float8E3M4Array extends FormatArray<Uint8Array> {
  static override get format(): FloatFormat {
    return formatOf('float8_e3m4')
  }
}

/** float8_e4m3 numbers over a Uint8Array of codes. */
export class Float8E4M3Array extends FormatArray<Uint8Array> {
  static override get format(): FloatFormat {
    return formatOf('float8_e4m3')
  }
}

/** float8_e4m3fn numbers over a Uint8Array of codes. */
export class Float8E4M3FNArray extends FormatArray<Uint8Array> {
  static override get format(): FloatFormat {
    return formatOf('float8_e4m3fn')
  }
}

/** float8_e4m3fnuz numbers over a Uint8Array of codes. */
export class Float8E4M3FNUZArray extends FormatArray<Uint8Array> {
  static override get format(): FloatFormat {
    return formatOf('float8_e4m3fnuz')
  }
}

/** float8_e4m3b11fnuz numbers over a Uint8Array of codes. */
export class Float8E4M3B11FNUZArray extends FormatArray<Uint8Array> {
  static override get format(): FloatFormat {
    return formatOf('float8_e4m3b11fnuz')
  }
}

/** float8_e5m2 numbers over a Uint8Array of codes. */
export class Float8E5M2Array extends FormatArray<Uint8Array> {
  static override get format(): FloatFormat {
    return formatOf('float8_e5m2')
  }
}

/** float8_e5m2fnuz numbers over a Uint8Array of codes. */
export class Float8E5M2FNUZArray extends FormatArray<Uint8Array> {
  static override get format(): FloatFormat {
    return formatOf('float8_e5m2fnuz')
  }
}

/** float8_e8m0fnu numbers, powers of two; a new array holds 2^-127, as the format has no zero. */
export class Float8E8M0FNUArray extends FormatArray<Uint8Array> {
  static override get format(): FloatFormat {
    return formatOf('float8_e8m0fnu')
  }
}

/** float6_e2m3fn numbers, a code in the low six bits of each byte. */
export class Float6E2M3FNArray extends FormatArray<Uint8Array> {
  static override get format(): FloatFormat {
    return formatOf('float6_e2m3fn')
  }
}

/** float6_e3m2fn numbers, a code in the low six bits of each byte. */
export class Float6E3M2FNArray extends FormatArray<Uint8Array> {
  static override get format(): FloatFormat {
    return formatOf('float6_e3m2fn')
  }
}

/** float4_e2m1fn numbers, a code in the low four bits of each byte. */
export class Float4E2M1FNArray extends FormatArray<Uint8Array> {
  static override get format(): FloatFormat {
    return formatOf('float4_e2m1fn')
  }
}
