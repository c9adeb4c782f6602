// What the words of a program mean: the one list, read by the code that writes programs (emit.ts) and by the one that runs
// them (wasm/program). Plain constants, which both languages understand.

// Steps: an opcode and its own number of words.
export const END = 0
/** A loop over blocks: elements, elements of a block, bytes of the body; then the body, six words an instruction. */
export const GROUP = 1
/** A matrix product, see wasm/program/gemm.ts. */
export const GEMM = 2
/** A sum or mean of lanes, see wasm/program/lanes.ts. */
export const SUM = 3
export const EXTREMUM = 4
export const CUMSUM = 5
/** Calls the host: the number of a function. */
export const CALL = 6
/** Elements on their way in or out, in place: pointer, count, kind, table. */
export const ENTER = 7
export const LEAVE = 8
/** Looks for NaNs among stored elements: pointer, count. */
export const LOOK = 9

// How a result is rounded.
export const EXACT = 0
export const TO_BFLOAT16 = 1
export const TO_FORMAT = 2
export const TO_FLOAT64 = 3

// How elements enter and leave: what they are outside. Inside a value has 32 bits, float64 has 64.
export const FLOAT32 = 0
export const BFLOAT16 = 1
export const FLOAT16 = 2
export const BYTES = 3
export const BOOL = 4
export const FLOAT64 = 5
export const INTEGER = 6

// Instructions of a body: opcode, to, a, b, c, parameter. Where the three roundings of an operation follow each other,
// opcode + rounding is the rounded one.
export const ADD = 0
export const SUB = 3
export const MUL = 6
export const DIV = 9
export const SQRT = 12
export const ROUND = 15
export const MIN = 18
export const MAX = 19
export const NEG = 20
export const ABS = 21
export const SIGN = 22
export const FLOOR = 23
export const CEIL = 24
export const TRUNC = 25
export const NEAREST = 26
export const EQUAL = 27
export const LESS = 28
export const LESS_EQUAL = 29
export const AND = 30
export const OR = 31
export const NOT = 32
export const IS_NAN = 33
export const IS_INF = 34
export const IS_FINITE = 35
export const WHERE = 36
export const WHERE64 = 37
export const TABLE16 = 38
export const TABLE_HALF = 39
export const LOAD = 40
export const LOAD64 = 41
export const HOST = 42
export const COPY = 43
export const COPY64 = 44
export const ADD_INT = 45
export const SUB_INT = 46
export const MUL_INT = 47
export const MIN_INT = 48
export const MAX_INT = 49
export const MIN_UINT = 50
export const MAX_UINT = 51
export const EQUAL_INT = 52
export const LESS_INT = 53
export const LESS_EQUAL_INT = 54
export const LESS_UINT = 55
export const LESS_EQUAL_UINT = 56
export const NEG_INT = 57
export const ABS_INT = 58
export const ADD64 = 59
export const SUB64 = 60
export const MUL64 = 61
export const DIV64 = 62
export const MIN64 = 63
export const MAX64 = 64
export const SQRT64 = 65
export const NEG64 = 66
export const ABS64 = 67
export const EQUAL64 = 68
export const LESS64 = 69
export const LESS_EQUAL64 = 70
export const IS_NAN64 = 71
export const WIDEN = 72
export const NARROW = 73
export const NARROW_BFLOAT16 = 74
export const NARROW_FORMAT = 75
export const MASK_TO_FLOAT = 76
export const MASK_TO_INT = 77
export const MASK_TO_FLOAT64 = 78
export const INT_TO_FLOAT = 79
export const INT_TO_FLOAT64 = 80
export const UINT_TO_FLOAT = 81
export const UINT_TO_FLOAT64 = 82
export const FLOAT_TO_INT = 83
export const FLOAT_TO_UINT = 84
export const FLOAT_TO_MASK = 85
export const INT_TO_MASK = 86
export const FLUSH = 87
export const RELU = 88
/** Looks for NaNs among the elements of a block. */
export const CHECK = 89
export const TABLE8 = 90
