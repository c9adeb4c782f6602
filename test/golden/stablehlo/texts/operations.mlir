#map = affine_map<(d0) -> (d0 + 1)>
module {
  sdy.mesh @m = <["a"=2, "b"=2]>
  func.func @d(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4xf32>) -> tensor<3x4xf32> {
    return %arg0 : tensor<3x4xf32>
  }
  func.func private @d2() -> tensor<3x4xf32>
  func.func @main(%arg0: tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}, %arg1: tensor<3x4xf32>, %arg2: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}, %arg3: tensor<i32>, %arg4: tensor<i1>, %arg5: !stablehlo.token, %arg6: tensor<2xi64>, %arg7: tensor<i64>, %arg8: tensor<f32>, %arg9: tensor<4xf32>, %arg10: tensor<2x1xi32>, %arg11: tensor<2x4xf32>, %arg12: tensor<4xcomplex<f32>>, %arg13: tensor<?x4xf32>, %arg14: tensor<3x3xf32>, %arg15: tensor<1x8x8x3xf32>, %arg16: tensor<3x3x3x4xf32>, %arg17: tensor<3x3x4x3xf32>, %arg18: tensor<2x2xi64>, %arg19: tensor<?x4xf32, #stablehlo.bounds<8, ?>>, %arg20: tensor<3xbf16>, %arg21: tensor<bf16>, %arg22: tensor<1x2xui64>, %arg23: tuple<tensor<3x4xf32>, tensor<i32>>, %arg24: tensor<4x3xf32>) {
    %0 = chlo.acos %arg0 : tensor<3x4xf32> -> tensor<3x4xf32>
    %1 = chlo.acosh %arg0 : tensor<3x4xf32> -> tensor<3x4xf32>
    %2 = chlo._asin_acos_kernel %arg12 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %3 = chlo.bessel_i1e %arg0 : tensor<3x4xf32> -> tensor<3x4xf32>
    %4 = chlo.conj %arg12 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %5 = chlo.is_inf %arg0 : tensor<3x4xf32> -> tensor<3x4xi1>
    %6 = chlo.is_neg_inf %arg0 : tensor<3x4xf32> -> tensor<3x4xi1>
    %7 = chlo.zeta %arg0, %arg0 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
    %8 = chlo.next_after %arg0, %arg0 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
    %9 = chlo.polygamma %arg0, %arg0 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
    %10 = chlo.mulhi %arg6, %arg6 : tensor<2xi64>, tensor<2xi64> -> tensor<2xi64>
    %11 = chlo.broadcast_add %arg0, %arg8 {broadcast_dimensions = array<i64>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %12 = chlo.broadcast_add %arg0, %arg8 : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %13 = chlo.broadcast_compare %arg0, %arg8 {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xi1>
    %14 = chlo.broadcast_complex %arg0, %arg8 : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xcomplex<f32>>
    %15 = chlo.broadcast_select %arg4, %arg0, %arg8 : (tensor<i1>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %16 = chlo.broadcast_zeta %arg0, %arg8 : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %17 = chlo.constant dense<1.000000e+00> : tensor<2xf32>
    %18 = "chlo.constant_like"(%arg0) <{value = 3.200000e+00 : f32}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<3x4xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
    %19 = chlo.square %arg12 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %20 = chlo.erf %arg13 : tensor<?x4xf32> -> tensor<?x4xf32>
    %21:2 = chlo.scan(%arg6) inits (%arg7) dimension=0  attributes {is_reverse = true} {
    ^bb0(%input: tensor<i64>, %carry: tensor<i64>):
      stablehlo.return %input, %carry : tensor<i64>, tensor<i64>
    } : (tensor<2xi64>, tensor<i64>) -> (tensor<2xi64>, tensor<i64>)
    %22:2 = chlo.scan(%arg6) inits (%arg7) dimension=0  {
    ^bb0(%input: tensor<i64>, %carry: tensor<i64>):
      stablehlo.return %input, %carry : tensor<i64>, tensor<i64>
    } : (tensor<2xi64>, tensor<i64>) -> (tensor<2xi64>, tensor<i64>)
    %23 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<3x4xf32>) -> tensor<3x8xf32>
    %24 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1, 2], [3, 4, -1]]> : tensor<2x3xi64>}> ({
    ^bb0(%arg25: tensor<f32>, %arg26: tensor<f32>):
      %130 = stablehlo.add %arg25, %arg26 : tensor<f32>
      stablehlo.return %130 : tensor<f32>
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %25 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %26 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %27 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<3x4xf32>) -> tensor<6x2xf32>
    %28 = "stablehlo.cross-replica-sum"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %29 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg25: tensor<f32>, %arg26: tensor<f32>):
      %130 = stablehlo.compare LT, %arg25, %arg26, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %130 : tensor<i1>
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %30 = "stablehlo.sort"(%arg0) ({
    ^bb0(%arg25: tensor<f32>, %arg26: tensor<f32>):
      %130 = stablehlo.compare LT, %arg25, %arg26, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %130 : tensor<i1>
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %31 = "stablehlo.if"(%arg4) ({
      stablehlo.return %arg0 : tensor<3x4xf32>
    }, {
      stablehlo.return %arg0 : tensor<3x4xf32>
    }) : (tensor<i1>) -> tensor<3x4xf32>
    %32:2 = "stablehlo.case"(%arg3) ({
      stablehlo.return %arg0, %arg3 : tensor<3x4xf32>, tensor<i32>
    }, {
      stablehlo.return %arg0, %arg3 : tensor<3x4xf32>, tensor<i32>
    }) : (tensor<i32>) -> (tensor<3x4xf32>, tensor<i32>)
    %33 = "stablehlo.map"(%arg0, %arg0) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg25: tensor<f32>, %arg26: tensor<f32>):
      %130 = stablehlo.add %arg25, %arg26 : tensor<f32>
      stablehlo.return %130 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %34 = "stablehlo.batch_norm_inference"(%arg0, %arg9, %arg9, %arg9, %arg9) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg9, %arg9) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>)
    %35:2 = "stablehlo.infeed"(%arg5) <{infeed_config = "", layout = [[1, 0]]}> : (!stablehlo.token) -> (tensor<3x4xf32>, !stablehlo.token)
    %36 = "stablehlo.outfeed"(%arg0, %arg5) <{outfeed_config = ""}> : (tensor<3x4xf32>, !stablehlo.token) -> !stablehlo.token
    %37 = "stablehlo.send"(%arg0, %arg5) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<3x4xf32>, !stablehlo.token) -> !stablehlo.token
    %38:2 = "stablehlo.recv"(%arg5) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<3x4xf32>, !stablehlo.token)
    %39 = "stablehlo.gather"(%arg0, %arg10) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
    %40 = "stablehlo.scatter"(%arg0, %arg10, %arg11) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg25: tensor<f32>, %arg26: tensor<f32>):
      stablehlo.return %arg26 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<3x4xf32>
    %41 = "stablehlo.reduce_window"(%arg0, %arg8) <{padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg25: tensor<f32>, %arg26: tensor<f32>):
      %130 = stablehlo.add %arg25, %arg26 : tensor<f32>
      stablehlo.return %130 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %42 = "stablehlo.select_and_scatter"(%arg0, %arg0, %arg8) <{window_dimensions = array<i64: 1, 1>}> ({
    ^bb0(%arg25: tensor<f32>, %arg26: tensor<f32>):
      %130 = stablehlo.compare GE, %arg25, %arg26 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %130 : tensor<i1>
    }, {
    ^bb0(%arg25: tensor<f32>, %arg26: tensor<f32>):
      %130 = stablehlo.add %arg25, %arg26 : tensor<f32>
      stablehlo.return %130 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %43 = "stablehlo.triangular_solve"(%arg14, %arg14) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %44 = stablehlo.cholesky %arg14 : tensor<3x3xf32>
    %45 = stablehlo.cholesky %arg14 : tensor<3x3xf32>
    %46 = stablehlo.custom_call @foo(%arg0) {backend_config = ""} : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %47 = stablehlo.custom_call @"foo bar"(%arg0) {api_version = 4 : i32, backend_config = {a = 1 : i32, b = dense<2> : tensor<i64>}, called_computations = [@d]} : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %48 = stablehlo.composite "a.b" %arg0, %arg0 {decomposition = @d} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %49 = stablehlo.composite "a.b" %arg0, %arg0 {decomposition = @d} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %50 = stablehlo.exponential %arg0 : tensor<3x4xf32>
    %51 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<3x4xf32>
    %52 = stablehlo.tan %arg0 {result_accuracy = #stablehlo.result_accuracy<rtol = 2.500000e+00, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<3x4xf32>
    %53 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [0] x [0], precision = [] : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
    %54 = stablehlo.dot_general %arg0, %arg0, batching_dims = [1] x [1], contracting_dims = [] x [], precision = [HIGH, DEFAULT] : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<4x3x3xf32>
    %55 = stablehlo.dot %arg0, %arg9, precision = [] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
    %56 = stablehlo.convolution(%arg15, %arg16) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
    %57 = stablehlo.convolution(%arg15, %arg17) dim_numbers = [b, 1, 0, f]x[o, 1, 0, i]->[f, 0, 1, b], window = {stride = [2, 1], pad = [[1, 1], [0, -1]], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x3xf32>, tensor<3x3x4x3xf32>) -> tensor<3x4x5x1xf32>
    %58 = "stablehlo.dynamic_conv"(%arg15, %arg16, %arg18) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>, tensor<2x2xi64>) -> tensor<1x?x?x4xf32>
    %59 = "stablehlo.dynamic_gather"(%arg0, %arg10, %arg6) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x?xf32>
    %60 = stablehlo.dynamic_pad %arg0, %arg8, %arg6, %arg6, %arg6 : (tensor<3x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %61 = stablehlo.real_dynamic_slice %arg0, %arg6, %arg6, %arg6 : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %62 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg6, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %63 = "stablehlo.torch_index_select"(%arg0, %arg6) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
    %64 = stablehlo.optimization_barrier %arg0 : tensor<3x4xf32>
    stablehlo.optimization_barrier()
    stablehlo.custom_call @Shape() {has_side_effect = true} : () -> ()
    %65 = stablehlo.create_token : !stablehlo.token
    %66 = stablehlo.partition_id : tensor<ui32>
    %67 = stablehlo.reshape %arg0 {mhlo.sharding = "{replicated}"} : (tensor<3x4xf32>) -> tensor<12xf32>
    %68 = stablehlo.add %arg19, %arg19 : tensor<?x4xf32, #stablehlo.bounds<8, ?>>
    %69 = stablehlo.bitcast_convert %arg0 : (tensor<3x4xf32>) -> tensor<3x4x2xbf16>
    %70 = stablehlo.reduce(%arg20 init: %arg21) applies stablehlo.add across dimensions = [0] : (tensor<3xbf16>, tensor<bf16>) -> tensor<bf16>
    %71 = stablehlo.reduce(%arg20 init: %arg8) across dimensions = [0] : (tensor<3xbf16>, tensor<f32>) -> tensor<f32>
     reducer(%arg25: tensor<f32>, %arg26: tensor<f32>)  {
      %130 = stablehlo.add %arg25, %arg26 : tensor<f32>
      stablehlo.return %130 : tensor<f32>
    }
    stablehlo.while()
    cond {
      stablehlo.return %arg4 : tensor<i1>
    } do {
      stablehlo.return 
    }
    %72 = sdy.sharding_constraint %arg0 <@m, [{"a"}, {?}]> : tensor<3x4xf32>
    %73 = sdy.reshard %arg0 <@m, [{"a"}, {}]> : tensor<3x4xf32>
    sdy.sharding_group %arg0 group_id=3 : tensor<3x4xf32>
    %74 = sdy.propagation_barrier %arg0 allowed_direction=FORWARD : tensor<3x4xf32>
    %75 = sdy.all_gather [{"a"}, {}] %arg2 out_sharding=<@m, [{}, {}]> : tensor<4x4xf32>
    %76 = sdy.all_slice [{"a"}, {}] %arg0 out_sharding=<@m, [{"a"}, {}]> : tensor<3x4xf32>
    %77 = sdy.all_reduce {"a"} %arg0 out_sharding=<@m, [{}, {}]> : tensor<3x4xf32>
    %78 = sdy.reduce_scatter [{"a"}, {}] %arg0 out_sharding=<@m, [{"a"}, {}]> : tensor<3x4xf32>
    %79 = sdy.collective_permute %arg2 out_sharding=<@m, [{"b"}, {}]> : tensor<4x4xf32>
    %80 = sdy.all_to_all [{"a"}: 0->1] %arg2 out_sharding=<@m, [{}, {"a"}]> : tensor<4x4xf32>
    %81 = sdy.constant dense<1.000000e+00> : tensor<2xf32>
    %82 = sdy.data_flow_edge %arg1 sharding=<@m, [{}, {}]> : tensor<3x4xf32>
    %83 = sdy.named_computation<"foo">(%arg0) in_shardings=[<@m, [{}, {}]>] out_shardings=[<@m, [{}, {}]>] (%arg25: tensor<3x4xf32>) {
      sdy.return %arg25 : tensor<3x4xf32>
    } : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %84 = sdy.named_computation<"foo">(%arg0) (%arg25: tensor<3x4xf32>) {
      sdy.return %arg25 : tensor<3x4xf32>
    } : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %85 = sdy.manual_computation(%arg2) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%arg25: tensor<2x4xf32>) {
      sdy.return %arg25 : tensor<2x4xf32>
    } : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %86 = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"a", ?}p1], replicated={"b"}>]>} : tensor<3x4xf32>
    %87 = stablehlo.add %arg0, %arg0 {foo.bf = 1.000000e+00 : bf16, foo.big = 18446744073709551615 : ui64, foo.e = {}, foo.f = array<f32: 1.000000e+00, -0.000000e+00>, foo.g = (i32) -> i1, foo.h = dense<[true, false]> : tensor<2xi1>, foo.neg = -5 : i8, foo.s = "a\22b\\c\0A\E2\88\9E", foo.sym = @a::@b, foo.t = 1.500000e+00 : f32, foo.u = [1, 2.000000e+00, "x", @d, i32, tensor<2xf32>, unit, true], foo.v = #map, foo.w = 0x7FC00000 : f32, "foo.x y" = 3 : i64} : tensor<3x4xf32>
    %88 = stablehlo.reduce_precision %arg0, format = e8m10 {foo.bar = 1 : i64} : tensor<3x4xf32>
    %89 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<3x4xf32>
    %90 = stablehlo.exponential %arg0 : tensor<3x4xf32>
    %91 = stablehlo.reduce_precision %arg0, format = e8m10 : tensor<3x4xf32>
    %92 = stablehlo.custom_call @foo(%arg0, %arg0) {api_version = 2 : i32, backend_config = "bar", has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %93 = stablehlo.cholesky %arg14, lower = true : tensor<3x3xf32>
    %94:2 = stablehlo.optimization_barrier %arg0, %arg3 : tensor<3x4xf32>, tensor<i32>
    %95 = stablehlo.after_all  : !stablehlo.token
    %96 = stablehlo.after_all %arg5, %arg5 : !stablehlo.token
    %97 = stablehlo.tuple %arg0, %arg3 : tuple<tensor<3x4xf32>, tensor<i32>>
    %98 = stablehlo.tuple  : tuple<>
    %99 = stablehlo.get_tuple_element %arg23[1] : (tuple<tensor<3x4xf32>, tensor<i32>>) -> tensor<i32>
    %100 = stablehlo.replica_id : tensor<ui32>
    %101 = stablehlo.slice %arg0 [0:2, 0:4:2] : (tensor<3x4xf32>) -> tensor<2x2xf32>
    %102 = stablehlo.dynamic_slice %arg0, %arg3, %arg3, sizes = [1, 4] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %103 = stablehlo.pad %arg0, %arg8, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x6xf32>
    %104 = stablehlo.fft %arg12, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %105 = stablehlo.compare LT, %arg0, %arg0 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %106 = stablehlo.compare LT, %arg0, %arg0, TOTALORDER : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %107 = stablehlo.rng %arg8, %arg8, %arg6, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
    %108 = stablehlo.composite "my.op" %arg0, %arg0 {composite_attributes = {a = 1 : i64}, decomposition = @d, version = 1 : i32} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %109 = stablehlo.composite "my.op"  {decomposition = @d2} : () -> tensor<3x4xf32>
    %110 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
    %111 = stablehlo.dot %arg0, %arg24, precision = [HIGHEST, DEFAULT] : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
    %112 = stablehlo.add %arg13, %arg0 : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %113 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<3x4xf32>) -> tensor<i32>
    %114 = stablehlo.set_dimension_size %arg0, %arg3, dim = 1 : (tensor<3x4xf32>, tensor<i32>) -> tensor<3x?xf32, #stablehlo.bounds<?, 4>>
    %115 = stablehlo.complex %arg0, %arg0 : tensor<3x4xcomplex<f32>>
    %116 = stablehlo.select %arg4, %arg0, %arg0 : tensor<i1>, tensor<3x4xf32>
    %117 = stablehlo.clamp %arg8, %arg0, %arg8 : (tensor<f32>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %118 = stablehlo.einsum %arg0, %arg24, config = "ij,jk->ik" : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
    %119 = stablehlo.unary_einsum %arg0, config = "ij->ji" : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %120 = stablehlo.broadcast %arg0, sizes = [2] : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
    %121 = stablehlo.dynamic_iota %arg6, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
    %122 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg6, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>} : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %123 = stablehlo.dynamic_reshape %arg0, %arg6 : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %124 = stablehlo.reverse %arg0, dims = [0] : tensor<3x4xf32>
    %125:2 = stablehlo.reduce(%arg0 init: %arg8), (%arg0 init: %arg8) across dimensions = [1] : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>)
     reducer(%arg25: tensor<f32>, %arg27: tensor<f32>) (%arg26: tensor<f32>, %arg28: tensor<f32>)  {
      stablehlo.return %arg25, %arg26 : tensor<f32>, tensor<f32>
    }
    %126 = stablehlo.reduce(%arg0 init: %arg8) applies stablehlo.maximum across dimensions = [1, 0] {foo.a} : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %127:2 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %arg3) : tensor<3x4xf32>, tensor<i32> attributes {foo.b}
    cond {
      stablehlo.return %arg4 : tensor<i1>
    } do {
      stablehlo.return %iterArg, %iterArg_1 : tensor<3x4xf32>, tensor<i32>
    }
    %128 = stablehlo.convolution(%arg15, %arg16) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>
    %output_state, %output_0 = stablehlo.rng_bit_generator %arg22, algorithm = PHILOX : (tensor<1x2xui64>) -> (tensor<1x2xui64>, tensor<2x2xui32>)
    %129 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>]>}> : (tensor<3x4xf32>) -> tensor<3x8xf32>
    return
  }
}
