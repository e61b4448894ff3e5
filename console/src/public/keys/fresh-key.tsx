import { useEffect, useRef } from 'preact/hooks'
import { Copy } from '../../shared/copy.tsx'
import { guardLeaving } from '../../shared/frame/router.ts'
import { texts } from '../texts.tsx'
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
  const why = () => (isCopied.current ? undefined : text.notCopied)
  useEffect(() => {
    copy.current?.focus()
    return guardLeaving(why)
  }, [])
  const done = () => {
    const asked = why()
    if (asked === undefined || confirm(asked)) onDone()
  }
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
      <UseIt value={value} onCopied={copied} />
      <div class="pad">
        <button type="button" onClick={done}>
          {text.saved}
        </button>
      </div>
    </section>
  )
}

const text = texts.freshKey
