import { parseUrl } from '../../kit/parse-url.ts'
import type { Format } from './scalar.ts'

/** The destination of ledger rows in `ledger.archive.to`. */
export type ArchiveAddress =
  | ({ readonly kind: 'postgres'; readonly shown: string } & DatabaseAddress)
  | { readonly kind: 'files'; readonly path: string }
  | { readonly kind: 'https'; readonly url: string }

interface DatabaseAddress {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  readonly isTls: boolean
}

/** Reads `postgres://user@host[:port]/database`, `file:DIRECTORY` or `https://host/path`. */
export const archive: Format<ArchiveAddress> = {
  read: text => {
    const path = /^file:(.+)$/.exec(text)?.[1]
    if (path !== undefined) return { kind: 'files', path }
    const url = parseUrl(text)
    if (!url || /\s/.test(text)) return undefined
    return /^postgres(?:ql)?:$/.test(url.protocol) ? readDatabase(url) : readEndpoint(url, text)
  },
  rule: 'bad-archive',
  expects: 'an archive',
  hint: 'write postgres://user@host[:port]/database[?sslmode=verify-full], with its password in `password`; file:DIRECTORY; or https://host/path',
}

function readDatabase(url: URL): ArchiveAddress | undefined {
  const database = decoded(url.pathname.slice(1))
  const user = decoded(url.username)
  const others = [...url.searchParams.keys()].filter(name => name !== 'sslmode')
  const isLocal = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(url.hostname)
  const mode = url.searchParams.get('sslmode') ?? (isLocal ? 'disable' : 'verify-full')
  if (!url.hostname || !user || !database || url.password || database.includes('/') || url.hash) return undefined
  if (others.length > 0 || !['disable', 'verify-full'].includes(mode)) return undefined
  const port = Number(url.port || POSTGRES_PORT)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const shown = `postgres://${url.hostname}:${port}/${database}`
  return { kind: 'postgres', host, port, user, database, isTls: mode === 'verify-full', shown }
}

const POSTGRES_PORT = 5432

/** Without TLS only on this machine. */
function readEndpoint(url: URL, text: string): ArchiveAddress | undefined {
  const isLocal = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(url.hostname)
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)
  return isSafe && !url.username && !url.password && !url.hash ? { kind: 'https', url: text } : undefined
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // URIError: then it is no name.
    return ''
  }
}
