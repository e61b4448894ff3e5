import { ask } from '../../operator/http.ts'
import { printable, safeUrl, unreachable } from '../../operator/login-provider.ts'
import { CommandFailed } from '../../server/failure.ts'
import { isObject, type JsonObject } from '../../wire/json-safety.ts'

/** The form in which an agent asks. */
export type Dialect = 'chat' | 'responses' | 'messages'

const PROMPT = 'Reply with OK.'
const turns = [{ role: 'user', content: PROMPT }]

/** The smallest request of each dialect; a model that thinks needs room for it. */
const REQUESTS: Readonly<Record<Dialect, { readonly path: string; readonly body: object }>> = {
  chat: { path: '/v1/chat/completions', body: { messages: turns } },
  responses: { path: '/v1/responses', body: { input: PROMPT, store: false } },
  messages: { path: '/v1/messages', body: { messages: turns, max_tokens: 4096 } },
}

export interface Trial {
  readonly gateway: string
  readonly model: string
  readonly dialect: Dialect
  /** A key or a token. */
  readonly credential: string
}

/** Sends one request as the agent would. Rejects with the gateway's reason where it is not answered. */
export async function verify({ gateway, model, dialect, credential }: Trial): Promise<void> {
  const { path, body } = REQUESTS[dialect]
  const { status, body: answered } = await exchange(`${gateway}${path}`, credential, { ...body, model })
  if (status === 200) return
  throw new CommandFailed(`✗ the gateway refused the test request: ${reasonIn(answered, status)}`)
}

export const reasonIn = ({ error }: JsonObject, status: number): string =>
  printable(isObject(error) ? String(error.message) : typeof error === 'string' ? error : `it answers ${status}`)

/** Asks the gateway once. Rejects with exit code 3 when no answer comes. */
export async function exchange(
  address: string,
  token?: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: JsonObject }> {
  const url = safeUrl(address, 'the gateway')
  try {
    const answer = await ask(url, {
      method: body ? 'POST' : 'GET',
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk)
    return { status: answer.statusCode ?? 0, body: objectIn(Buffer.concat(chunks).toString()) }
  } catch (error) {
    throw unreachable(url, error instanceof Error ? error.message : String(error))
  }
}

function objectIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    // An error page of a proxy; the status says enough.
    return {}
  }
}
