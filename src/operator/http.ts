import { type IncomingMessage, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import type { Millis } from '../policy/config.ts'
import type { ClientTls } from './client-tls.ts'

export interface Question {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
  readonly tls?: ClientTls | undefined
  /** The longest silence of a server, before its answer or within it: 300 s. */
  readonly silence?: Millis
}

const SILENCE_MS: Millis = 300_000

/**
 * Sends one request, and follows no redirects. Rejects if no answer begins; reading one that breaks off throws. Uses Node's own
 * client, because loading a faster one would cost a command more than it saves.
 */
export function ask(
  url: string | URL,
  { body, tls, silence = SILENCE_MS, ...question }: Question = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let answer: IncomingMessage | undefined
    const { protocol } = new URL(url)
    const options = { ...question, ...(protocol === 'https:' && optionsOf(tls)), timeout: silence }
    const request = (protocol === 'https:' ? overHttps : overHttp)(url, options, begun => {
      answer = begun
      resolve(begun)
    })
    const late = () => {
      if (answer?.complete) return
      // Unread data is there: the reader is slow, not the server. Node checks only once, so it is checked again.
      if (answer && answer.readableLength > 0) return void answer.socket.setTimeout(silence).once('timeout', late)
      const error = new Error(`no word within ${silence / 1000} s`)
      // Destroying the request would end the answer without the reason.
      if (answer) answer.destroy(error)
      else request.destroy(error)
    }
    request.on('error', reject)
    request.on('timeout', late)
    request.end(body)
  })
}

/** Node's own types ask for a list that may be changed. */
const optionsOf = ({ ca, ...tls }: ClientTls = {}) => ({ ...tls, ...(ca && { ca: [...ca] }) })
