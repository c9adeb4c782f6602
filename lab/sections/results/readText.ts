/** As much as one text can be in every browser. */
const mostBytes = 2 ** 28

/** What a worker has for reading a Blob at once; the types of pages do not have it. */
declare class FileReaderSync {
  readAsText(blob: Blob): string
}

/** The text of a file. */
export function readText(file: Blob): string {
  if (file.size > mostBytes) {
    throw new RangeError(
      `larger than the ${mostBytes / 2 ** 20} MiB that are read as one text [${file.size}]`,
    )
  }
  return new FileReaderSync().readAsText(file)
}
