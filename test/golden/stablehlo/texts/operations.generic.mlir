#map = affine_map<(d0) -> (d0 + 1)>
"builtin.module"() ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2]>, sym_name = "m"}> : () -> ()
  "func.func"() <{function_type = (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>, sym_name = "d"}> ({
  ^bb0(%arg62: tensor<3x4xf32>, %arg63: tensor<3x4xf32>):
    "func.return"(%arg62) : (tensor<3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3x4xf32>, sym_name = "d2", sym_visibility = "private"}> ({
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@m, [{}, {}]>}, {}, {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}], function_type = (tensor<3x4xf32>, tensor<3x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<i1>, !stablehlo.token, tensor<2xi64>, tensor<i64>, tensor<f32>, tensor<4xf32>, tensor<2x1xi32>, tensor<2x4xf32>, tensor<4xcomplex<f32>>, tensor<?x4xf32>, tensor<3x3xf32>, tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>, tensor<3x3x4x3xf32>, tensor<2x2xi64>, tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<3xbf16>, tensor<bf16>, tensor<1x2xui64>, tuple<tensor<3x4xf32>, tensor<i32>>, tensor<4x3xf32>) -> (), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<4x4xf32>, %arg3: tensor<i32>, %arg4: tensor<i1>, %arg5: !stablehlo.token, %arg6: tensor<2xi64>, %arg7: tensor<i64>, %arg8: tensor<f32>, %arg9: tensor<4xf32>, %arg10: tensor<2x1xi32>, %arg11: tensor<2x4xf32>, %arg12: tensor<4xcomplex<f32>>, %arg13: tensor<?x4xf32>, %arg14: tensor<3x3xf32>, %arg15: tensor<1x8x8x3xf32>, %arg16: tensor<3x3x3x4xf32>, %arg17: tensor<3x3x4x3xf32>, %arg18: tensor<2x2xi64>, %arg19: tensor<?x4xf32, #stablehlo.bounds<8, ?>>, %arg20: tensor<3xbf16>, %arg21: tensor<bf16>, %arg22: tensor<1x2xui64>, %arg23: tuple<tensor<3x4xf32>, tensor<i32>>, %arg24: tensor<4x3xf32>):
    %0 = "chlo.acos"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %1 = "chlo.acosh"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %2 = "chlo._asin_acos_kernel"(%arg12) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %3 = "chlo.bessel_i1e"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %4 = "chlo.conj"(%arg12) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %5 = "chlo.is_inf"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xi1>
    %6 = "chlo.is_neg_inf"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xi1>
    %7 = "chlo.zeta"(%arg0, %arg0) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %8 = "chlo.next_after"(%arg0, %arg0) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %9 = "chlo.polygamma"(%arg0, %arg0) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %10 = "chlo.mulhi"(%arg6, %arg6) : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
    %11 = "chlo.broadcast_add"(%arg0, %arg8) <{broadcast_dimensions = array<i64>}> : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %12 = "chlo.broadcast_add"(%arg0, %arg8) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %13 = "chlo.broadcast_compare"(%arg0, %arg8) <{compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>}> : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xi1>
    %14 = "chlo.broadcast_complex"(%arg0, %arg8) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xcomplex<f32>>
    %15 = "chlo.broadcast_select"(%arg4, %arg0, %arg8) : (tensor<i1>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %16 = "chlo.broadcast_zeta"(%arg0, %arg8) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %17 = "chlo.constant"() <{value = dense<1.000000e+00> : tensor<2xf32>}> : () -> tensor<2xf32>
    %18 = "chlo.constant_like"(%arg0) <{value = 3.200000e+00 : f32}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %19:2 = "chlo.top_k"(%arg0) <{k = 2 : i64}> : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
    %20 = "chlo.square"(%arg12) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %21 = "chlo.erf"(%arg13) : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %22:2 = "chlo.scan"(%arg6, %arg7) <{dimension = 0 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg60: tensor<i64>, %arg61: tensor<i64>):
      "stablehlo.return"(%arg60, %arg61) : (tensor<i64>, tensor<i64>) -> ()
    }) : (tensor<2xi64>, tensor<i64>) -> (tensor<2xi64>, tensor<i64>)
    %23:2 = "chlo.scan"(%arg6, %arg7) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg58: tensor<i64>, %arg59: tensor<i64>):
      "stablehlo.return"(%arg58, %arg59) : (tensor<i64>, tensor<i64>) -> ()
    }) : (tensor<2xi64>, tensor<i64>) -> (tensor<2xi64>, tensor<i64>)
    %24 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<3x4xf32>) -> tensor<3x8xf32>
    %25 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1, 2], [3, 4, -1]]> : tensor<2x3xi64>}> ({
    ^bb0(%arg56: tensor<f32>, %arg57: tensor<f32>):
      %142 = "stablehlo.add"(%arg56, %arg57) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%142) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %26 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %27 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %28 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<3x4xf32>) -> tensor<6x2xf32>
    %29 = "stablehlo.cross-replica-sum"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %30 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg54: tensor<f32>, %arg55: tensor<f32>):
      %141 = "stablehlo.compare"(%arg54, %arg55) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%141) : (tensor<i1>) -> ()
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %31 = "stablehlo.sort"(%arg0) ({
    ^bb0(%arg52: tensor<f32>, %arg53: tensor<f32>):
      %140 = "stablehlo.compare"(%arg52, %arg53) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%140) : (tensor<i1>) -> ()
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %32 = "stablehlo.if"(%arg4) ({
      "stablehlo.return"(%arg0) : (tensor<3x4xf32>) -> ()
    }, {
      "stablehlo.return"(%arg0) : (tensor<3x4xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3x4xf32>
    %33:2 = "stablehlo.case"(%arg3) ({
      "stablehlo.return"(%arg0, %arg3) : (tensor<3x4xf32>, tensor<i32>) -> ()
    }, {
      "stablehlo.return"(%arg0, %arg3) : (tensor<3x4xf32>, tensor<i32>) -> ()
    }) : (tensor<i32>) -> (tensor<3x4xf32>, tensor<i32>)
    %34 = "stablehlo.map"(%arg0, %arg0) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg50: tensor<f32>, %arg51: tensor<f32>):
      %139 = "stablehlo.add"(%arg50, %arg51) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%139) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %35 = "stablehlo.batch_norm_inference"(%arg0, %arg9, %arg9, %arg9, %arg9) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    %36:3 = "stablehlo.batch_norm_training"(%arg0, %arg9, %arg9) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>)
    %37:2 = "stablehlo.infeed"(%arg5) <{infeed_config = "", layout = [[1, 0]]}> : (!stablehlo.token) -> (tensor<3x4xf32>, !stablehlo.token)
    %38 = "stablehlo.outfeed"(%arg0, %arg5) <{outfeed_config = ""}> : (tensor<3x4xf32>, !stablehlo.token) -> !stablehlo.token
    %39 = "stablehlo.send"(%arg0, %arg5) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<3x4xf32>, !stablehlo.token) -> !stablehlo.token
    %40:2 = "stablehlo.recv"(%arg5) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<3x4xf32>, !stablehlo.token)
    %41 = "stablehlo.gather"(%arg0, %arg10) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
    %42 = "stablehlo.scatter"(%arg0, %arg10, %arg11) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg48: tensor<f32>, %arg49: tensor<f32>):
      "stablehlo.return"(%arg49) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<3x4xf32>
    %43 = "stablehlo.reduce_window"(%arg0, %arg8) <{padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg46: tensor<f32>, %arg47: tensor<f32>):
      %138 = "stablehlo.add"(%arg46, %arg47) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%138) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %44 = "stablehlo.select_and_scatter"(%arg0, %arg0, %arg8) <{window_dimensions = array<i64: 1, 1>}> ({
    ^bb0(%arg44: tensor<f32>, %arg45: tensor<f32>):
      %137 = "stablehlo.compare"(%arg44, %arg45) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%137) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg42: tensor<f32>, %arg43: tensor<f32>):
      %136 = "stablehlo.add"(%arg42, %arg43) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%136) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %45 = "stablehlo.triangular_solve"(%arg14, %arg14) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %46 = "stablehlo.cholesky"(%arg14) <{lower = false}> : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %47 = "stablehlo.cholesky"(%arg14) : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %48 = "stablehlo.custom_call"(%arg0) <{api_version = 1 : i32, backend_config = "", call_target_name = "foo", called_computations = [], has_side_effect = false, output_operand_aliases = []}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %49 = "stablehlo.custom_call"(%arg0) <{api_version = 4 : i32, backend_config = {a = 1 : i32, b = dense<2> : tensor<i64>}, call_target_name = "foo bar", called_computations = [@d]}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %50 = "stablehlo.composite"(%arg0, %arg0) <{composite_attributes = {}, decomposition = @d, name = "a.b", version = 0 : i32}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %51 = "stablehlo.composite"(%arg0, %arg0) <{decomposition = @d, name = "a.b"}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %52 = "stablehlo.exponential"(%arg0) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %53 = "stablehlo.exponential"(%arg0) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %54 = "stablehlo.tan"(%arg0) <{result_accuracy = #stablehlo.result_accuracy<rtol = 2.500000e+00, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %55 = "stablehlo.dot_general"(%arg0, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = []}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
    %56 = "stablehlo.dot_general"(%arg0, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [1], rhs_batching_dimensions = [1]>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<4x3x3xf32>
    %57 = "stablehlo.dot"(%arg0, %arg9) <{precision_config = []}> : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
    %58 = "stablehlo.convolution"(%arg15, %arg16) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
    %59 = "stablehlo.convolution"(%arg15, %arg17) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 1, 0, f]x[o, 1, 0, i]->[f, 0, 1, b]>, feature_group_count = 1 : i64, padding = dense<[[1, 1], [0, -1]]> : tensor<2x2xi64>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>], window_reversal = array<i1: true, false>, window_strides = array<i64: 2, 1>}> : (tensor<1x8x8x3xf32>, tensor<3x3x4x3xf32>) -> tensor<3x4x5x1xf32>
    %60 = "stablehlo.dynamic_conv"(%arg15, %arg16, %arg18) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>, tensor<2x2xi64>) -> tensor<1x?x?x4xf32>
    %61 = "stablehlo.dynamic_gather"(%arg0, %arg10, %arg6) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x?xf32>
    %62 = "stablehlo.dynamic_pad"(%arg0, %arg8, %arg6, %arg6, %arg6) : (tensor<3x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %63 = "stablehlo.real_dynamic_slice"(%arg0, %arg6, %arg6, %arg6) : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %64 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg6) <{broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>}> : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %65 = "stablehlo.torch_index_select"(%arg0, %arg6) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
    %66 = "stablehlo.optimization_barrier"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    "stablehlo.optimization_barrier"() : () -> ()
    "stablehlo.custom_call"() <{call_target_name = "Shape", has_side_effect = true}> : () -> ()
    %67 = "stablehlo.create_token"() : () -> !stablehlo.token
    %68 = "stablehlo.partition_id"() : () -> tensor<ui32>
    %69 = "stablehlo.reshape"(%arg0) {mhlo.sharding = "{replicated}"} : (tensor<3x4xf32>) -> tensor<12xf32>
    %70 = "stablehlo.add"(%arg19, %arg19) : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<?x4xf32, #stablehlo.bounds<8, ?>>
    %71 = "stablehlo.bitcast_convert"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4x2xbf16>
    %72 = "stablehlo.reduce"(%arg20, %arg21) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg40: tensor<bf16>, %arg41: tensor<bf16>):
      %135 = "stablehlo.add"(%arg40, %arg41) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%135) : (tensor<bf16>) -> ()
    }) : (tensor<3xbf16>, tensor<bf16>) -> tensor<bf16>
    %73 = "stablehlo.reduce"(%arg20, %arg8) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg38: tensor<f32>, %arg39: tensor<f32>):
      %134 = "stablehlo.add"(%arg38, %arg39) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%134) : (tensor<f32>) -> ()
    }) : (tensor<3xbf16>, tensor<f32>) -> tensor<f32>
    "stablehlo.while"() ({
      "stablehlo.return"(%arg4) : (tensor<i1>) -> ()
    }, {
      "stablehlo.return"() : () -> ()
    }) : () -> ()
    %74 = "sdy.sharding_constraint"(%arg0) <{sharding = #sdy.sharding<@m, [{"a"}, {?}]>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %75 = "sdy.reshard"(%arg0) <{sharding = #sdy.sharding<@m, [{"a"}, {}]>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    "sdy.sharding_group"(%arg0) <{group_id = 3 : i64}> : (tensor<3x4xf32>) -> ()
    %76 = "sdy.propagation_barrier"(%arg0) <{allowed_direction = 1 : i32}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %77 = "sdy.all_gather"(%arg2) <{gathering_axes = #sdy<list_of_axis_ref_lists[{"a"}, {}]>, out_sharding = #sdy.sharding<@m, [{}, {}]>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %78 = "sdy.all_slice"(%arg0) <{out_sharding = #sdy.sharding<@m, [{"a"}, {}]>, slicing_axes = #sdy<list_of_axis_ref_lists[{"a"}, {}]>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %79 = "sdy.all_reduce"(%arg0) <{out_sharding = #sdy.sharding<@m, [{}, {}]>, reduction_axes = #sdy<axis_ref_list{"a"}>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %80 = "sdy.reduce_scatter"(%arg0) <{out_sharding = #sdy.sharding<@m, [{"a"}, {}]>, reduce_scatter_axes = #sdy<list_of_axis_ref_lists[{"a"}, {}]>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %81 = "sdy.collective_permute"(%arg2) <{out_sharding = #sdy.sharding<@m, [{"b"}, {}]>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %82 = "sdy.all_to_all"(%arg2) <{out_sharding = #sdy.sharding<@m, [{}, {"a"}]>, params = #sdy<all_to_all_param_list[{"a"}: 0->1]>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %83 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<2xf32>}> : () -> tensor<2xf32>
    %84 = "sdy.data_flow_edge"(%arg1) <{sharding = #sdy.sharding<@m, [{}, {}]>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %85 = "sdy.named_computation"(%arg0) <{in_shardings = #sdy.sharding_per_value<[<@m, [{}, {}]>]>, name = "foo", out_shardings = #sdy.sharding_per_value<[<@m, [{}, {}]>]>}> ({
    ^bb0(%arg37: tensor<3x4xf32>):
      "sdy.return"(%arg37) : (tensor<3x4xf32>) -> ()
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %86 = "sdy.named_computation"(%arg0) <{name = "foo"}> ({
    ^bb0(%arg36: tensor<3x4xf32>):
      "sdy.return"(%arg36) : (tensor<3x4xf32>) -> ()
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %87 = "sdy.manual_computation"(%arg2) <{in_shardings = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>}> ({
    ^bb0(%arg35: tensor<2x4xf32>):
      "sdy.return"(%arg35) : (tensor<2x4xf32>) -> ()
    }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %88 = "stablehlo.add"(%arg0, %arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"a", ?}p1], replicated={"b"}>]>} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %89 = "stablehlo.add"(%arg0, %arg0) {foo.bf = 1.000000e+00 : bf16, foo.big = 18446744073709551615 : ui64, foo.e = {}, foo.f = array<f32: 1.000000e+00, -0.000000e+00>, foo.g = (i32) -> i1, foo.h = dense<[true, false]> : tensor<2xi1>, foo.neg = -5 : i8, foo.s = "a\22b\\c\0A\E2\88\9E", foo.sym = @a::@b, foo.t = 1.500000e+00 : f32, foo.u = [1, 2.000000e+00, "x", @d, i32, tensor<2xf32>, unit, true], foo.v = #map, foo.w = 0x7FC00000 : f32, "foo.x y" = 3 : i64} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %90 = "stablehlo.reduce_precision"(%arg0) <{exponent_bits = 8 : i32, mantissa_bits = 10 : i32}> {foo.bar = 1 : i64} : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %91 = "stablehlo.exponential"(%arg0) <{result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %92 = "stablehlo.exponential"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %93 = "stablehlo.reduce_precision"(%arg0) <{exponent_bits = 8 : i32, mantissa_bits = 10 : i32}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %94 = "stablehlo.custom_call"(%arg0, %arg0) <{api_version = 2 : i32, backend_config = "bar", call_target_name = "foo", has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %95 = "stablehlo.cholesky"(%arg14) <{lower = true}> : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %96:2 = "stablehlo.optimization_barrier"(%arg0, %arg3) : (tensor<3x4xf32>, tensor<i32>) -> (tensor<3x4xf32>, tensor<i32>)
    %97 = "stablehlo.after_all"() : () -> !stablehlo.token
    %98 = "stablehlo.after_all"(%arg5, %arg5) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
    %99 = "stablehlo.tuple"(%arg0, %arg3) : (tensor<3x4xf32>, tensor<i32>) -> tuple<tensor<3x4xf32>, tensor<i32>>
    %100 = "stablehlo.tuple"() : () -> tuple<>
    %101 = "stablehlo.get_tuple_element"(%arg23) <{index = 1 : i32}> : (tuple<tensor<3x4xf32>, tensor<i32>>) -> tensor<i32>
    %102 = "stablehlo.replica_id"() : () -> tensor<ui32>
    %103 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 2, 4>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 2>}> : (tensor<3x4xf32>) -> tensor<2x2xf32>
    %104 = "stablehlo.dynamic_slice"(%arg0, %arg3, %arg3) <{slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %105 = "stablehlo.pad"(%arg0, %arg8) <{edge_padding_high = array<i64: 0, 1>, edge_padding_low = array<i64: 0, 1>, interior_padding = array<i64: 0, 0>}> : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x6xf32>
    %106 = "stablehlo.fft"(%arg12) <{fft_length = array<i64: 4>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %107 = "stablehlo.compare"(%arg0, %arg0) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %108 = "stablehlo.compare"(%arg0, %arg0) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %109 = "stablehlo.rng"(%arg8, %arg8, %arg6) <{rng_distribution = #stablehlo<rng_distribution NORMAL>}> : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
    %110 = "stablehlo.composite"(%arg0, %arg0) <{composite_attributes = {a = 1 : i64}, decomposition = @d, name = "my.op", version = 1 : i32}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %111 = "stablehlo.composite"() <{decomposition = @d2, name = "my.op"}> : () -> tensor<3x4xf32>
    %112 = "stablehlo.dot_general"(%arg0, %arg0) <{algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>, dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
    %113 = "stablehlo.dot"(%arg0, %arg24) <{precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]}> : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
    %114 = "stablehlo.add"(%arg13, %arg0) : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %115 = "stablehlo.get_dimension_size"(%arg0) <{dimension = 1 : i64}> : (tensor<3x4xf32>) -> tensor<i32>
    %116 = "stablehlo.set_dimension_size"(%arg0, %arg3) <{dimension = 1 : i64}> : (tensor<3x4xf32>, tensor<i32>) -> tensor<3x?xf32, #stablehlo.bounds<?, 4>>
    %117 = "stablehlo.complex"(%arg0, %arg0) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xcomplex<f32>>
    %118 = "stablehlo.select"(%arg4, %arg0, %arg0) : (tensor<i1>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %119 = "stablehlo.clamp"(%arg8, %arg0, %arg8) : (tensor<f32>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %120 = "stablehlo.einsum"(%arg0, %arg24) <{einsum_config = "ij,jk->ik"}> : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
    %121 = "stablehlo.unary_einsum"(%arg0) <{einsum_config = "ij->ji"}> : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %122 = "stablehlo.broadcast"(%arg0) <{broadcast_sizes = array<i64: 2>}> : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
    %123 = "stablehlo.dynamic_iota"(%arg6) <{iota_dimension = 0 : i64}> : (tensor<2xi64>) -> tensor<?x?xf32>
    %124 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg6) <{broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64: 0>}> : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %125 = "stablehlo.dynamic_reshape"(%arg0, %arg6) : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %126 = "stablehlo.reverse"(%arg0) <{dimensions = array<i64: 0>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %127:2 = "stablehlo.reduce"(%arg0, %arg0, %arg8, %arg8) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg31: tensor<f32>, %arg32: tensor<f32>, %arg33: tensor<f32>, %arg34: tensor<f32>):
      "stablehlo.return"(%arg31, %arg32) : (tensor<f32>, tensor<f32>) -> ()
    }) : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>)
    %128 = "stablehlo.reduce"(%arg0, %arg8) <{dimensions = array<i64: 1, 0>}> ({
    ^bb0(%arg29: tensor<f32>, %arg30: tensor<f32>):
      %133 = "stablehlo.maximum"(%arg29, %arg30) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%133) : (tensor<f32>) -> ()
    }) {foo.a} : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %129:2 = "stablehlo.while"(%arg0, %arg3) ({
    ^bb0(%arg27: tensor<3x4xf32>, %arg28: tensor<i32>):
      "stablehlo.return"(%arg4) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg25: tensor<3x4xf32>, %arg26: tensor<i32>):
      "stablehlo.return"(%arg25, %arg26) : (tensor<3x4xf32>, tensor<i32>) -> ()
    }) {foo.b} : (tensor<3x4xf32>, tensor<i32>) -> (tensor<3x4xf32>, tensor<i32>)
    %130 = "stablehlo.convolution"(%arg15, %arg16) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 2, 2>, window_reversal = array<i1: false, true>, window_strides = array<i64: 1, 1>}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>
    %131:2 = "stablehlo.rng_bit_generator"(%arg22) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<1x2xui64>) -> (tensor<1x2xui64>, tensor<2x2xui32>)
    %132 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>]>}> : (tensor<3x4xf32>) -> tensor<3x8xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
