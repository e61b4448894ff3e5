import { isLoopback } from '../config/check/formats.ts'
import { CommandFailed, exitCodes } from '../server/failure.ts'
import { isObject, type JsonObject } from '../wire/openai/body.ts'
import { ask as askOver } from './http.ts'

/** What an identity provider or a gateway answered; `body` is empty when it was no JSON object. */
export interface Answer {
  readonly status: number
  readonly body: JsonObject
}

export interface Question {
  /** Sent as a form by POST; else it is a GET. */
  readonly form?: Readonly<Record<string, string>>
  readonly token?: string
}

/** An address that tokens may be sent to: https, or http within this machine. */
export function safeUrl(text: unknown, what: string): URL {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) return url
  throw new CommandFailed(`✗ ${what} must be https, or http on loopback: ${printable(String(text))}`)
}

const TIMEOUT_MS = 10_000
const BYTES_MAX = 512 * 1024

/** Asks once, and follows no redirects. Rejects with exit code 3 when no answer comes. */
export async function ask(url: URL, { form, token }: Question = {}): Promise<Answer> {
  try {
    const answer = await askOver(url, {
      method: form ? 'POST' : 'GET',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        accept: 'application/json',
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(form && { body: new URLSearchParams(form).toString() }),
    })
    return { status: answer.statusCode ?? 0, body: await readObject(answer) }
  } catch (error) {
    throw unreachable(url, error instanceof Error ? error.message : String(error))
  }
}

/** The failure of a server that does not answer, or whose answer cannot be read. */
export const unreachable = ({ origin }: URL, problem: string): CommandFailed =>
  new CommandFailed(`✗ ${origin} cannot be reached: ${printable(problem)}`, exitCodes.unreachable)

/** A text from elsewhere on one line of the terminal, without anything that would steer it. */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ' ').slice(0, 200)

async function readObject(body: AsyncIterable<Buffer>): Promise<JsonObject> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    // Leaving the loop destroys the body.
    if (length > BYTES_MAX) throw new Error(`its answer is larger than ${BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString())
    return isObject(value) ? value : {}
  } catch {
    // An error page of a proxy, or nothing; the status says enough.
    return {}
  }
}
