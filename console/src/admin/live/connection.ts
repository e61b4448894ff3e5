import type { ShownEvent } from '../../../../src/wire/admin/event.ts'
import * as text from '../texts/live.tsx'
import { type Follower, follow } from './feed.ts'

/**
 * Follows the gateway until the function that this returns is called: again after it broke off, and not while nobody
 * has looked for a minute, since a browser has few connections for each host.
 */
export function stay(follower: Follower, say: (problem: string | undefined) => void): () => void {
  let running: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  const end = () => {
    clearTimeout(timer)
    running?.abort()
    running = undefined
  }
  const begin = () => {
    end()
    const mine = new AbortController()
    running = mine
    const apply = (event: ShownEvent) => {
      if (mine.signal.aborted) return
      if (failures > 0) say(undefined)
      failures = 0
      follower.apply(event)
    }
    const listed = () => follower.listed()
    const remember: Follower['remember'] = request => follower.remember(request)
    follow({ gateway: follower.gateway, apply, listed, remember }, mine.signal).catch((error: unknown) => {
      if (mine.signal.aborted) return
      mine.abort()
      const wait = Math.min(FIRST_RETRY_MS * 2 ** failures++, LAST_RETRY_MS)
      say(text.whatYouSee(error instanceof Error ? error.message : String(error)))
      timer = setTimeout(begin, wait)
    })
  }
  const look = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'hidden') timer = setTimeout(end, HIDDEN_MS)
    else if (!running) begin()
  }
  document.addEventListener('visibilitychange', look)
  begin()
  return () => {
    document.removeEventListener('visibilitychange', look)
    end()
  }
}

const FIRST_RETRY_MS = 3000
const LAST_RETRY_MS = 30_000
const HIDDEN_MS = 60_000
