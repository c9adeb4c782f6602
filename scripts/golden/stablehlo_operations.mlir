// Operations of the dialects in spellings that MLIR takes: read and printed again by scripts/golden/stablehlo_texts.py.
sdy.mesh @m = <["a"=2, "b"=2]>
func.func @d(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> { return %x : tensor<3x4xf32> }
func.func private @d2() -> tensor<3x4xf32>
func.func @main(%x: tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}, %ed: tensor<3x4xf32>, %sx: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}, %i: tensor<i32>, %b: tensor<i1>, %t: !stablehlo.token, %i64: tensor<2xi64>, %s64: tensor<i64>, %f: tensor<f32>, %v: tensor<4xf32>, %g: tensor<2x1xi32>, %u: tensor<2x4xf32>, %cx: tensor<4xcomplex<f32>>, %tx: tensor<?x4xf32>, %sq: tensor<3x3xf32>, %c1: tensor<1x8x8x3xf32>, %c2: tensor<3x3x3x4xf32>, %c3: tensor<3x3x4x3xf32>, %pad: tensor<2x2xi64>, %bx: tensor<?x4xf32, #stablehlo.bounds<8, ?>>, %bfx: tensor<3xbf16>, %bf: tensor<bf16>, %p: tensor<1x2xui64>, %tu: tuple<tensor<3x4xf32>, tensor<i32>>, %xt: tensor<4x3xf32>) {
  %r0 = chlo.acos %x : tensor<3x4xf32> -> tensor<3x4xf32>
  %r1 = "chlo.acosh"(%x) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %q2 = "chlo._asin_acos_kernel"(%cx) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %r3 = "chlo.bessel_i1e"(%x) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r4 = "chlo.conj"(%cx) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %r5 = "chlo.is_inf"(%x) : (tensor<3x4xf32>) -> tensor<3x4xi1>
  %r6 = "chlo.is_neg_inf"(%x) : (tensor<3x4xf32>) -> tensor<3x4xi1>
  %r7 = "chlo.zeta"(%x, %x) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %r8 = "chlo.next_after"(%x, %x) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %r9 = "chlo.polygamma"(%x, %x) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %r10 = "chlo.mulhi"(%i64, %i64) : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %r11 = "chlo.broadcast_add"(%x, %f) {broadcast_dimensions = array<i64>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %r12 = "chlo.broadcast_add"(%x, %f) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %r13 = "chlo.broadcast_compare"(%x, %f) {comparison_direction = #chlo<comparison_direction LT>, compare_type = #chlo<comparison_type FLOAT>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xi1>
  %r14 = "chlo.broadcast_complex"(%x, %f) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xcomplex<f32>>
  %r15 = "chlo.broadcast_select"(%b, %x, %f) : (tensor<i1>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %r16 = "chlo.broadcast_zeta"(%x, %f) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %r17 = "chlo.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %r18 = "chlo.constant_like"(%x) {value = 3.2 : f32} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r19:2 = "chlo.top_k"(%x) {k = 2 : i64} : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  %r20 = "chlo.square"(%cx) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %r21 = "chlo.erf"(%tx) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %r22:2 = chlo.scan(%i64) inits(%s64) dimension=0 attributes {is_reverse = true} { ^bb0(%a: tensor<i64>, %c: tensor<i64>): stablehlo.return %a, %c : tensor<i64>, tensor<i64> } : (tensor<2xi64>, tensor<i64>) -> (tensor<2xi64>, tensor<i64>)
  %r23:2 = chlo.scan(%i64) inits(%s64) dimension=0 { ^bb0(%a: tensor<i64>, %c: tensor<i64>): stablehlo.return %a, %c : tensor<i64>, tensor<i64> } : (tensor<2xi64>, tensor<i64>) -> (tensor<2xi64>, tensor<i64>)
  %r24 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> : (tensor<3x4xf32>) -> tensor<3x8xf32>
  %r25 = "stablehlo.all_reduce"(%x) ({ ^bb0(%a: tensor<f32>, %c: tensor<f32>): %s = stablehlo.add %a, %c : tensor<f32> stablehlo.return %s : tensor<f32> }) {replica_groups = dense<[[0, 1, 2], [3, 4, -1]]> : tensor<2x3xi64>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r26 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r27 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r28 = "stablehlo.all_to_all"(%x) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3x4xf32>) -> tensor<6x2xf32>
  %r29 = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r30 = "stablehlo.sort"(%x) ({ ^bb0(%a: tensor<f32>, %c: tensor<f32>): %s = stablehlo.compare LT, %a, %c, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1> stablehlo.return %s : tensor<i1> }) {dimension = 1 : i64, is_stable = true} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r31 = "stablehlo.sort"(%x) ({ ^bb0(%a: tensor<f32>, %c: tensor<f32>): %s = stablehlo.compare LT, %a, %c, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1> stablehlo.return %s : tensor<i1> }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r32 = "stablehlo.if"(%b) ({ stablehlo.return %x : tensor<3x4xf32> }, { stablehlo.return %x : tensor<3x4xf32> }) : (tensor<i1>) -> tensor<3x4xf32>
  %r33:2 = "stablehlo.case"(%i) ({ stablehlo.return %x, %i : tensor<3x4xf32>, tensor<i32> }, { stablehlo.return %x, %i : tensor<3x4xf32>, tensor<i32> }) : (tensor<i32>) -> (tensor<3x4xf32>, tensor<i32>)
  %r34 = "stablehlo.map"(%x, %x) ({ ^bb0(%a: tensor<f32>, %c: tensor<f32>): %s = stablehlo.add %a, %c : tensor<f32> stablehlo.return %s : tensor<f32> }) {dimensions = array<i64: 0, 1>} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %r35 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %r36:3 = "stablehlo.batch_norm_training"(%x, %v, %v) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r37:2 = "stablehlo.infeed"(%t) {infeed_config = "", layout = [[1, 0]]} : (!stablehlo.token) -> (tensor<3x4xf32>, !stablehlo.token)
  %r38 = "stablehlo.outfeed"(%x, %t) {outfeed_config = ""} : (tensor<3x4xf32>, !stablehlo.token) -> !stablehlo.token
  %r39 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true} : (tensor<3x4xf32>, !stablehlo.token) -> !stablehlo.token
  %r40:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<3x4xf32>, !stablehlo.token)
  %r41 = "stablehlo.gather"(%x, %g) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>, indices_are_sorted = false} : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  %r42 = "stablehlo.scatter"(%x, %g, %u) ({ ^bb0(%a: tensor<f32>, %c: tensor<f32>): stablehlo.return %c : tensor<f32> }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = true, unique_indices = false} : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  %r43 = "stablehlo.reduce_window"(%x, %f) ({ ^bb0(%a: tensor<f32>, %c: tensor<f32>): %s = stablehlo.add %a, %c : tensor<f32> stablehlo.return %s : tensor<f32> }) {window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %r44 = "stablehlo.select_and_scatter"(%x, %x, %f) ({ ^bb0(%a: tensor<f32>, %c: tensor<f32>): %s = stablehlo.compare GE, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1> stablehlo.return %s : tensor<i1> }, { ^bb0(%a: tensor<f32>, %c: tensor<f32>): %s = stablehlo.add %a, %c : tensor<f32> stablehlo.return %s : tensor<f32> }) {window_dimensions = array<i64: 1, 1>} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %r45 = "stablehlo.triangular_solve"(%sq, %sq) {left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %r46 = "stablehlo.cholesky"(%sq) {lower = false} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %r47 = "stablehlo.cholesky"(%sq) : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %r48 = "stablehlo.custom_call"(%x) {call_target_name = "foo", has_side_effect = false, api_version = 1 : i32, backend_config = "", called_computations = [], output_operand_aliases = []} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r49 = "stablehlo.custom_call"(%x) {call_target_name = "foo bar", backend_config = {a = 1 : i32, b = dense<2> : tensor<i64>}, api_version = 4 : i32, called_computations = [@d]} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r50 = "stablehlo.composite"(%x, %x) {name = "a.b", composite_attributes = {}, decomposition = @d, version = 0 : i32} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %r51 = "stablehlo.composite"(%x, %x) {name = "a.b", decomposition = @d} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %r52 = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r53 = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r54 = "stablehlo.tan"(%x) {result_accuracy = #stablehlo.result_accuracy<atol = 0.0, rtol = 2.5, ulps = 0, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r55 = "stablehlo.dot_general"(%x, %x) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = []} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  %r56 = "stablehlo.dot_general"(%x, %x) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [1], rhs_batching_dimensions = [1]>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<4x3x3xf32>
  %r57 = "stablehlo.dot"(%x, %v) {precision_config = []} : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
  %r58 = "stablehlo.convolution"(%c1, %c2) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
  %r59 = "stablehlo.convolution"(%c1, %c3) {dimension_numbers = #stablehlo.conv<[b, 1, 0, f]x[o, 1, 0, i]->[f, 0, 1, b]>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, -1]]> : tensor<2x2xi64>, window_reversal = array<i1: true, false>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x3xf32>, tensor<3x3x4x3xf32>) -> tensor<3x4x5x1xf32>
  %r60 = "stablehlo.dynamic_conv"(%c1, %c2, %pad) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>, tensor<2x2xi64>) -> tensor<1x?x?x4xf32>
  %r61 = "stablehlo.dynamic_gather"(%x, %g, %i64) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false} : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x?xf32>
  %r62 = stablehlo.dynamic_pad %x, %f, %i64, %i64, %i64 : (tensor<3x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %r63 = stablehlo.real_dynamic_slice %x, %i64, %i64, %i64 : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %r64 = stablehlo.dynamic_broadcast_in_dim %x, %i64, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %r65 = "stablehlo.torch_index_select"(%x, %i64) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  %r66 = stablehlo.optimization_barrier %x : tensor<3x4xf32>
  "stablehlo.optimization_barrier"() : () -> ()
  stablehlo.custom_call @Shape() {has_side_effect = true} : () -> ()
  %r69 = stablehlo.create_token : !stablehlo.token
  %r70 = stablehlo.partition_id : tensor<ui32>
  %r71 = stablehlo.reshape %x {mhlo.sharding = "{replicated}"} : (tensor<3x4xf32>) -> tensor<12xf32>
  %r72 = stablehlo.add %bx, %bx : tensor<?x4xf32, #stablehlo.bounds<8, ?>>
  %r73 = stablehlo.bitcast_convert %x : (tensor<3x4xf32>) -> tensor<3x4x2xbf16>
  %r74 = "stablehlo.reduce"(%bfx, %bf) ({ ^bb0(%a: tensor<bf16>, %c: tensor<bf16>): %s = stablehlo.add %a, %c : tensor<bf16> stablehlo.return %s : tensor<bf16> }) {dimensions = array<i64: 0>} : (tensor<3xbf16>, tensor<bf16>) -> tensor<bf16>
  %r75 = "stablehlo.reduce"(%bfx, %f) ({ ^bb0(%a: tensor<f32>, %c: tensor<f32>): %s = stablehlo.add %a, %c : tensor<f32> stablehlo.return %s : tensor<f32> }) {dimensions = array<i64: 0>} : (tensor<3xbf16>, tensor<f32>) -> tensor<f32>
  "stablehlo.while"() ({ stablehlo.return %b : tensor<i1> }, { stablehlo.return }) : () -> ()
  %r77 = sdy.sharding_constraint %x <@m, [{"a"}, {?}]> : tensor<3x4xf32>
  %r78 = sdy.reshard %x <@m, [{"a"}, {}]> : tensor<3x4xf32>
  sdy.sharding_group %x group_id=3 : tensor<3x4xf32>
  %r80 = sdy.propagation_barrier %x allowed_direction=FORWARD : tensor<3x4xf32>
  %r81 = sdy.all_gather [{"a"}, {}] %sx out_sharding=<@m, [{}, {}]> : tensor<4x4xf32>
  %r82 = sdy.all_slice [{"a"}, {}] %x out_sharding=<@m, [{"a"}, {}]> : tensor<3x4xf32>
  %r83 = sdy.all_reduce {"a"} %x out_sharding=<@m, [{}, {}]> : tensor<3x4xf32>
  %r84 = sdy.reduce_scatter [{"a"}, {}] %x out_sharding=<@m, [{"a"}, {}]> : tensor<3x4xf32>
  %r85 = sdy.collective_permute %sx out_sharding=<@m, [{"b"}, {}]> : tensor<4x4xf32>
  %r86 = sdy.all_to_all [{"a"}: 0->1] %sx out_sharding=<@m, [{}, {"a"}]> : tensor<4x4xf32>
  %r87 = sdy.constant dense<1.0> : tensor<2xf32>
  %r88 = sdy.data_flow_edge %ed sharding=<@m, [{}, {}]> : tensor<3x4xf32>
  %r89 = sdy.named_computation<"foo">(%x) in_shardings=[<@m, [{}, {}]>] out_shardings=[<@m, [{}, {}]>] (%a: tensor<3x4xf32>) { sdy.return %a : tensor<3x4xf32> } : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r90 = sdy.named_computation<"foo">(%x) (%a: tensor<3x4xf32>) { sdy.return %a : tensor<3x4xf32> } : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r91 = sdy.manual_computation(%sx) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%a: tensor<2x4xf32>) { sdy.return %a : tensor<2x4xf32> } : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %r92 = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"a", ?}p1], replicated={"b"}>]>} : tensor<3x4xf32>
  %r93 = stablehlo.add %x, %x {foo.s = "a\22b\\c\0A\E2\88\9E", foo.t = 1.5 : f32, foo.u = [1, 2.0, "x", @d, i32, tensor<2xf32>, unit, true], foo.v = affine_map<(d0) -> (d0 + 1)>, foo.w = 0x7FC00000 : f32, foo.big = 18446744073709551615 : ui64, foo.neg = -5 : i8, foo.f = array<f32: 1.0, -0.0>, foo.g = (i32) -> i1, foo.h = dense<[true, false]> : tensor<2xi1>, foo.e = {}, foo.bf = 1.003 : bf16, foo.sym = @a::@b, "foo.x y" = 3} : tensor<3x4xf32>
  %r94 = "stablehlo.reduce_precision"(%x) {exponent_bits = 8 : i32, mantissa_bits = 10 : i32, foo.bar = 1} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r95 = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5, rtol = 0.0, ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r96 = "stablehlo.exponential"(%x) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r97 = "stablehlo.reduce_precision"(%x) {exponent_bits = 8 : i32, mantissa_bits = 10 : i32} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r98 = stablehlo.custom_call @foo(%x, %x) {backend_config = "bar", has_side_effect = true, api_version = 2 : i32, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %r99 = stablehlo.cholesky %sq, lower = true : tensor<3x3xf32>
  %r100:2 = stablehlo.optimization_barrier %x, %i : tensor<3x4xf32>, tensor<i32>
  %r101 = stablehlo.after_all : !stablehlo.token
  %r102 = stablehlo.after_all %t, %t : !stablehlo.token
  %r103 = stablehlo.tuple %x, %i : tuple<tensor<3x4xf32>, tensor<i32>>
  %r104 = stablehlo.tuple : tuple<>
  %r105 = stablehlo.get_tuple_element %tu[1] : (tuple<tensor<3x4xf32>, tensor<i32>>) -> tensor<i32>
  %r106 = stablehlo.replica_id : tensor<ui32>
  %r107 = stablehlo.slice %x [0:2, 0:4:2] : (tensor<3x4xf32>) -> tensor<2x2xf32>
  %r108 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 4] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  %r109 = stablehlo.pad %x, %f, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x6xf32>
  %r110 = stablehlo.fft %cx, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %r111 = stablehlo.compare LT, %x, %x : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
  %r112 = stablehlo.compare LT, %x, %x, TOTALORDER : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
  %r113 = stablehlo.rng %f, %f, %i64, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
  %r114 = stablehlo.composite "my.op" %x, %x {composite_attributes = {a = 1}, decomposition = @d, version = 1 : i32} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %r115 = stablehlo.composite "my.op" {decomposition = @d2} : () -> tensor<3x4xf32>
  %r116 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  %r117 = stablehlo.dot %x, %xt, precision = [HIGHEST, DEFAULT] : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
  %r118 = stablehlo.add %tx, %x : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %r119 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x4xf32>) -> tensor<i32>
  %r120 = stablehlo.set_dimension_size %x, %i, dim = 1 : (tensor<3x4xf32>, tensor<i32>) -> tensor<3x?xf32, #stablehlo.bounds<?, 4>>
  %r121 = stablehlo.complex %x, %x : tensor<3x4xcomplex<f32>>
  %r122 = stablehlo.select %b, %x, %x : tensor<i1>, tensor<3x4xf32>
  %r123 = stablehlo.clamp %f, %x, %f : (tensor<f32>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %r124 = stablehlo.einsum %x, %xt, config = "ij,jk->ik" : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
  %r125 = stablehlo.unary_einsum %x, config = "ij->ji" : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %r126 = stablehlo.broadcast %x, sizes = [2] : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %r127 = stablehlo.dynamic_iota %i64, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
  %r128 = stablehlo.dynamic_broadcast_in_dim %x, %i64, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>} : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %r129 = stablehlo.dynamic_reshape %x, %i64 : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %r130 = stablehlo.reverse %x, dims = [0] : tensor<3x4xf32>
  %r131:2 = stablehlo.reduce(%x init: %f), (%x init: %f) across dimensions = [1] : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>) reducer(%w: tensor<f32>, %w2: tensor<f32>) (%r: tensor<f32>, %r2: tensor<f32>) { stablehlo.return %w, %r : tensor<f32>, tensor<f32> }
  %r132 = stablehlo.reduce(%x init: %f) applies stablehlo.maximum across dimensions = [1, 0] {foo.a} : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
  %r133:2 = stablehlo.while(%it = %x, %j = %i) : tensor<3x4xf32>, tensor<i32> attributes {foo.b} cond { stablehlo.return %b : tensor<i1> } do { stablehlo.return %it, %j : tensor<3x4xf32>, tensor<i32> }
  %r134 = stablehlo.convolution(%c1, %c2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>
  %r135, %q135 = stablehlo.rng_bit_generator %p, algorithm = PHILOX : (tensor<1x2xui64>) -> (tensor<1x2xui64>, tensor<2x2xui32>)
  %mesh0 = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>]>} : (tensor<3x4xf32>) -> tensor<3x8xf32>
  return
}
