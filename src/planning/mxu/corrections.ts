/** A claim of the published report that does not hold, and what does. */
export interface Correction {
  readonly published: string
  readonly here: string
}

/** Errors of the Python toolkit's audit with their corrections; each has a test. */
export const corrections: readonly Correction[] = [
  {
    published: 'd_model 1024 with 24 layers has 148.2M parameters',
    here: "its own formula gives 164,304,896; Mamba-2's body of that shape has 158,426,368",
  },
  {
    published: 'sizes S 15M, M 150M, L 1B, XL 7B',
    here: 'its own formula gives 5.2M, 164M, 1.31B, 3.50B',
  },
  {
    published: 'the input projection has 2 n_heads d_state',
    here: 'Mamba-2 has 2 groups d_state, and one A_log for each head',
  },
  {
    published: 'head_dim 192 wastes 50 %',
    here: '25 %, on arrays of 128 and of 256; on 256 a head of 128 wastes 50 % of a pass',
  },
  {
    published: 'model 0.3 GB + optimizer 1.2 GB = 1.5 GB',
    here: 'float32 gradients and activations come on top, and the limit is the HBM that programs may use: 95.73 GiB on v5p',
  },
  {
    published: 'v5p-8 has 8 chips',
    here: '4: the number counts TensorCores',
  },
  {
    published: 'the matrix units are Tensor Cores',
    here: 'a TensorCore is matrix units, a vector unit and a scalar core; products accumulate in float32',
  },
]
