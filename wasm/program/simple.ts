// Operations on 32 bits that do not round, over blocks, sixteen elements at a time: buffers have room for what lies behind the
// last one.
import {
  ABS, ABS_INT, ADD_INT, AND, CEIL, COPY, EQUAL, EQUAL_INT, FLOAT_TO_INT, FLOAT_TO_MASK, FLOAT_TO_UINT, FLOOR, FLUSH,
  INT_TO_FLOAT, INT_TO_MASK, IS_FINITE, IS_INF, IS_NAN, LESS, LESS_EQUAL, LESS_EQUAL_INT, LESS_EQUAL_UINT, LESS_INT,
  LESS_UINT, MASK_TO_FLOAT, MASK_TO_INT, MAX, MAX_INT, MAX_UINT, MIN, MIN_INT, MIN_UINT, MUL_INT, NEAREST, NEG, NEG_INT, NOT,
  OR, RELU, SIGN, SUB_INT, TRUNC, UINT_TO_FLOAT, WHERE,
} from '../../src/tensors/compile/engine/opcodes'

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

// Each a function of its own: cases of one switch would be folded into one loop that asks at every vector what it is to do.
function negOf(to: usize, a: usize, bytes: usize): void { ofOne(NEG, to, a, bytes) }
function absOf(to: usize, a: usize, bytes: usize): void { ofOne(ABS, to, a, bytes) }
function signOf(to: usize, a: usize, bytes: usize): void { ofOne(SIGN, to, a, bytes) }
function floorOf(to: usize, a: usize, bytes: usize): void { ofOne(FLOOR, to, a, bytes) }
function ceilOf(to: usize, a: usize, bytes: usize): void { ofOne(CEIL, to, a, bytes) }
function truncOf(to: usize, a: usize, bytes: usize): void { ofOne(TRUNC, to, a, bytes) }
function nearestOf(to: usize, a: usize, bytes: usize): void { ofOne(NEAREST, to, a, bytes) }
function notOf(to: usize, a: usize, bytes: usize): void { ofOne(NOT, to, a, bytes) }
function isNanOf(to: usize, a: usize, bytes: usize): void { ofOne(IS_NAN, to, a, bytes) }
function isInfOf(to: usize, a: usize, bytes: usize): void { ofOne(IS_INF, to, a, bytes) }
function isFiniteOf(to: usize, a: usize, bytes: usize): void { ofOne(IS_FINITE, to, a, bytes) }
function copyOf(to: usize, a: usize, bytes: usize): void { ofOne(COPY, to, a, bytes) }
function negIntOf(to: usize, a: usize, bytes: usize): void { ofOne(NEG_INT, to, a, bytes) }
function absIntOf(to: usize, a: usize, bytes: usize): void { ofOne(ABS_INT, to, a, bytes) }
function maskToFloatOf(to: usize, a: usize, bytes: usize): void { ofOne(MASK_TO_FLOAT, to, a, bytes) }
function maskToIntOf(to: usize, a: usize, bytes: usize): void { ofOne(MASK_TO_INT, to, a, bytes) }
function intToFloatOf(to: usize, a: usize, bytes: usize): void { ofOne(INT_TO_FLOAT, to, a, bytes) }
function uintToFloatOf(to: usize, a: usize, bytes: usize): void { ofOne(UINT_TO_FLOAT, to, a, bytes) }
function floatToIntOf(to: usize, a: usize, bytes: usize): void { ofOne(FLOAT_TO_INT, to, a, bytes) }
function floatToUintOf(to: usize, a: usize, bytes: usize): void { ofOne(FLOAT_TO_UINT, to, a, bytes) }
function floatToMaskOf(to: usize, a: usize, bytes: usize): void { ofOne(FLOAT_TO_MASK, to, a, bytes) }
function intToMaskOf(to: usize, a: usize, bytes: usize): void { ofOne(INT_TO_MASK, to, a, bytes) }
function flushOf(to: usize, a: usize, bytes: usize): void { ofOne(FLUSH, to, a, bytes) }
function reluOf(to: usize, a: usize, bytes: usize): void { ofOne(RELU, to, a, bytes) }
function minOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(MIN, to, a, b, bytes) }
function maxOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(MAX, to, a, b, bytes) }
function equalOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(EQUAL, to, a, b, bytes) }
function lessOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(LESS, to, a, b, bytes) }
function lessEqualOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(LESS_EQUAL, to, a, b, bytes) }
function andOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(AND, to, a, b, bytes) }
function orOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(OR, to, a, b, bytes) }
function addIntOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(ADD_INT, to, a, b, bytes) }
function subIntOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(SUB_INT, to, a, b, bytes) }
function mulIntOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(MUL_INT, to, a, b, bytes) }
function minIntOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(MIN_INT, to, a, b, bytes) }
function maxIntOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(MAX_INT, to, a, b, bytes) }
function minUintOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(MIN_UINT, to, a, b, bytes) }
function maxUintOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(MAX_UINT, to, a, b, bytes) }
function equalIntOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(EQUAL_INT, to, a, b, bytes) }
function lessIntOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(LESS_INT, to, a, b, bytes) }
function lessEqualIntOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(LESS_EQUAL_INT, to, a, b, bytes) }
function lessUintOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(LESS_UINT, to, a, b, bytes) }
function lessEqualUintOf(to: usize, a: usize, b: usize, bytes: usize): void { ofTwo(LESS_EQUAL_UINT, to, a, b, bytes) }

