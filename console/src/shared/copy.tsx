import type { Ref } from 'preact'
import { toast } from './toast.tsx'

interface CopyProps {
  /** What goes to the clipboard: never shown by this button. */
  readonly value: string
  /** What is said: "Key copied". */
  readonly what: string
  readonly primary?: boolean
  readonly buttonRef?: Ref<HTMLButtonElement>
  readonly onCopied?: () => void
}

export function Copy({ value, what, primary = false, buttonRef, onCopied }: CopyProps) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value)
      toast(`${what} copied`)
      onCopied?.()
    } catch {
      toast('The browser did not allow that: select the text and copy it.')
    }
  }
  return (
    <button
      type="button"
      class={primary ? 'primary' : ''}
      ref={buttonRef ?? null}
      onClick={copy}
      aria-label={`Copy ${what.toLowerCase()}`}
    >
      Copy
    </button>
  )
}
