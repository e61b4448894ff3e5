import { Copy } from '../../shared/copy.tsx'
import { useFresh } from '../../shared/fresh.ts'
import * as text from '../texts/fresh-key.tsx'
import { FirstRequest } from './first-request.tsx'
import { UseIt } from './use-it.tsx'

interface FreshKeyProps {
  readonly value: string
  /** Those that it may use, where they are fewer than its account's. */
  readonly models?: readonly string[] | undefined
  readonly onDone: () => void
}

/** A new key, shown once. It is in the page, where no stray click takes it away. */
export function FreshKey({ value, models, onDone }: FreshKeyProps) {
  const { copy, copied, done } = useFresh(text.notCopied, onDone)
  return (
    <section class="fresh" aria-label={text.title}>
      <div class="top">
        <h2>{text.title}</h2>
        <p class="muted">{text.once}</p>
        <div class="value">
          <code data-key>{value}</code>
          <Copy value={value} what={text.what} primary buttonRef={copy} onCopied={copied} />
        </div>
      </div>
      <UseIt value={value} models={models} onCopied={copied} />
      <FirstRequest />
      <div class="pad">
        <button type="button" onClick={done}>
          {text.saved}
        </button>
      </div>
    </section>
  )
}
