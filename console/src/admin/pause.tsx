import { useEffect, useState } from 'preact/hooks'
import * as text from './texts/frame.tsx'

/** Stops what changes under the eyes of its reader, by a button or the key `p`. */
export function usePause() {
  const [isPaused, pause] = useState(false)
  useEffect(() => {
    const press = () => pause(before => !before)
    addEventListener('pause', press)
    return () => removeEventListener('pause', press)
  }, [])
  const button = (
    <button type="button" aria-pressed={isPaused} aria-keyshortcuts="p" onClick={() => pause(!isPaused)}>
      {isPaused ? text.goOn : text.pause} <kbd>p</kbd>
    </button>
  )
  return { isPaused, button }
}
