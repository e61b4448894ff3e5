import { useEffect, useState } from 'preact/hooks'

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
      {isPaused ? 'Go on' : 'Pause'} <kbd>p</kbd>
    </button>
  )
  return { isPaused, button }
}
