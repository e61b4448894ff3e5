import type { ComponentChildren } from 'preact'
import { hrefOf, navigate } from './router.ts'

interface LinkProps {
  /** The end of the address of a page: `billing`, `errors#NO_AUTH`. */
  readonly to: string
  readonly keys?: string
  readonly isCurrent?: boolean
  readonly children: ComponentChildren
}

/** Leads to another page of the door, which is not loaded anew: what the memory of this one has stays. */
export function Link({ to, keys, isCurrent = false, children }: LinkProps) {
  const go = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    navigate(to)
  }
  return (
    <a
      href={hrefOf(to)}
      onClick={go}
      {...(keys !== undefined && { 'aria-keyshortcuts': keys })}
      {...(isCurrent && { 'aria-current': 'page' as const })}
    >
      {children}
    </a>
  )
}
