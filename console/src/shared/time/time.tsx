import { computed, signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { exactMoment } from '../fmt.ts'
import { relativeText } from './relative.ts'

interface TimeProps {
  readonly at: number | string
  /** Set where the moment itself is what is looked for: it comes first then. */
  readonly isExact?: true
}

/** A moment as its distance from now, and exactly under the pointer and for readers of screens. */
export function Time({ at, isExact }: TimeProps) {
  const ms = new Date(at).getTime()
  // A signal as a child: each tick changes one text, and renders neither this nor the table around it.
  const distance = useMemo(() => computed(() => relativeText(ms, now.value)), [ms])
  const exact = exactMoment(ms)
  return (
    <time dateTime={new Date(ms).toISOString()} title={exact}>
      {isExact ? (
        <>
          {exact} <span class="muted no-print">({distance})</span>
        </>
      ) : (
        <>
          <span class="no-print">{distance}</span>
          <span class="hidden"> ({exact})</span>
        </>
      )}
    </time>
  )
}

/** The clock of all times on the page. */
const now = signal(Date.now())

const tick = () => {
  now.value = Date.now()
}
setInterval(tick, 5000)
// Browsers slow the clock of a page that nobody sees.
document.addEventListener('visibilitychange', tick)
