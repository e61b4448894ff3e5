import type { TestGateway } from '../support/gateway.ts'

/** A client's view of an answer, without request id and time. */
export interface Told {
  readonly status: number
  readonly line: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** Exact to the byte. */
  readonly text: string
}

export interface Sent {
  readonly token?: string
  /** A text is sent as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends one request and reads all of the answer. */
export async function send(
  { url }: Pick<TestGateway, 'url'>,
  endpoint: string,
  { token, body, headers }: Sent = {},
): Promise<Told> {
  const [method = 'GET', path = ''] = endpoint.split(' ')
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const shown = [...response.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date')
  return {
    status: response.status,
    line: `${response.status} ${response.statusText}`,
    headers: Object.fromEntries(shown),
    text,
    body: response.headers.get('content-type') === 'application/json' ? JSON.parse(text) : text,
  }
}

/** The code of an error of either shape, or empty. */
export function codeOf({ headers }: Told): string {
  return headers['x-svc-error-code'] ?? ''
}

/** Status and code: `401 INVALID_KEY`, or `200`. */
export const outcomeOf = (told: Told): string => `${told.status} ${codeOf(told)}`.trim()

/** A text field of a JSON answer. */
export function fieldOf({ body }: Told, name: string): string {
  const value =
    typeof body === 'object' && body !== null ? Object.entries(body).find(([key]) => key === name) : undefined
  return String(value?.[1] ?? '')
}
