// The body of a group: instructions of six words over blocks of elements. Counts are rounded up to whole vectors, since
// buffers end on 32 bytes; what lies behind the last element is computed along and never read.
import {
  ABS, ABS64, ABS_INT, ADD, ADD64, ADD_INT, AND, CEIL, CHECK, COPY, COPY64, DIV, DIV64, EQUAL, EQUAL64, EQUAL_INT, FLOAT_TO_INT,
  FLOAT_TO_MASK, FLOAT_TO_UINT, FLOOR, FLUSH, HOST, INT_TO_FLOAT, INT_TO_FLOAT64, INT_TO_MASK, IS_FINITE, IS_INF, IS_NAN,
  IS_NAN64, LESS, LESS64, LESS_EQUAL, LESS_EQUAL64, LESS_EQUAL_INT, LESS_EQUAL_UINT, LESS_INT, LESS_UINT, LOAD, LOAD64,
  MASK_TO_FLOAT, MASK_TO_FLOAT64, MASK_TO_INT, MAX, MAX64, MAX_INT, MAX_UINT, MIN, MIN64, MIN_INT, MIN_UINT, MUL, MUL64,
  MUL_INT, NARROW, NARROW_BFLOAT16, NARROW_FORMAT, NEAREST, NEG, NEG64, NEG_INT, NOT, OR, RELU, ROUND, SIGN, SQRT,
  SQRT64, SUB, SUB64, SUB_INT, TABLE16, TABLE8, TABLE_HALF, TRUNC, UINT_TO_FLOAT, UINT_TO_FLOAT64, WHERE, WHERE64, WIDEN,
} from '../../src/compile/opcodes'
import { halfCode } from './edges'
import { toBfloat16, toFormat, toOdd, word } from './rounding'
import { load32, load64 } from './strided'

// @ts-ignore: decorator
@external("host", "elementwise")
declare function host(id: i32, to: usize, a: usize, b: usize, c: usize, count: i32): void

/** Where an operand of this block lies: bit 0 says that it runs along by 4 bytes an element, bit 1 by 8. */
// @ts-ignore: decorator
@inline
function place(operand: usize, start: usize): usize {
  return (operand & ~15) + start * ((operand & 3) << 2)
}

