import { useSignal } from '@preact/signals'

/** A place for a file, or for several: dropped on it, or chosen. */
export function DropFile(props: {
  readonly label: string
  /** Endings that the browser offers first. */
  readonly accept: string
  readonly onFile?: (file: File) => void
  /** Where several files belong together: takes all of them. */
  readonly onFiles?: (files: readonly File[]) => void
}) {
  const { label, accept, onFile, onFiles } = props
  const over = useSignal(false)
  const take = (files: FileList | null | undefined): void => {
    const file = files?.[0]
    if (!files || !file) return
    if (onFiles) onFiles([...files])
    else onFile?.(file)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: who does not drag chooses the file in the field within
    <div
      class={over.value ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        over.value = true
      }}
      onDragLeave={() => {
        over.value = false
      }}
      onDrop={(event) => {
        event.preventDefault()
        over.value = false
        take(event.dataTransfer?.files)
      }}
    >
      <label class="field">
        {label}
        <input
          type="file"
          accept={accept}
          multiple={onFiles !== undefined}
          onChange={({ currentTarget }) => take(currentTarget.files)}
        />
      </label>
    </div>
  )
}
