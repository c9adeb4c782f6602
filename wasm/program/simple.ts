// Operations on 32 bits that do not round, over blocks, sixteen elements at a time: buffers have room for what lies behind the
// last one.
import {
  ABS, ABS_INT, ADD_INT, AND, CEIL, COPY, EQUAL, EQUAL_INT, FLOAT_TO_INT, FLOAT_TO_MASK, FLOAT_TO_UINT, FLOOR, FLUSH,
  INT_TO_FLOAT, INT_TO_MASK, IS_FINITE, IS_INF, IS_NAN, LESS, LESS_EQUAL, LESS_EQUAL_INT, LESS_EQUAL_UINT, LESS_INT,
  LESS_UINT, MASK_TO_FLOAT, MASK_TO_INT, MAX, MAX_INT, MAX_UINT, MIN, MIN_INT, MIN_UINT, MUL_INT, NEAREST, NEG, NEG_INT, NOT,
  OR, RELU, SIGN, SUB_INT, TRUNC, UINT_TO_FLOAT, WHERE,
} from '../../src/compile/opcodes'

// @ts-ignore: decorator
@inline
function unary(opcode: i32, x: v128): v128 {
  if (opcode == NEG) return f32x4.neg(x)
  if (opcode == ABS) return f32x4.abs(x)
  if (opcode == SIGN) {
    return v128.bitselect(x, v128.or(v128.and(x, i32x4.splat(0x80000000)), f32x4.splat(1)), v128.or(f32x4.eq(x, f32x4.splat(0)), f32x4.ne(x, x)))
  }
  if (opcode == FLOOR) return f32x4.floor(x)
  if (opcode == CEIL) return f32x4.ceil(x)
  if (opcode == TRUNC) return f32x4.trunc(x)
  if (opcode == NEAREST) return f32x4.nearest(x)
  if (opcode == NOT) return v128.not(x)
  if (opcode == IS_NAN) return f32x4.ne(x, x)
  if (opcode == IS_INF) return f32x4.eq(f32x4.abs(x), f32x4.splat(Infinity))
  if (opcode == IS_FINITE) return f32x4.lt(f32x4.abs(x), f32x4.splat(Infinity))
  if (opcode == NEG_INT) return i32x4.neg(x)
  if (opcode == ABS_INT) return i32x4.abs(x)
  if (opcode == MASK_TO_FLOAT) return v128.and(x, f32x4.splat(1))
  if (opcode == MASK_TO_INT) return v128.and(x, i32x4.splat(1))
  if (opcode == INT_TO_FLOAT) return f32x4.convert_i32x4_s(x)
  if (opcode == UINT_TO_FLOAT) return f32x4.convert_i32x4_u(x)
  if (opcode == FLOAT_TO_INT) return i32x4.trunc_sat_f32x4_s(x)
  if (opcode == FLOAT_TO_UINT) return i32x4.trunc_sat_f32x4_u(x)
  if (opcode == FLOAT_TO_MASK) return f32x4.ne(x, f32x4.splat(0))
  if (opcode == INT_TO_MASK) return v128.not(i32x4.eq(x, i32x4.splat(0)))
  if (opcode == FLUSH) {
    return v128.bitselect(v128.and(x, i32x4.splat(0x80000000)), x, f32x4.lt(f32x4.abs(x), f32x4.splat(1.1754943508222875e-38)))
  }
  if (opcode == RELU) return f32x4.max(x, f32x4.splat(0))
  return x
}

// @ts-ignore: decorator
@inline
function binary(opcode: i32, x: v128, y: v128): v128 {
  if (opcode == MIN) return f32x4.min(x, y)
  if (opcode == MAX) return f32x4.max(x, y)
  if (opcode == EQUAL) return f32x4.eq(x, y)
  if (opcode == LESS) return f32x4.lt(x, y)
  if (opcode == LESS_EQUAL) return f32x4.le(x, y)
  if (opcode == AND) return v128.and(x, y)
  if (opcode == OR) return v128.or(x, y)
  if (opcode == ADD_INT) return i32x4.add(x, y)
  if (opcode == SUB_INT) return i32x4.sub(x, y)
  if (opcode == MUL_INT) return i32x4.mul(x, y)
  if (opcode == MIN_INT) return i32x4.min_s(x, y)
  if (opcode == MAX_INT) return i32x4.max_s(x, y)
  if (opcode == MIN_UINT) return i32x4.min_u(x, y)
  if (opcode == MAX_UINT) return i32x4.max_u(x, y)
  if (opcode == EQUAL_INT) return i32x4.eq(x, y)
  if (opcode == LESS_INT) return i32x4.lt_s(x, y)
  if (opcode == LESS_EQUAL_INT) return i32x4.le_s(x, y)
  if (opcode == LESS_UINT) return i32x4.lt_u(x, y)
  return i32x4.le_u(x, y)
}

// @ts-ignore: decorator
@inline
function ofOne(opcode: i32, to: usize, a: usize, bytes: usize): void {
  for (const end = to + bytes; to < end; to += 64, a += 64) {
    v128.store(to, unary(opcode, v128.load(a)))
    v128.store(to, unary(opcode, v128.load(a, 16)), 16)
    v128.store(to, unary(opcode, v128.load(a, 32)), 32)
    v128.store(to, unary(opcode, v128.load(a, 48)), 48)
  }
}

