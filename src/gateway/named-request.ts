import type { Config } from '../policy/config.ts'
import type { InferenceRequest } from '../policy/facts.ts'
import { boundedValue } from '../policy/label-values.ts'
import type { Headers } from '../wire/openai/signals.ts'
import { type SessionNames, sessionIdOf } from '../wire/session-of.ts'

/** The names that a request is counted under beside those in its body. */
interface Naming {
  readonly headers: Headers
  readonly session?: SessionNames | undefined
}

/** A request with its conversation, and with the values that its headers give to labels, which the policy checks. */
export function namedRequest<R extends InferenceRequest>(
  { labels }: Pick<Config, 'labels'>,
  request: R,
  { headers, session: named }: Naming,
): R {
  const session = sessionIdOf(headers, named)
  const values = labels.size === 0 ? undefined : labelsIn(labels, headers)
  if (session === undefined && !values) return request
  if (!values) return { session, ...request }
  return session === undefined ? { labels: values, ...request } : { labels: values, session, ...request }
}

function labelsIn(labels: Config['labels'], headers: Headers): Readonly<Record<string, string>> | undefined {
  const values: Record<string, string> = {}
  for (const { name, header } of labels.values()) {
    const sent = header === undefined ? undefined : headers[header]
    // A header that was sent twice has no value that is the one.
    if (sent !== undefined) values[name] = boundedValue(typeof sent === 'string' ? sent : sent.join(', '))
  }
  return Object.keys(values).length === 0 ? undefined : values
}
