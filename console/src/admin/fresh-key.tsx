import { Copy } from '../shared/copy.tsx'
import { useFresh } from '../shared/fresh.ts'
import * as text from './texts/keys.tsx'

interface FreshKeyProps {
  readonly value: string
  readonly onDone: () => void
}

/** A new key, shown once. It is in the page, where no stray click takes it away. */
export function FreshKey({ value, onDone }: FreshKeyProps) {
  const { copy, copied, done } = useFresh(text.youHaveNotCopied, onDone)
  return (
    <section class="fresh" aria-label={text.theNewKey}>
      <div class="top stack">
        <h2>{text.theNewKey}</h2>
        <p class="muted">{text.shownThisOnce}</p>
        <div class="value">
          <code data-key>{value}</code>
          <Copy value={value} what={text.key} primary buttonRef={copy} onCopied={copied} />
        </div>
        <div>
          <button type="button" onClick={done}>
            {text.iHaveSavedIt}
          </button>
        </div>
      </div>
    </section>
  )
}
