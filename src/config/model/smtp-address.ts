import { parseUrl } from '../../kit/parse-url.ts'
import type { Format } from './scalar.ts'

/** A server that takes mail. */
export interface SmtpAddress {
  readonly host: string
  readonly port: number
  readonly user?: string
  /** `whole`: from the start. `upgraded`: by STARTTLS. `none`: only on this machine, where the server does not offer it. */
  readonly tls: 'whole' | 'upgraded' | 'none'
  /** The URL without the user. */
  readonly shown: string
}

/** Reads `smtps://[user@]host[:port]` or `smtp://[user@]host[:port]`. */
export const smtp: Format<SmtpAddress> = {
  read: text => {
    const url = /\s/.test(text) ? undefined : parseUrl(text)
    if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname) return undefined
    if (url.password || url.search || url.hash || !/^\/?$/.test(url.pathname)) return undefined
    const isWhole = url.protocol === 'smtps:'
    const port = Number(url.port || (isWhole ? 465 : 587))
    const user = decoded(url.username)
    return {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port,
      ...(user !== '' && { user }),
      tls: isWhole ? 'whole' : isLocal(url.hostname) ? 'none' : 'upgraded',
      shown: `${url.protocol}//${url.hostname}:${port}`,
    }
  },
  rule: 'bad-smtp',
  expects: 'a server that takes mail',
  hint: 'write smtps://[user@]host[:port] or smtp://[user@]host[:port], with the password in `password`',
}

const isLocal = (host: string): boolean => /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(host)

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // URIError: it stands as it was written.
    return text
  }
}
