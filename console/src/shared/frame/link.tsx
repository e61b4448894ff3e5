import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { hrefOf, navigate, type Query, takeLeft } from './router.ts'

interface LinkProps {
  /** The end of the address of a page: `billing`, `errors#NO_AUTH`. */
  readonly to: string
  readonly query?: Query
  readonly keys?: string
  readonly isCurrent?: boolean
  /** Set for the link that a row of a table opens by: it takes clicks anywhere in its row, and `j` and `k` lead to it. */
  readonly isRow?: boolean
  readonly children: ComponentChildren
}

/** Leads to another page of the door, which is not loaded anew: what the memory of this one has stays. */
export function Link({ to, query, keys, isCurrent = false, isRow = false, children }: LinkProps) {
  const place = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isRow && takeLeft(query?.id)) place.current?.focus()
  }, [])
  const go = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    navigate(to, query)
  }
  return (
    <a
      ref={place}
      href={hrefOf(to, query)}
      onClick={go}
      {...(keys !== undefined && { 'aria-keyshortcuts': keys })}
      {...(isCurrent && { 'aria-current': 'page' as const })}
      {...(isRow && { 'data-row': '' })}
    >
      {children}
    </a>
  )
}
