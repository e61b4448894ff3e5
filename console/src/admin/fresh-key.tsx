import { Copy } from '../shared/copy.tsx'
import { useFresh } from '../shared/fresh.ts'

interface FreshKeyProps {
  readonly value: string
  readonly onDone: () => void
}

/** A new key, shown once. It is in the page, where no stray click takes it away. */
export function FreshKey({ value, onDone }: FreshKeyProps) {
  const { copy, copied, done } = useFresh('You have not copied the key. It is shown this once.', onDone)
  return (
    <section class="fresh" aria-label="The new key">
      <div class="top stack">
        <h2>The new key</h2>
        <p class="muted">Shown this once: the gateway keeps its hash alone.</p>
        <div class="value">
          <code data-key>{value}</code>
          <Copy value={value} what="Key" primary buttonRef={copy} onCopied={copied} />
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
