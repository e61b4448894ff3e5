import { parseUrl } from '../../kit/parse-url.ts'
import type { Format } from './scalar.ts'
import { replaceVariables } from './variables.ts'

/** The address of a store in `store`. */
export type StoreAddress =
  | { readonly kind: 'embedded'; readonly path: string }
  /** `shown` is the URL without user and password. */
  | { readonly kind: 'redis'; readonly url: string; readonly shown: string }

/** Reads `embedded:PATH`, or `redis://[user:password@]host[:port][/db]`, `rediss://` for TLS. */
export const store: Format<StoreAddress> = {
  read: text => {
    const path = /^embedded:(.+)$/.exec(text)?.[1]
    return path === undefined ? readRedis(text) : { kind: 'embedded', path }
  },
  rule: 'bad-store',
  expects: 'a store',
  hint: 'write embedded:PATH or redis[s]://[user:password@]host[:port][/db], with %40 for an @ in a password; with sentinels redis[s]+sentinel://[user:password@]host[:port],host[:port]/name, and with a cluster redis[s]+cluster://[user:password@]host[:port],host[:port]',
}

/** Whether a text names a store. */
export const isStore = (text: string): boolean => store.read(text) !== undefined

/** Behind the places: a database, and before it the name of a primary where the places are sentinels. Nothing behind nodes of a cluster. */
const REDIS =
  /^(?<scheme>rediss?(?:(?<sentinel>\+sentinel)|(?<cluster>\+cluster))?:\/\/)(?:(?<user>[^\s/?#@]*)@)?(?<places>[^\s/?#@]+)(?<rest>\/[^\s?#@]*)?$/
const PLACE = /^(?<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?<port>\d{1,5}))?$/
const DATABASE = /^(?:\/|\/(?:0|[1-9]\d{0,8}))?$/
const PRIMARY = /^\/[A-Za-z0-9._-]+(?:\/(?:0|[1-9]\d{0,8}))?$/

function readRedis(url: string): StoreAddress | undefined {
  const { scheme = '', sentinel, cluster, user = '', places = '', rest = '' } = REDIS.exec(url)?.groups ?? {}
  const all = places.split(',')
  if (!all.every(isPlace) || !isEncoded(user)) return undefined
  if (!sentinel && !cluster && all.length > 1) return undefined
  // A cluster has no other databases.
  const behind = sentinel ? PRIMARY : cluster ? /^\/?$/ : DATABASE
  return behind.test(rest) ? { kind: 'redis', url, shown: scheme + places + rest } : undefined
}

function isPlace(text: string): boolean {
  const { host, port = '1' } = PLACE.exec(text)?.groups ?? {}
  return host !== undefined && parseUrl(`redis://${host}`) !== undefined && Number(port) >= 1 && Number(port) <= 65_535
}

/** The URL of a store with a password that its user has; the default user where it names none. */
export function withPassword(url: string, password: string): string {
  const [, scheme = '', user = '', rest = ''] = /^([\w+]+:\/\/)(?:([^@:]*)@)?(.*)$/.exec(url) ?? []
  return `${scheme}${user}:${encodeURIComponent(password)}@${rest}`
}

/** As written in the URL of a store; empty without one. */
export const passwordOf = (url: string): string => /^[\w+]+:\/\/[^@:]*:([^@]*)@/.exec(url)?.[1] ?? ''

export const isTls = (url: string): boolean => url.startsWith('rediss')

/** Whether sentinels say where the primary is. */
export const hasSentinels = (url: string): boolean => /^rediss?\+sentinel:/.test(url)

/** Whether every % begins an escape of a character. */
function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    // URIError: that is the answer.
    return false
  }
}

/** A placeholder for the value of a variable: a private character of Unicode, which no file has. */
const VALUE = '\u{e000}'

/** Whether the password of a store, or a part of it, stands in the file itself: also as the default of a variable. */
export function hasPlainPassword(written: string): boolean {
  const readings = [
    replaceVariables(written, () => VALUE),
    replaceVariables(written, (_, otherwise) => otherwise ?? VALUE),
  ]
  return readings.some(reading => anyPassword(reading).replaceAll(VALUE, '') !== '')
}

/** The text between the first colon after the scheme and the last @: more than a password, rather than less. */
function anyPassword(text: string): string {
  if (text.startsWith('embedded:') || !text.includes('@')) return ''
  const user = text.slice(0, text.lastIndexOf('@')).replace(/^[^:/@]*:\/\/|^rediss?:\/?/i, '')
  return user.includes(':') ? user.slice(user.indexOf(':') + 1) : ''
}
