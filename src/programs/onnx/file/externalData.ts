/** Reads the bytes of a tensor whose data lie in a file of their own: the file's name, the first byte, how many. */
export type ExternalData = (file: string, offset: number, length: number | undefined) => Uint8Array
