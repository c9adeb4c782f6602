// What the words of a program mean: the one list, read by the code that writes programs (emit.ts) and by the one that runs
// them (wasm/program). Plain constants, which both languages understand.

// Steps: an opcode and its own number of words.
export const END = 0
/** A loop over blocks: first element, the one behind the last, elements of a block, bytes of the body; then the body, six words an instruction. */
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
export const CHECK_NAN = 9

/** Concatenated parts: number of parts, the result, rows, bytes of a row; for each part its place and bytes of a row. */
export const JOIN = 10
/** Rows taken by their numbers, see wasm/program/rows.ts. */
export const TAKE = 11

/** Ends where a NaN that came in is not the canonical one. */
export const BAIL = 12
/** Rows added to rows by their numbers, see wasm/program/rows.ts. */
export const SCATTER = 13

// How a result is rounded: not, to bfloat16, to a format where infinity lies beyond the largest value, to one where NaN does.
export const EXACT = 0
export const TO_BFLOAT16 = 1
export const TO_FORMAT = 2
export const TO_TOP = 3
/** Steps of a sum in float64. */
export const TO_FLOAT64 = 4

// How elements enter and leave: what they are outside. Inside a value has 32 bits, float64 has 64.
export const FLOAT32 = 0
export const BFLOAT16 = 1
export const FLOAT16 = 2
export const BYTES = 3
export const BOOL = 4
export const FLOAT64 = 5
export const INTEGER = 6

// Instructions of a body: opcode, to, a, b, c, parameter. Where the four roundings of an operation follow each other,
// opcode + rounding is the rounded one.
export const ADD = 0
export const SUB = 4
export const MUL = 8
export const DIV = 12
export const SQRT = 16
export const ROUND = 20
export const NARROW = 24
export const MIN = 28
export const MAX = 29
export const NEG = 30
export const ABS = 31
export const SIGN = 32
export const FLOOR = 33
export const CEIL = 34
export const TRUNC = 35
export const NEAREST = 36
export const EQUAL = 37
export const LESS = 38
export const LESS_EQUAL = 39
export const AND = 40
export const OR = 41
export const NOT = 42
export const IS_NAN = 43
export const IS_INF = 44
export const IS_FINITE = 45
export const WHERE = 46
export const WHERE64 = 47
export const TABLE16 = 48
export const TABLE_HALF = 49
export const LOAD = 50
export const LOAD64 = 51
export const HOST = 52
export const COPY = 53
export const COPY64 = 54
export const ADD_INT = 55
export const SUB_INT = 56
export const MUL_INT = 57
export const MIN_INT = 58
export const MAX_INT = 59
export const MIN_UINT = 60
export const MAX_UINT = 61
export const EQUAL_INT = 62
export const LESS_INT = 63
export const LESS_EQUAL_INT = 64
export const LESS_UINT = 65
export const LESS_EQUAL_UINT = 66
export const NEG_INT = 67
export const ABS_INT = 68
export const ADD64 = 69
export const SUB64 = 70
export const MUL64 = 71
export const DIV64 = 72
export const MIN64 = 73
export const MAX64 = 74
export const SQRT64 = 75
export const NEG64 = 76
export const ABS64 = 77
export const EQUAL64 = 78
export const LESS64 = 79
export const LESS_EQUAL64 = 80
export const IS_NAN64 = 81
export const WIDEN = 82
export const MASK_TO_FLOAT = 83
export const MASK_TO_INT = 84
export const MASK_TO_FLOAT64 = 85
export const INT_TO_FLOAT = 86
export const INT_TO_FLOAT64 = 87
export const UINT_TO_FLOAT = 88
export const UINT_TO_FLOAT64 = 89
export const FLOAT_TO_INT = 90
export const FLOAT_TO_UINT = 91
export const FLOAT_TO_MASK = 92
export const INT_TO_MASK = 93
export const FLUSH = 94
export const RELU = 95
/** Looks for NaNs with a sign among the elements of a block. */
export const CHECK = 96
export const TABLE8 = 97
/** A function of float32, by its number: wasm/program/functions.ts. */
export const FUNCTION = 98
/** Elements of a block as storage has them, read to values and written from them; the kind of elements is added. */
export const READ = 99
export const WRITE = 104
/** float32 values rounded to a format without a NaN, to one of powers of two alone, and the same of products and quotients in it. */
export const ROUND_FINITE = 109
export const ROUND_POWER = 110
export const ROUND_POWER_PRODUCT = 111
/** float64 values rounded to odd float32 ones: what is narrower is rounded from those as from float64. */
export const NARROW_ODD = 112
/** A product by a constant of at most 1, rounded as TO_FORMAT says; TO_TOP is the next. */
export const MUL_WITHIN = 113
