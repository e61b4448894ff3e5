import { useState } from 'preact/hooks'
import type { OwnRequests } from '../../../../src/wire/account/own-requests.ts'
import type { Outcome, OwnRequest } from '../../../../src/wire/own-request.ts'
import { type ApiProblem, ask } from '../../shared/api.ts'
import { problemFrom, type Resource, useResource } from '../../shared/resource.ts'

/** The newest requests and, page by page, older ones. */
interface FollowedRequests {
  /** The newest page; the older ones seen so far stay beside it. */
  readonly newest: Resource<OwnRequests>
  /** Newest first. */
  readonly rows: readonly OwnRequest[]
  /** Absent where there are no older ones. */
  readonly older: (() => Promise<void>) | undefined
  readonly isAsking: boolean
  readonly problem: ApiProblem | undefined
}

/** Asks for the newest requests again and again, and for older ones when it is told to. */
export function useRequests(outcome: Outcome | undefined): FollowedRequests {
  const [kept, keep] = useState<readonly OwnRequest[]>([])
  // Where the oldest page that was had ends; undefined before there was a second one.
  const [end, setEnd] = useState<string | null>()
  const [isAsking, setAsking] = useState(false)
  const [problem, setProblem] = useState<ApiProblem>()
  const filter = outcome === undefined ? '' : `&status=${outcome}`
  const newest = useResource<OwnRequests>(() => ask(`/v1/requests?limit=${PAGE}${filter}`), EVERY_MS)
  const page = newest.data?.data ?? []
  // Where a whole page came since the last one, what lies between them is not known: older ones are asked for anew.
  const isGap = kept.length > 0 && page.length === PAGE && !page.some(({ id }) => id <= (kept[0]?.id ?? ''))
  const rows = isGap ? page : merged(kept, page)
  const next = isGap || end === undefined ? (newest.data?.next ?? null) : end
  const older = async () => {
    setAsking(true)
    setProblem(undefined)
    try {
      const found = await ask<OwnRequests>(`/v1/requests?limit=${PAGE}&before=${next}${filter}`)
      keep(merged(rows, found.data))
      setEnd(found.next)
    } catch (error) {
      setProblem(problemFrom(error))
    } finally {
      setAsking(false)
    }
  }
  return { newest, rows, older: next === null ? undefined : older, isAsking, problem }
}

const PAGE = 50
const EVERY_MS = 10_000

/** Ids begin with their time. */
function merged(rows: readonly OwnRequest[], more: readonly OwnRequest[]): readonly OwnRequest[] {
  if (rows.length === 0) return more
  const byId = new Map([...rows, ...more].map(row => [row.id, row]))
  return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1))
}
