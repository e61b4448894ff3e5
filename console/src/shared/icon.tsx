/** A drawing of lines on a grid of 16, beside words that say the same. */
export const Icon = ({ path }: { readonly path: string }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={path} />
  </svg>
)