/** Runs the instructions between `pc` and `end` on elements start to start + count - 1; true where one that looks found a NaN. */
export function runBody(pc: usize, end: usize, start: i32, count: i32): bool {
  let strange = false
  const from = usize(start)
  const bytes = usize((count + 3) & ~3) << 2
  for (; pc < end; pc += 24) {
    const to = place(load<i32>(pc, 4), from)
    const a = place(load<i32>(pc, 8), from)
    const b = place(load<i32>(pc, 12), from)
    const c = place(load<i32>(pc, 16), from)
    const record = usize(load<i32>(pc, 20))
    switch (load<i32>(pc)) {
      case ADD: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, f32x4.add(x, y))
        }
        break
      }
      case ADD + 1: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, toBfloat16(f32x4.add(x, y)))
        }
        break
      }
      case ADD + 2: {
        const r0 = word(record, 0)
        const r1 = word(record, 1)
        const r2 = word(record, 2)
        const r3 = word(record, 3)
        const r4 = word(record, 4)
        const r5 = word(record, 5)
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, toFormat(f32x4.add(x, y), r0, r1, r2, r3, r4, r5))
        }
        break
      }
      case SUB: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, f32x4.sub(x, y))
        }
        break
      }
      case SUB + 1: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, toBfloat16(f32x4.sub(x, y)))
        }
        break
      }
      case SUB + 2: {
        const r0 = word(record, 0)
        const r1 = word(record, 1)
        const r2 = word(record, 2)
        const r3 = word(record, 3)
        const r4 = word(record, 4)
        const r5 = word(record, 5)
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, toFormat(f32x4.sub(x, y), r0, r1, r2, r3, r4, r5))
        }
        break
      }
      case MUL: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, f32x4.mul(x, y))
        }
        break
      }
      case MUL + 1: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, toBfloat16(f32x4.mul(x, y)))
        }
        break
      }
      case MUL + 2: {
        const r0 = word(record, 0)
        const r1 = word(record, 1)
        const r2 = word(record, 2)
        const r3 = word(record, 3)
        const r4 = word(record, 4)
        const r5 = word(record, 5)
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, toFormat(f32x4.mul(x, y), r0, r1, r2, r3, r4, r5))
        }
        break
      }
      case DIV: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, f32x4.div(x, y))
        }
        break
      }
      case DIV + 1: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, toBfloat16(f32x4.div(x, y)))
        }
        break
      }
      case DIV + 2: {
        const r0 = word(record, 0)
        const r1 = word(record, 1)
        const r2 = word(record, 2)
        const r3 = word(record, 3)
        const r4 = word(record, 4)
        const r5 = word(record, 5)
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, toFormat(f32x4.div(x, y), r0, r1, r2, r3, r4, r5))
        }
        break
      }
      case SQRT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, f32x4.sqrt(x))
        }
        break
      }
      case SQRT + 1: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, toBfloat16(f32x4.sqrt(x)))
        }
        break
      }
      case SQRT + 2: {
        const r0 = word(record, 0)
        const r1 = word(record, 1)
        const r2 = word(record, 2)
        const r3 = word(record, 3)
        const r4 = word(record, 4)
        const r5 = word(record, 5)
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, toFormat(f32x4.sqrt(x), r0, r1, r2, r3, r4, r5))
        }
        break
      }
      case ROUND + 1: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, toBfloat16(x))
        }
        break
      }
      case ROUND + 2: {
        const r0 = word(record, 0)
        const r1 = word(record, 1)
        const r2 = word(record, 2)
        const r3 = word(record, 3)
        const r4 = word(record, 4)
        const r5 = word(record, 5)
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, toFormat(x, r0, r1, r2, r3, r4, r5))
        }
        break
      }
      case MIN: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, f32x4.min(x, y))
        }
        break
      }
      case MAX: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, f32x4.max(x, y))
        }
        break
      }
      case NEG: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, f32x4.neg(x))
        }
        break
      }
      case ABS: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, f32x4.abs(x))
        }
        break
      }
      case SIGN: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, v128.bitselect(x, v128.or(v128.and(x, i32x4.splat(0x80000000)), f32x4.splat(1)), v128.or(f32x4.eq(x, f32x4.splat(0)), f32x4.ne(x, x))))
        }
        break
      }
      case FLOOR: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, f32x4.floor(x))
        }
        break
      }
      case CEIL: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, f32x4.ceil(x))
        }
        break
      }
      case TRUNC: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, f32x4.trunc(x))
        }
        break
      }
      case NEAREST: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, f32x4.nearest(x))
        }
        break
      }
      case EQUAL: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, f32x4.eq(x, y))
        }
        break
      }
      case LESS: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, f32x4.lt(x, y))
        }
        break
      }
      case LESS_EQUAL: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, f32x4.le(x, y))
        }
        break
      }
      case AND: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, v128.and(x, y))
        }
        break
      }
      case OR: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, v128.or(x, y))
        }
        break
      }
      case NOT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, v128.not(x))
        }
        break
      }
      case IS_NAN: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, f32x4.ne(x, x))
        }
        break
      }
      case IS_INF: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, f32x4.eq(f32x4.abs(x), f32x4.splat(Infinity)))
        }
        break
      }
      case IS_FINITE: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, f32x4.lt(f32x4.abs(x), f32x4.splat(Infinity)))
        }
        break
      }
      case WHERE: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, v128.bitselect(y, v128.load(c + i), x))
        }
        break
      }
      case COPY: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, x)
        }
        break
      }
      case ADD_INT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, i32x4.add(x, y))
        }
        break
      }
      case SUB_INT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, i32x4.sub(x, y))
        }
        break
      }
      case MUL_INT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, i32x4.mul(x, y))
        }
        break
      }
      case MIN_INT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, i32x4.min_s(x, y))
        }
        break
      }
      case MAX_INT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, i32x4.max_s(x, y))
        }
        break
      }
      case MIN_UINT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, i32x4.min_u(x, y))
        }
        break
      }
      case MAX_UINT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, i32x4.max_u(x, y))
        }
        break
      }
      case EQUAL_INT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, i32x4.eq(x, y))
        }
        break
      }
      case LESS_INT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, i32x4.lt_s(x, y))
        }
        break
      }
      case LESS_EQUAL_INT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, i32x4.le_s(x, y))
        }
        break
      }
      case LESS_UINT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, i32x4.lt_u(x, y))
        }
        break
      }
      case LESS_EQUAL_UINT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          const y = v128.load(b + i)
          v128.store(to + i, i32x4.le_u(x, y))
        }
        break
      }
      case NEG_INT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, i32x4.neg(x))
        }
        break
      }
      case ABS_INT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, i32x4.abs(x))
        }
        break
      }
      case MASK_TO_FLOAT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, v128.and(x, f32x4.splat(1)))
        }
        break
      }
      case MASK_TO_INT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, v128.and(x, i32x4.splat(1)))
        }
        break
      }
      case INT_TO_FLOAT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, f32x4.convert_i32x4_s(x))
        }
        break
      }
      case UINT_TO_FLOAT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, f32x4.convert_i32x4_u(x))
        }
        break
      }
      case FLOAT_TO_INT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, i32x4.trunc_sat_f32x4_s(x))
        }
        break
      }
      case FLOAT_TO_UINT: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, i32x4.trunc_sat_f32x4_u(x))
        }
        break
      }
      case FLOAT_TO_MASK: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, f32x4.ne(x, f32x4.splat(0)))
        }
        break
      }
      case INT_TO_MASK: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, v128.not(i32x4.eq(x, i32x4.splat(0))))
        }
        break
      }
      case FLUSH: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = v128.load(a + i)
          v128.store(to + i, v128.bitselect(v128.and(x, i32x4.splat(0x80000000)), x, f32x4.lt(f32x4.abs(x), f32x4.splat(1.1754943508222875e-38))))
        }
        break
      }
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
      case NARROW: {
        for (let i: usize = 0; i < bytes; i += 16) {
          const x = f32x4.demote_f64x2_zero(v128.load(a + 2 * i))
          const y = f32x4.demote_f64x2_zero(v128.load(a + 2 * i, 16))
          v128.store(to + i, i8x16.shuffle(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23))
        }
        break
      }
      case NARROW_BFLOAT16: {
        for (let i: usize = 0; i < bytes; i += 16) {
          v128.store(to + i, toBfloat16(toOdd(v128.load(a + 2 * i), v128.load(a + 2 * i, 16))))
        }
        break
      }
      case NARROW_FORMAT: {
        const r0 = word(record, 0)
        const r1 = word(record, 1)
        const r2 = word(record, 2)
        const r3 = word(record, 3)
        const r4 = word(record, 4)
        const r5 = word(record, 5)
        for (let i: usize = 0; i < bytes; i += 16) {
          v128.store(to + i, toFormat(toOdd(v128.load(a + 2 * i), v128.load(a + 2 * i, 16)), r0, r1, r2, r3, r4, r5))
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
      case RELU: {
        for (let i: usize = 0; i < bytes; i += 16) v128.store(to + i, f32x4.max(v128.load(a + i), f32x4.splat(0)))
        break
      }
      case CHECK:
        if (holdsNaN(a, count)) strange = true
        break
      case TABLE16: {
        for (let i: usize = 0; i < bytes; i += 4) {
          store<u32>(to + i, u32(load<u16>(record + ((load<u32>(a + i) >> 16) << 1))) << 16)
        }
        break
      }
      case TABLE8: {
        for (let i: usize = 0; i < bytes; i += 4) {
          store<u32>(to + i, u32(load<u16>(record + ((load<u32>(a + i) >> 19) << 1))) << 16)
        }
        break
      }
      case TABLE_HALF: {
        for (let i: usize = 0; i < bytes; i += 4) {
          store<u32>(to + i, load<u32>(record + (halfCode(load<u32>(a + i)) << 2)))
        }
        break
      }
      case LOAD:
        load32(to, a, record, start, count)
        break
      case LOAD64:
        load64(to, a, record, start, count)
        break
      case HOST:
        host(i32(record), to, a, b, c, count)
        break
      default:
        unreachable()
    }
  }
  return strange
}

/** Whether one of some float32 elements is a NaN. */
export function holdsNaN(at: usize, count: i32): bool {
  let found = i32x4.splat(0)
  const end = at + usize(count & ~3) * 4
  for (; at < end; at += 16) {
    const x = v128.load(at)
    found = v128.or(found, f32x4.ne(x, x))
  }
  for (let i = count & 3; i > 0; i--, at += 4) {
    const x = v128.load32_splat(at)
    found = v128.or(found, f32x4.ne(x, x))
  }
  return v128.any_true(found)
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
