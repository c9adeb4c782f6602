import type { ByteSource } from 'tpu-toolkit/files'

/** What a worker has for reading a Blob at once; the types of pages do not have it. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer
}

/** A Blob as a source of bytes: of a file of any size only the slices that are asked for are read. In workers only. */
export function blobSource(blob: Blob): ByteSource {
  const reader = new FileReaderSync()
  return {
    size: blob.size,
    read: (position, n) => new Uint8Array(reader.readAsArrayBuffer(blob.slice(position, position + n))),
  }
}
