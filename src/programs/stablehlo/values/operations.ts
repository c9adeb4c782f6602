import type { Lowering } from './lowering.js'

// The operations of the specification and of chlo by kind: a kind whose table forgets one of them does not compile.

/** Functions of elements, which whole tensors may go through in place of scalars. */
export type ElementwiseName = `stablehlo.${
  | 'abs'
  | 'add'
  | 'and'
  | 'atan2'
  | 'bitcast_convert'
  | 'cbrt'
  | 'ceil'
  | 'clamp'
  | 'compare'
  | 'complex'
  | 'convert'
  | 'cosine'
  | 'count_leading_zeros'
  | 'divide'
  | 'exponential'
  | 'exponential_minus_one'
  | 'floor'
  | 'imag'
  | 'is_finite'
  | 'log'
  | 'log_plus_one'
  | 'logistic'
  | 'maximum'
  | 'minimum'
  | 'multiply'
  | 'negate'
  | 'not'
  | 'or'
  | 'popcnt'
  | 'power'
  | 'real'
  | 'reduce_precision'
  | 'remainder'
  | 'round_nearest_afz'
  | 'round_nearest_even'
  | 'rsqrt'
  | 'select'
  | 'shift_left'
  | 'shift_right_arithmetic'
  | 'shift_right_logical'
  | 'sign'
  | 'sine'
  | 'sqrt'
  | 'subtract'
  | 'tan'
  | 'tanh'
  | 'xor'}`

/** Elements are moved. */
export type MoveName = `stablehlo.${
  | 'broadcast'
  | 'broadcast_in_dim'
  | 'concatenate'
  | 'get_dimension_size'
  | 'iota'
  | 'pad'
  | 'reshape'
  | 'reverse'
  | 'slice'
  | 'transpose'}`

/** Elements are moved by indices. */
export type IndexedName = `stablehlo.${
  | 'dynamic_slice'
  | 'dynamic_update_slice'
  | 'gather'
  | 'scatter'
  | 'torch_index_select'}`

/** Elements along axes or in windows become one, or are put in order. */
export type ReductionName = `stablehlo.${'map' | 'reduce' | 'reduce_window' | 'select_and_scatter' | 'sort'}`

/** Products of matrices and what is made of them. */
export type DotName =
  | 'chlo.ragged_dot'
  | `stablehlo.${'convolution' | 'dot' | 'dot_general' | 'einsum' | 'unary_einsum'}`

/** Linear algebra and Fourier transforms. */
export type TransformName = `stablehlo.${'cholesky' | 'fft' | 'triangular_solve'}`

/** What chooses which operations run. */
export type ControlName = 'chlo.scan' | 'func.call' | `stablehlo.${'case' | 'composite' | 'if' | 'while'}`

/** Values are made, or handed on. */
export type PlumbingName =
  | 'sdy.sharding_constraint'
  | `stablehlo.${
      | 'after_all'
      | 'constant'
      | 'create_token'
      | 'custom_call'
      | 'get_tuple_element'
      | 'optimization_barrier'
      | 'rng'
      | 'rng_bit_generator'
      | 'tuple'}`

/** Operations of several devices. */
export type CollectiveName = `stablehlo.${
  | 'all_gather'
  | 'all_reduce'
  | 'all_to_all'
  | 'collective_broadcast'
  | 'collective_permute'
  | 'collective_reduce'
  | 'cross-replica-sum'
  | 'partition_id'
  | 'reduce_scatter'
  | 'replica_id'}`

/** What runs on several processes, or exchanges data with them or with a host. */
export type ParallelName =
  | 'interpreter.run_parallel'
  | 'sdy.manual_computation'
  | `stablehlo.${'infeed' | 'outfeed' | 'recv' | 'send'}`

/** Operations whose shapes are operands. */
export type DynamicName =
  | `stablehlo.${
      | 'compute_reshape_shape'
      | 'dynamic_broadcast_in_dim'
      | 'dynamic_conv'
      | 'dynamic_gather'
      | 'dynamic_iota'
      | 'dynamic_pad'
      | 'dynamic_reshape'
      | 'real_dynamic_slice'}`
  | 'chlo.dynamic_reshape'

/** Operations that are refused; the error gives the reason. */
export type RefusedName = `stablehlo.${'set_dimension_size' | 'uniform_dequantize' | 'uniform_quantize'}`

/** Composite functions of the chlo dialect. */
export type CompositeName = `chlo.${
  | 'acos'
  | 'acosh'
  | 'asin'
  | 'asinh'
  | 'atan'
  | 'atanh'
  | 'bessel_i1e'
  | 'broadcast_acos'
  | 'broadcast_add'
  | 'broadcast_and'
  | 'broadcast_atan2'
  | 'broadcast_compare'
  | 'broadcast_complex'
  | 'broadcast_divide'
  | 'broadcast_maximum'
  | 'broadcast_minimum'
  | 'broadcast_multiply'
  | 'broadcast_next_after'
  | 'broadcast_or'
  | 'broadcast_polygamma'
  | 'broadcast_power'
  | 'broadcast_remainder'
  | 'broadcast_select'
  | 'broadcast_shift_left'
  | 'broadcast_shift_right_arithmetic'
  | 'broadcast_shift_right_logical'
  | 'broadcast_subtract'
  | 'broadcast_xor'
  | 'broadcast_zeta'
  | 'conj'
  | 'constant'
  | 'constant_like'
  | 'cosh'
  | 'digamma'
  | 'erf'
  | 'erf_inv'
  | 'erfc'
  | 'is_inf'
  | 'is_neg_inf'
  | 'is_pos_inf'
  | 'lgamma'
  | 'mulhi'
  | 'next_after'
  | 'polygamma'
  | 'sinh'
  | 'square'
  | 'tan'
  | 'top_k'
  | 'zeta'}`

/** Every operation that this folder knows. */
export type OperationName =
  | ElementwiseName
  | MoveName
  | IndexedName
  | ReductionName
  | DotName
  | TransformName
  | ControlName
  | PlumbingName
  | CollectiveName
  | ParallelName
  | DynamicName
  | RefusedName
  | CompositeName

/** What makes each operation of a kind ready. */
export type LoweringTable<Name extends OperationName> = Readonly<Record<Name, Lowering>>
