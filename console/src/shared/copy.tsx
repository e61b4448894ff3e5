import type { Ref } from 'preact'
import { toast } from './frame/toast.tsx'
import * as common from './texts/common.ts'

interface CopyProps {
  /** The text for the clipboard: never shown by this button. */
  readonly value: string
  /** The noun of the message: "Key copied". */
  readonly what: string
  readonly primary?: boolean
  /** One of many, such as one in each row. */
  readonly quiet?: boolean
  readonly buttonRef?: Ref<HTMLButtonElement>
  readonly onCopied?: () => void
}

export function Copy({ value, what, primary = false, quiet = false, buttonRef, onCopied }: CopyProps) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value)
      toast(common.copied(what))
      onCopied?.()
    } catch {
      toast(common.notCopied)
    }
  }
  return (
    <button
      type="button"
      class={primary ? 'primary' : quiet ? 'quiet' : ''}
      ref={buttonRef ?? null}
      onClick={copy}
      aria-label={common.copyWhat(what)}
    >
      {common.copy}
    </button>
  )
}