/** Runs one of these operations on `count` elements; false where the opcode is of another kind. */
export function runSimple(opcode: i32, to: usize, a: usize, b: usize, c: usize, count: i32): bool {
  const bytes = usize((count + 15) & ~15) << 2
  switch (opcode) {
    case NEG:
      negOf(to, a, bytes)
      return true
    case ABS:
      absOf(to, a, bytes)
      return true
    case SIGN:
      signOf(to, a, bytes)
      return true
    case FLOOR:
      floorOf(to, a, bytes)
      return true
    case CEIL:
      ceilOf(to, a, bytes)
      return true
    case TRUNC:
      truncOf(to, a, bytes)
      return true
    case NEAREST:
      nearestOf(to, a, bytes)
      return true
    case NOT:
      notOf(to, a, bytes)
      return true
    case IS_NAN:
      isNanOf(to, a, bytes)
      return true
    case IS_INF:
      isInfOf(to, a, bytes)
      return true
    case IS_FINITE:
      isFiniteOf(to, a, bytes)
      return true
    case COPY:
      copyOf(to, a, bytes)
      return true
    case NEG_INT:
      negIntOf(to, a, bytes)
      return true
    case ABS_INT:
      absIntOf(to, a, bytes)
      return true
    case MASK_TO_FLOAT:
      maskToFloatOf(to, a, bytes)
      return true
    case MASK_TO_INT:
      maskToIntOf(to, a, bytes)
      return true
    case INT_TO_FLOAT:
      intToFloatOf(to, a, bytes)
      return true
    case UINT_TO_FLOAT:
      uintToFloatOf(to, a, bytes)
      return true
    case FLOAT_TO_INT:
      floatToIntOf(to, a, bytes)
      return true
    case FLOAT_TO_UINT:
      floatToUintOf(to, a, bytes)
      return true
    case FLOAT_TO_MASK:
      floatToMaskOf(to, a, bytes)
      return true
    case INT_TO_MASK:
      intToMaskOf(to, a, bytes)
      return true
    case FLUSH:
      flushOf(to, a, bytes)
      return true
    case RELU:
      reluOf(to, a, bytes)
      return true
    case MIN:
      minOf(to, a, b, bytes)
      return true
    case MAX:
      maxOf(to, a, b, bytes)
      return true
    case EQUAL:
      equalOf(to, a, b, bytes)
      return true
    case LESS:
      lessOf(to, a, b, bytes)
      return true
    case LESS_EQUAL:
      lessEqualOf(to, a, b, bytes)
      return true
    case AND:
      andOf(to, a, b, bytes)
      return true
    case OR:
      orOf(to, a, b, bytes)
      return true
    case ADD_INT:
      addIntOf(to, a, b, bytes)
      return true
    case SUB_INT:
      subIntOf(to, a, b, bytes)
      return true
    case MUL_INT:
      mulIntOf(to, a, b, bytes)
      return true
    case MIN_INT:
      minIntOf(to, a, b, bytes)
      return true
    case MAX_INT:
      maxIntOf(to, a, b, bytes)
      return true
    case MIN_UINT:
      minUintOf(to, a, b, bytes)
      return true
    case MAX_UINT:
      maxUintOf(to, a, b, bytes)
      return true
    case EQUAL_INT:
      equalIntOf(to, a, b, bytes)
      return true
    case LESS_INT:
      lessIntOf(to, a, b, bytes)
      return true
    case LESS_EQUAL_INT:
      lessEqualIntOf(to, a, b, bytes)
      return true
    case LESS_UINT:
      lessUintOf(to, a, b, bytes)
      return true
    case LESS_EQUAL_UINT:
      lessEqualUintOf(to, a, b, bytes)
      return true
    case WHERE:
      where(to, a, b, c, bytes)
      return true
    default:
      return false
  }
}
