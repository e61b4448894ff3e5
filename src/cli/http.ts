import { type IncomingMessage, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'

export interface Question {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
}

/** So long may a server keep silent, before its answer or in the middle of it. */
const SILENCE_MS = 300_000

/**
 * Asks once, and follows no redirects. Rejects when no answer begins; reading one that breaks off throws.
 * By node's own client: to load a faster one takes a command longer than it would ever save.
 */
export function ask(url: string | URL, { body, ...question }: Question = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { protocol } = new URL(url)
    const request = (protocol === 'https:' ? overHttps : overHttp)(url, { ...question, timeout: SILENCE_MS }, resolve)
    request.on('error', reject)
    request.on('timeout', () => request.destroy(new Error(`no word within ${SILENCE_MS / 1000} s`)))
    request.end(body)
  })
}
