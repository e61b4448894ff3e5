import { type ReadonlySignal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { ApiProblem } from './api.ts'

/** The state of something that is fetched again and again. The last data stay while no newer can be had. */
export interface Shown<T> {
  readonly data: T | undefined
  readonly problem: ApiProblem | undefined
  /** When `data` came, by the clock of this machine. */
  readonly at: number | undefined
}

export interface Resource<T> extends Shown<T> {
  /** Asks now; resolves once it was answered. */
  readonly refresh: () => Promise<void>
}

interface Followed<T> {
  readonly shown: ReadonlySignal<Shown<T>>
  readonly run: () => Promise<void>
  /** Asks now, and whenever it is time. The function that it returns ends that. */
  readonly start: () => () => void
}

/** Asks once, and every so often while the page can be seen. */
export function useResource<T>(get: () => Promise<T>, everyMs?: number): Resource<T> {
  const { shown, run, start } = useMemo(() => follow(get, everyMs), [])
  useEffect(start, [])
  return { ...shown.value, refresh: run }
}

const FIRST_RETRY_MS = 3000
const LAST_RETRY_MS = 30_000

/** After a failure it asks sooner, then ever later. Pages that nobody sees ask for nothing. */
export function follow<T>(get: () => Promise<T>, everyMs?: number): Followed<T> {
  const shown = signal<Shown<T>>({ data: undefined, problem: undefined, at: undefined })
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOpen = false
  let failures = 0
  let turn = 0
  const isSeen = () => document.visibilityState === 'visible'
  const run = async (): Promise<void> => {
    clearTimeout(timer)
    const mine = ++turn
    try {
      const data = await get()
      // A later question is the one that counts.
      if (mine !== turn) return
      failures = 0
      shown.value = { data, problem: undefined, at: Date.now() }
    } catch (error) {
      if (mine !== turn) return
      failures++
      shown.value = { ...shown.peek(), problem: problemFrom(error) }
    }
    const again = failures > 0 ? retryAfter(failures, shown.peek().problem) : everyMs
    if (isOpen && again !== undefined) timer = setTimeout(() => isSeen() && void run(), again)
  }
  const runSeen = () => {
    if (isSeen()) void run()
  }
  const start = () => {
    isOpen = true
    // It may be another account's than the last time.
    shown.value = { data: undefined, problem: undefined, at: undefined }
    void run()
    document.addEventListener('visibilitychange', runSeen)
    addEventListener('refresh', runSeen)
    addEventListener('online', runSeen)
    return () => {
      isOpen = false
      turn++
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', runSeen)
      removeEventListener('refresh', runSeen)
      removeEventListener('online', runSeen)
    }
  }
  return { shown, run, start }
}

const retryAfter = (failures: number, problem: ApiProblem | undefined): number =>
  problem?.retryMs ?? Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS)

export const problemFrom = (error: unknown): ApiProblem =>
  error instanceof ApiProblem
    ? error
    : new ApiProblem({ status: 0, code: 'CONSOLE', message: error instanceof Error ? error.message : String(error) })
