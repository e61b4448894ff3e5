import { useEffect, useRef } from 'preact/hooks'
import { Copy } from '../shared/copy.tsx'
import { guardLeaving } from '../shared/router.ts'
import { UseIt } from './use-it.tsx'

interface FreshKeyProps {
  readonly value: string
  readonly onDone: () => void
}

/** A new key, shown once. It is in the page, where no stray click takes it away. */
export function FreshKey({ value, onDone }: FreshKeyProps) {
  const copy = useRef<HTMLButtonElement>(null)
  const isCopied = useRef(false)
  const copied = () => {
    isCopied.current = true
  }
  const why = () => (isCopied.current ? undefined : 'You have not copied the key. Leave all the same?')
  useEffect(() => {
    copy.current?.focus()
    return guardLeaving(why)
  }, [])
  const done = () => {
    const asked = why()
    if (asked === undefined || confirm(asked)) onDone()
  }
  return (
    <section class="fresh" aria-label="Your new key">
      <div class="top">
        <h2>Your new key</h2>
        <p class="muted">Shown this once. Only its hash is stored: a lost key can be rotated, not recovered.</p>
        <div class="value">
          <code data-key>{value}</code>
          <Copy value={value} what="Key" primary buttonRef={copy} onCopied={copied} />
        </div>
      </div>
      <UseIt value={value} onCopied={copied} />
      <div class="pad">
        <button type="button" onClick={done}>
          I have saved it
        </button>
      </div>
    </section>
  )
}
