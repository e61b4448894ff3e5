import { type Dispatcher, request } from 'undici'
import { NoticeRefused } from '../../gateway/notices/lane.ts'
import type { Millis } from '../../policy/config.ts'

interface Post {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly dispatcher: Dispatcher
}

/**
 * Posts JSON, and resolves once the receiver took it with 2xx. A redirect is not followed: it would lead to a place that no
 * file names. Rejects with NoticeRefused for a 4xx, but for those by which a receiver asks for another attempt.
 */
export async function post({ url, body, headers, dispatcher }: Post): Promise<void> {
  const answer = await request(url, {
    method: 'POST',
    ...{ body, dispatcher, signal: AbortSignal.timeout(ANSWER_MS) },
    headers: { 'content-type': 'application/json', 'user-agent': 'svc-gateway', ...headers },
  })
  const { statusCode } = answer
  await answer.body.dump({ limit: MOST_BYTES })
  const problem = `it answered ${statusCode}`
  if (statusCode >= 400 && statusCode < 500 && !PASSING.has(statusCode)) throw new NoticeRefused(problem)
  if (statusCode < 200 || statusCode >= 300) throw new Error(problem)
}

/** Request Timeout, Too Early and Too Many Requests. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429])

const ANSWER_MS: Millis = 10_000
/** An answer that nobody reads is cut here. */
const MOST_BYTES = 65_536
