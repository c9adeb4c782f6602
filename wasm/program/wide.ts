// Operations on float64 values, over blocks of them: counts are rounded up to a multiple of 4.
import {
  ABS64, ADD64, COPY64, DIV64, EQUAL64, INT_TO_FLOAT64, IS_NAN64, LESS64, LESS_EQUAL64, MASK_TO_FLOAT64, MAX64, MIN64, MUL64,
  NEG64, SQRT64, SUB64, UINT_TO_FLOAT64, WHERE64, WIDEN,
} from '../../src/tensors/compile/engine/opcodes'

/** Runs one of these operations on `count` elements; false where the opcode is of another kind. */
export function runWide(opcode: i32, to: usize, a: usize, b: usize, c: usize, count: i32): bool {
  const bytes = usize((count + 3) & ~3) << 2
  switch (opcode) {
    case ADD64: {
      for (let i: usize = 0; i < bytes; i += 16) {
        v128.store(to + 2 * i, f64x2.add(v128.load(a + 2 * i), v128.load(b + 2 * i)))
        v128.store(to + 2 * i, f64x2.add(v128.load(a + 2 * i, 16), v128.load(b + 2 * i, 16)), 16)
      }
      break
    }
    case SUB64: {
      for (let i: usize = 0; i < bytes; i += 16) {
        v128.store(to + 2 * i, f64x2.sub(v128.load(a + 2 * i), v128.load(b + 2 * i)))
        v128.store(to + 2 * i, f64x2.sub(v128.load(a + 2 * i, 16), v128.load(b + 2 * i, 16)), 16)
      }
      break
    }
    case MUL64: {
      for (let i: usize = 0; i < bytes; i += 16) {
        v128.store(to + 2 * i, f64x2.mul(v128.load(a + 2 * i), v128.load(b + 2 * i)))
        v128.store(to + 2 * i, f64x2.mul(v128.load(a + 2 * i, 16), v128.load(b + 2 * i, 16)), 16)
      }
      break
    }
    case DIV64: {
      for (let i: usize = 0; i < bytes; i += 16) {
        v128.store(to + 2 * i, f64x2.div(v128.load(a + 2 * i), v128.load(b + 2 * i)))
        v128.store(to + 2 * i, f64x2.div(v128.load(a + 2 * i, 16), v128.load(b + 2 * i, 16)), 16)
      }
      break
    }
    case MIN64: {
      for (let i: usize = 0; i < bytes; i += 16) {
        v128.store(to + 2 * i, f64x2.min(v128.load(a + 2 * i), v128.load(b + 2 * i)))
        v128.store(to + 2 * i, f64x2.min(v128.load(a + 2 * i, 16), v128.load(b + 2 * i, 16)), 16)
      }
      break
    }
    case MAX64: {
      for (let i: usize = 0; i < bytes; i += 16) {
        v128.store(to + 2 * i, f64x2.max(v128.load(a + 2 * i), v128.load(b + 2 * i)))
        v128.store(to + 2 * i, f64x2.max(v128.load(a + 2 * i, 16), v128.load(b + 2 * i, 16)), 16)
      }
      break
    }
    case SQRT64: {
      for (let i: usize = 0; i < bytes; i += 16) {
        v128.store(to + 2 * i, f64x2.sqrt(v128.load(a + 2 * i)))
        v128.store(to + 2 * i, f64x2.sqrt(v128.load(a + 2 * i, 16)), 16)
      }
      break
    }
    case NEG64: {
      for (let i: usize = 0; i < bytes; i += 16) {
        v128.store(to + 2 * i, f64x2.neg(v128.load(a + 2 * i)))
        v128.store(to + 2 * i, f64x2.neg(v128.load(a + 2 * i, 16)), 16)
      }
      break
    }
    case ABS64: {
      for (let i: usize = 0; i < bytes; i += 16) {
        v128.store(to + 2 * i, f64x2.abs(v128.load(a + 2 * i)))
        v128.store(to + 2 * i, f64x2.abs(v128.load(a + 2 * i, 16)), 16)
      }
      break
    }
    case COPY64: {
      for (let i: usize = 0; i < bytes; i += 16) {
        v128.store(to + 2 * i, v128.load(a + 2 * i))
        v128.store(to + 2 * i, v128.load(a + 2 * i, 16), 16)
      }
      break
    }
    case EQUAL64: {
      for (let i: usize = 0; i < bytes; i += 16) {
        const x = f64x2.eq(v128.load(a + 2 * i), v128.load(b + 2 * i))
        const y = f64x2.eq(v128.load(a + 2 * i, 16), v128.load(b + 2 * i, 16))
        v128.store(to + i, lanes(x, y))
      }
      break
    }
    case LESS64: {
      for (let i: usize = 0; i < bytes; i += 16) {
        const x = f64x2.lt(v128.load(a + 2 * i), v128.load(b + 2 * i))
        const y = f64x2.lt(v128.load(a + 2 * i, 16), v128.load(b + 2 * i, 16))
        v128.store(to + i, lanes(x, y))
      }
      break
    }
    case LESS_EQUAL64: {
      for (let i: usize = 0; i < bytes; i += 16) {
        const x = f64x2.le(v128.load(a + 2 * i), v128.load(b + 2 * i))
        const y = f64x2.le(v128.load(a + 2 * i, 16), v128.load(b + 2 * i, 16))
        v128.store(to + i, lanes(x, y))
      }
      break
    }
    case IS_NAN64: {
      for (let i: usize = 0; i < bytes; i += 16) {
        const x = v128.load(a + 2 * i)
        const y = v128.load(a + 2 * i, 16)
        v128.store(to + i, lanes(f64x2.ne(x, x), f64x2.ne(y, y)))
      }
      break
    }
    case WHERE64: {
      for (let i: usize = 0; i < bytes; i += 16) {
        const mask = v128.load(a + i)
        const low = i64x2.extend_low_i32x4_s(mask)
        const high = i64x2.extend_high_i32x4_s(mask)
        v128.store(to + 2 * i, v128.bitselect(v128.load(b + 2 * i), v128.load(c + 2 * i), low))
        v128.store(to + 2 * i, v128.bitselect(v128.load(b + 2 * i, 16), v128.load(c + 2 * i, 16), high), 16)
      }
      break
    }
    case WIDEN: {
      for (let i: usize = 0; i < bytes; i += 16) {
        const x = v128.load(a + i)
        v128.store(to + 2 * i, f64x2.promote_low_f32x4(x))
        v128.store(to + 2 * i, f64x2.promote_low_f32x4(upper(x)), 16)
      }
      break
    }
    case MASK_TO_FLOAT64: {
      for (let i: usize = 0; i < bytes; i += 16) {
        const x = v128.and(v128.load(a + i), i32x4.splat(1))
        v128.store(to + 2 * i, f64x2.convert_low_i32x4_s(x))
        v128.store(to + 2 * i, f64x2.convert_low_i32x4_s(upper(x)), 16)
      }
      break
    }
    case INT_TO_FLOAT64: {
      for (let i: usize = 0; i < bytes; i += 16) {
        const x = v128.load(a + i)
        v128.store(to + 2 * i, f64x2.convert_low_i32x4_s(x))
        v128.store(to + 2 * i, f64x2.convert_low_i32x4_s(upper(x)), 16)
      }
      break
    }
    case UINT_TO_FLOAT64: {
      for (let i: usize = 0; i < bytes; i += 16) {
        const x = v128.load(a + i)
        v128.store(to + 2 * i, f64x2.convert_low_i32x4_u(x))
        v128.store(to + 2 * i, f64x2.convert_low_i32x4_u(upper(x)), 16)
      }
      break
    }
    default:
      return false
  }
  return true
}

/** Two masks of two float64 as one of four elements. */
// @ts-ignore: decorator
@inline
function lanes(x: v128, y: v128): v128 {
  return i8x16.shuffle(x, y, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
}

// @ts-ignore: decorator
@inline
function upper(x: v128): v128 {
  return i8x16.shuffle(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15)
}
