/** FNV-1a over the bits of float32 numbers, every NaN one: 8 hex digits. */
export declare function hashOf(values: Float32Array): string
