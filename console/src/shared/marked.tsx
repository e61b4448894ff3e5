/** Text in which backticks mark code. */
export const Marked = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={part}>{part}</code> : part))}</>
)
