import { useEffect, useRef } from 'preact/hooks'
import { Copy } from '../shared/copy.tsx'
import { guardLeaving } from '../shared/frame/router.ts'

interface FreshKeyProps {
  readonly value: string
  readonly onDone: () => void
}

/** A new key, shown once. It is in the page, where no stray click takes it away. */
export function FreshKey({ value, onDone }: FreshKeyProps) {
  const copy = useRef<HTMLButtonElement>(null)
  const isCopied = useRef(false)
  const why = () => (isCopied.current ? undefined : 'You have not copied the key. It is shown this once.')
  useEffect(() => {
    copy.current?.focus()
    return guardLeaving(why)
  }, [])
  const done = () => {
    const asked = why()
    if (asked === undefined || confirm(asked)) onDone()
  }
  return (
    <section class="fresh" aria-label="The new key">
      <div class="top stack">
        <h2>The new key</h2>
        <p class="muted">Shown this once: the gateway keeps its hash alone.</p>
        <div class="value">
          <code data-key>{value}</code>
          <Copy
            value={value}
            what="Key"
            primary
            buttonRef={copy}
            onCopied={() => {
              isCopied.current = true
            }}
          />
        </div>
        <div>
          <button type="button" onClick={done}>
            I have saved it
          </button>
        </div>
      </div>
    </section>
  )
}