// @ts-ignore: decorator
@inline
function ofTwo(opcode: i32, to: usize, a: usize, b: usize, bytes: usize): void {
  for (const end = to + bytes; to < end; to += 64, a += 64, b += 64) {
    v128.store(to, binary(opcode, v128.load(a), v128.load(b)))
    v128.store(to, binary(opcode, v128.load(a, 16), v128.load(b, 16)), 16)
    v128.store(to, binary(opcode, v128.load(a, 32), v128.load(b, 32)), 32)
    v128.store(to, binary(opcode, v128.load(a, 48), v128.load(b, 48)), 48)
  }
}

function where(to: usize, a: usize, b: usize, c: usize, bytes: usize): void {
  for (const end = to + bytes; to < end; to += 32, a += 32, b += 32, c += 32) {
    v128.store(to, v128.bitselect(v128.load(b), v128.load(c), v128.load(a)))
    v128.store(to, v128.bitselect(v128.load(b, 16), v128.load(c, 16), v128.load(a, 16)), 16)
  }
}

/** Runs one of these operations on `count` elements; false where the opcode is of another kind. */
export function runSimple(opcode: i32, to: usize, a: usize, b: usize, c: usize, count: i32): bool {
  const bytes = usize((count + 15) & ~15) << 2
  switch (opcode) {
    case NEG:
      ofOne(NEG, to, a, bytes)
      return true
    case ABS:
      ofOne(ABS, to, a, bytes)
      return true
    case SIGN:
      ofOne(SIGN, to, a, bytes)
      return true
    case FLOOR:
      ofOne(FLOOR, to, a, bytes)
      return true
    case CEIL:
      ofOne(CEIL, to, a, bytes)
      return true
    case TRUNC:
      ofOne(TRUNC, to, a, bytes)
      return true
    case NEAREST:
      ofOne(NEAREST, to, a, bytes)
      return true
    case NOT:
      ofOne(NOT, to, a, bytes)
      return true
    case IS_NAN:
      ofOne(IS_NAN, to, a, bytes)
      return true
    case IS_INF:
      ofOne(IS_INF, to, a, bytes)
      return true
    case IS_FINITE:
      ofOne(IS_FINITE, to, a, bytes)
      return true
    case COPY:
      ofOne(COPY, to, a, bytes)
      return true
    case NEG_INT:
      ofOne(NEG_INT, to, a, bytes)
      return true
    case ABS_INT:
      ofOne(ABS_INT, to, a, bytes)
      return true
    case MASK_TO_FLOAT:
      ofOne(MASK_TO_FLOAT, to, a, bytes)
      return true
    case MASK_TO_INT:
      ofOne(MASK_TO_INT, to, a, bytes)
      return true
    case INT_TO_FLOAT:
      ofOne(INT_TO_FLOAT, to, a, bytes)
      return true
    case UINT_TO_FLOAT:
      ofOne(UINT_TO_FLOAT, to, a, bytes)
      return true
    case FLOAT_TO_INT:
      ofOne(FLOAT_TO_INT, to, a, bytes)
      return true
    case FLOAT_TO_UINT:
      ofOne(FLOAT_TO_UINT, to, a, bytes)
      return true
    case FLOAT_TO_MASK:
      ofOne(FLOAT_TO_MASK, to, a, bytes)
      return true
    case INT_TO_MASK:
      ofOne(INT_TO_MASK, to, a, bytes)
      return true
    case FLUSH:
      ofOne(FLUSH, to, a, bytes)
      return true
    case RELU:
      ofOne(RELU, to, a, bytes)
      return true
    case MIN:
      ofTwo(MIN, to, a, b, bytes)
      return true
    case MAX:
      ofTwo(MAX, to, a, b, bytes)
      return true
    case EQUAL:
      ofTwo(EQUAL, to, a, b, bytes)
      return true
    case LESS:
      ofTwo(LESS, to, a, b, bytes)
      return true
    case LESS_EQUAL:
      ofTwo(LESS_EQUAL, to, a, b, bytes)
      return true
    case AND:
      ofTwo(AND, to, a, b, bytes)
      return true
    case OR:
      ofTwo(OR, to, a, b, bytes)
      return true
    case ADD_INT:
      ofTwo(ADD_INT, to, a, b, bytes)
      return true
    case SUB_INT:
      ofTwo(SUB_INT, to, a, b, bytes)
      return true
    case MUL_INT:
      ofTwo(MUL_INT, to, a, b, bytes)
      return true
    case MIN_INT:
      ofTwo(MIN_INT, to, a, b, bytes)
      return true
    case MAX_INT:
      ofTwo(MAX_INT, to, a, b, bytes)
      return true
    case MIN_UINT:
      ofTwo(MIN_UINT, to, a, b, bytes)
      return true
    case MAX_UINT:
      ofTwo(MAX_UINT, to, a, b, bytes)
      return true
    case EQUAL_INT:
      ofTwo(EQUAL_INT, to, a, b, bytes)
      return true
    case LESS_INT:
      ofTwo(LESS_INT, to, a, b, bytes)
      return true
    case LESS_EQUAL_INT:
      ofTwo(LESS_EQUAL_INT, to, a, b, bytes)
      return true
    case LESS_UINT:
      ofTwo(LESS_UINT, to, a, b, bytes)
      return true
    case LESS_EQUAL_UINT:
      ofTwo(LESS_EQUAL_UINT, to, a, b, bytes)
      return true
    case WHERE:
      where(to, a, b, c, bytes)
      return true
    default:
      return false
  }
}
