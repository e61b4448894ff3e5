import { type Dispatcher, request } from 'undici'
import type { Millis } from '../../policy/config.ts'

interface Post {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly dispatcher: Dispatcher
}

/** Posts JSON, and resolves once the receiver took it with 2xx. A redirect is a refusal: it would lead to a place that no file names. */
export async function post({ url, body, headers, dispatcher }: Post): Promise<void> {
  const answer = await request(url, {
    method: 'POST',
    ...{ body, dispatcher, signal: AbortSignal.timeout(ANSWER_MS) },
    headers: { 'content-type': 'application/json', 'user-agent': 'svc-gateway', ...headers },
  })
  const { statusCode } = answer
  await answer.body.dump({ limit: MOST_BYTES })
  if (statusCode < 200 || statusCode >= 300) throw new Error(`it answered ${statusCode}`)
}

const ANSWER_MS: Millis = 10_000
/** An answer that nobody reads is cut here. */
const MOST_BYTES = 65_536
