/** A name of others in a table: a long one is cut off, and whole under the pointer. */
export const Label = ({ text }: { readonly text: string }) => (
  <bdi class="label" title={text}>
    {text}
  </bdi>
)
