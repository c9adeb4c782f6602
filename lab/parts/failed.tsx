/** Something that went wrong, in words. */
export function Failed({ what, why }: { readonly what: string; readonly why: string }) {
  return (
    <p class="error" role="alert">
      <strong>{what}:</strong> {why}
    </p>
  )
}
