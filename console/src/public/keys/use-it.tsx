import { useId, useState } from 'preact/hooks'
import { Copy } from '../../shared/copy.tsx'
import { Tabs } from '../../shared/tabs.tsx'
import * as text from '../texts/snippets.tsx'
import { KEY_VARIABLE, SNIPPETS } from './snippets.ts'

interface UseItProps {
  /** A value that was just made; absent where none is known. */
  readonly value?: string | undefined
  readonly onCopied?: () => void
}

/** How clients use a key. What is shown has no value in it unless its reader asks for that; what is copied has. */
export function UseIt({ value, onCopied }: UseItProps) {
  const [name, choose] = useState(SNIPPETS[0]?.name ?? '')
  const [isShown, show] = useState(false)
  const panel = useId()
  const snippet = SNIPPETS.find(each => each.name === name)
  if (!snippet) return null
  const whole = snippet.text(value ?? `$${KEY_VARIABLE}`)
  const shown = value === undefined || isShown ? whole : snippet.text(maskOf(value))
  const hasKey = value !== undefined && whole.includes(value)
  return (
    <>
      <Tabs
        label={text.clients}
        names={SNIPPETS.map(each => each.name)}
        chosen={name}
        panel={panel}
        onChoose={choose}
      />
      <div class="snippet" role="tabpanel" id={panel} aria-label={name}>
        {snippet.into !== undefined && <p class="small muted">{snippet.into}</p>}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
        <pre tabIndex={0}>{shown}</pre>
        <Copy value={whole} what={text.what} {...(hasKey && onCopied && { onCopied })} />
        {hasKey && (
          <label class="check muted">
            <input type="checkbox" checked={isShown} onChange={event => show(event.currentTarget.checked)} />
            {text.show}
          </label>
        )}
      </div>
    </>
  )
}
const maskOf = (value: string): string => `${value.slice(0, 8)}…`
