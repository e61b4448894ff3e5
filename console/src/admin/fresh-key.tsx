import { Copy } from '../shared/copy.tsx'
import { useFresh } from '../shared/fresh.ts'
import * as text from './texts/fresh-key.tsx'

interface FreshKeyProps {
  readonly value: string
  readonly onDone: () => void
}

interface FreshValueProps extends FreshKeyProps {
  readonly texts: FreshTexts
}

export interface FreshTexts {
  readonly title: string
  readonly shownOnce: string
  /** The noun of the value. */
  readonly what: string
  readonly notCopied: string
  readonly saved: string
}

/** A new key, shown once. */
export const FreshKey = (props: FreshKeyProps) => <FreshValue {...props} texts={KEY} />

const KEY: FreshTexts = {
  title: text.title,
  shownOnce: text.shownOnce,
  what: text.what,
  notCopied: text.notCopied,
  saved: text.saved,
}

/** A value that is shown once. It is in the page, where no stray click takes it away. */
export function FreshValue({ value, texts, onDone }: FreshValueProps) {
  const { copy, copied, done } = useFresh(texts.notCopied, onDone)
  return (
    <section class="fresh" aria-label={texts.title}>
      <div class="top stack">
        <h2>{texts.title}</h2>
        <p class="muted">{texts.shownOnce}</p>
        <div class="value">
          <code data-key>{value}</code>
          <Copy value={value} what={texts.what} primary buttonRef={copy} onCopied={copied} />
        </div>
        <div>
          <button type="button" onClick={done}>
            {texts.saved}
          </button>
        </div>
      </div>
    </section>
  )
}
