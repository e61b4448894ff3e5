import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { guardLeaving } from './frame/router.ts'

/** The panel that shows a value this once. */
interface Fresh {
  /** The button that copies it, which has the focus. */
  readonly copy: RefObject<HTMLButtonElement | null>
  readonly copied: () => void
  /** Takes the panel away; asks first where nothing was copied. */
  readonly done: () => void
}

/** Has `notCopied` asked before a value that is shown once is left, unless it was copied. */
export function useFresh(notCopied: string, onDone: () => void): Fresh {
  const copy = useRef<HTMLButtonElement>(null)
  const isCopied = useRef(false)
  const why = () => (isCopied.current ? undefined : notCopied)
  useEffect(() => {
    copy.current?.focus()
    return guardLeaving(why)
  }, [])
  return {
    copy,
    copied: () => {
      isCopied.current = true
    },
    done: () => {
      const asked = why()
      if (asked === undefined || confirm(asked)) onDone()
    },
  }
}
