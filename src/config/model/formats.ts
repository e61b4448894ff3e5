import { isIP, SocketAddress } from 'node:net'
import { RE2JS, RE2JSSyntaxException } from 're2js'
import { parseUrl } from '../../kit/parse-url.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { archive } from './archive-address.ts'
import { limitScope, limitWindow } from './limit-text.ts'
import type { Format } from './scalar.ts'
import { smtp } from './smtp-address.ts'
import { store } from './store-address.ts'
import { meant } from './suggest.ts'
import { onlyVariable } from './variables.ts'

/** Where a listener takes connections. */
export interface Address {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

export const address: Format<Address> = {
  read: readAddress,
  rule: 'bad-address',
  expects: 'a listen address',
  hint: 'write host:port, such as 127.0.0.1:8080 or [::1]:8080',
}

export const baseUrl: Format<string> = {
  read: text => {
    const url = readUrl(text)
    return url && !/[?#]/.test(text) ? text.replace(/\/+$/, '') : undefined
  },
  rule: 'bad-url',
  expects: 'a base URL',
  hint: 'write http(s)://host/path, without user, query or fragment',
}

/** How many processes serve clients. */
export const workers: Format<number | 'auto'> = {
  read: text => (text === 'auto' ? text : /^(?:[1-9]|[1-5]\d|6[0-4])$/.test(text) ? Number(text) : undefined),
  rule: 'bad-workers',
  expects: 'a number of processes',
  hint: 'write auto, or a number from 1 to 64',
}

const link: Format<string> = {
  read: text => readUrl(text) && text,
  rule: 'bad-url',
  expects: 'a URL',
  hint: 'write http(s)://host/path, without user or spaces',
}

/** Where people ask for help: a page or an address of mail. */
const contact: Format<string> = {
  read: text => (/^mailto:[^\s@?]+@[^\s@?]+$/.test(text) ? text : link.read(text)),
  rule: 'bad-contact',
  expects: 'a contact',
  hint: 'write https://host/path, or mailto:name@host',
}

/** Kept as it was written: issuers are compared to the letter, and some end in a slash. */
const issuer: Format<string> = {
  read: text => {
    const url = readUrl(text)
    const safe = url && (url.protocol === 'https:' || isLoopback(url.hostname))
    return safe && !/[?#]/.test(text) ? text : undefined
  },
  rule: 'bad-issuer',
  expects: 'an issuer',
  hint: 'write https://host/path as the provider does, without user, query or fragment; http:// only on loopback',
}

const network: Format<string> = {
  read: text => {
    const { host = '', bits } = /^(?<host>[0-9A-Fa-f.:]+)(?:\/(?<bits>0|[1-9]\d{0,2}))?$/.exec(text)?.groups ?? {}
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(host)] ?? -1
    // A shorter one would hold more than IPv4, and none of it is compared as IPv6.
    const least = most === 128 && isMapped(host) ? 96 : 0
    return Number(bits ?? most) >= least && Number(bits ?? 0) <= most ? text : undefined
  },
  rule: 'bad-network',
  expects: 'an address or a network',
  hint: 'write 10.0.0.7, 10.0.0.0/8, ::1 or fd00::/8; names are not resolved; IPv4 in IPv6 needs at least 96 bits',
}

/** Whether it is an IPv4 address as IPv6 has it, ::ffff:10.0.0.7, in any form. */
const isMapped = (address: string): boolean =>
  /^::ffff:\d+\./.test(new SocketAddress({ address, family: 'ipv6' }).address)

const imageSize: Format<string> = {
  read: text => {
    const { width, height } = /^(?<width>[1-9]\d{1,3})x(?<height>[1-9]\d{1,3})$/.exec(text)?.groups ?? {}
    return [width, height].every(side => Number(side) >= 64 && Number(side) <= 4096) ? text : undefined
  },
  rule: 'bad-size',
  expects: 'the size of an image',
  hint: 'write <width>x<height>, such as 512x512, each side from 64 to 4096',
}

/** Where a secret is kept. */
export type SecretSource = { readonly variable: string } | { readonly file: string }

export const secret: Format<SecretSource> = {
  read: text => {
    const variable = onlyVariable(text)
    if (variable) return { variable }
    const file = /^file:(.+)$/.exec(text)?.[1]
    return file === undefined || file.includes('${') ? undefined : { file }
  },
  rule: 'plain-secret',
  expects: 'a reference to a secret',
  hint: `write \${VARIABLE} or file:PATH, and keep the secret itself out of the file`,
}

/** The value of a header: a text that may be shown, or where a secret is kept. */
const headerValue: Format<string | SecretSource> = {
  read: text => (isReference(text) ? secret.read(text) : HEADER_VALUE.test(text) ? text : undefined),
  rule: 'bad-header',
  expects: 'the value of a header',
  hint: `write a text of printable ASCII, or \${VARIABLE} or file:PATH and nothing else`,
}

/** Whether a value refers to a secret, or tries to. */
export const isReference = (text: string): boolean => text.includes('${') || text.startsWith('file:')

/** Blanks stand only inside of it. */
export const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** A regular expression that is matched in linear time, whatever it is and whatever the text. */
const LONGEST_PATTERN = 4000

const pattern: Format<string> = {
  read: text => {
    // Compile time grows faster than the length of the pattern, so long patterns are refused first.
    if (text.length > LONGEST_PATTERN) return undefined
    try {
      return RE2JS.compile(text).programSize() <= MOST_INSTRUCTIONS ? text : undefined
    } catch {
      // `fault` describes the problem.
      return undefined
    }
  },
  fault: patternFault,
  rule: 'bad-pattern',
  expects: 'a regular expression that this gateway runs',
  hint: 'write one of RE2: no look-around, no back-references, and no long repetitions of repetitions',
}

/** `missing closing )`; undefined where nothing is wrong but the length. */
export function patternFault(text: string): string | undefined {
  if (text.length > LONGEST_PATTERN) return undefined
  try {
    RE2JS.compile(text)
    return undefined
  } catch (error) {
    return error instanceof RE2JSSyntaxException ? error.getDescription() : undefined
  }
}

/** The most instructions of a compiled expression: each may run for each character of a text. */
const MOST_INSTRUCTIONS = 2000

const zone: Format<string> = {
  read: text => {
    // Some engines know offsets such as +01:00 as well, which have no daylight saving.
    if (!/^[A-Za-z]/.test(text)) return undefined
    try {
      new Intl.DateTimeFormat('en-US', { timeZone: text })
      return text
    } catch {
      // Not one that this machine knows.
      return undefined
    }
  },
  rule: 'bad-zone',
  expects: 'a time zone',
  hint: 'write a name such as UTC or Europe/Berlin',
  fault: text => {
    if (typeof Intl === 'undefined') return 'this Node has no time zones: run one that is built with ICU'
    const near = meant(text, Intl.supportedValuesOf('timeZone'))
    return near === undefined ? undefined : `did you mean \`${near}\`?`
  },
}

/** A regular expression of JSON Schema, whatever engine runs it. */
export const regexp: Format<string> = {
  read: text => {
    try {
      new RegExp(text, 'u')
      return pattern.read(text)
    } catch {
      // `fault` describes the problem, or the hint lists the choices.
      return undefined
    }
  },
  fault: patternFault,
  rule: 'bad-pattern',
  expects: 'a regular expression that this gateway runs',
  hint: 'write one of JavaScript, without look-around and back-references, and no long repetitions of repetitions',
}

/** In milliseconds since the epoch. Without a zone it would be another moment on every machine. */
export const moment: Format<EpochMs> = {
  read: text => {
    const at = MOMENT.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(at) ? undefined : at
  },
  rule: 'bad-moment',
  expects: 'a moment',
  hint: 'write 2026-11-21T10:00:00Z, or with an offset such as +01:00',
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/

/** In milliseconds. */
export const ago: Format<Millis> = {
  read: text => {
    const seconds = /^(?<seconds>\d{1,2})s(?: ago)?$/.exec(text)?.groups?.seconds
    return seconds !== undefined && Number(seconds) <= 60 ? Number(seconds) * 1000 : undefined
  },
  rule: 'bad-age',
  expects: 'a time within the last minute',
  hint: 'write 40s ago; from 0s to 60s',
}

/** Formats by the keyword that the schema uses for them. */
export const FORMATS: Readonly<Record<string, Format<unknown>>> = {
  'x-address': address,
  'x-base-url': baseUrl,
  'x-link': link,
  'x-archive': archive,
  'x-store': store,
  'x-smtp': smtp,
  'x-secret': secret,
  'x-header-value': headerValue,
  'x-image-size': imageSize,
  'x-issuer': issuer,
  'x-contact': contact,
  'x-workers': workers,
  'x-pattern': pattern,
  'x-regexp': regexp,
  'x-zone': zone,
  'x-network': network,
  'x-moment': moment,
  'x-ago': ago,
  'x-window': limitWindow,
  'x-limit-scope': limitScope,
}

function readAddress(text: string): Address | undefined {
  const { six, name, digits } =
    /^(?:\[(?<six>[0-9A-Fa-f:.]+)\]|(?<name>[A-Za-z0-9.-]+)):(?<digits>\d{1,5})$/.exec(text)?.groups ?? {}
  const host = six ?? name
  const port = Number(digits)
  return host && port <= 65_535 ? { host, port } : undefined
}

function readUrl(text: string): URL | undefined {
  return /^https?:\/\/[^\s/\\@?#]+(?:[/?#][^\s\\]*)?$/.test(text) ? parseUrl(text) : undefined
}

/** A text with what may be secret in URLs covered, user, password and query; as long as before. */
export const withoutUser = (text: string): string =>
  [STORE_USER, STORE_QUERY, USER, QUERY].reduce(
    (shown, where) => shown.replace(where, (_, before: string, user: string) => before + '•'.repeat(user.length)),
    text,
  )

/** A password may hold anything, so that the URL of a store is covered up to its last @. */
const STORE_USER = /(\brediss?:\/{0,2}|(?!https?:)\b[a-z][\w+.-]*:\/\/)(.*)(?=@)/gi
/** Where other clients of Redis take a password. */
const STORE_QUERY = /(\brediss?:[^\s?]*\?)(\S+)/gi
/** Where providers take a key. */
const QUERY = /(\bhttps?:[^\s?"'`]*\?)([^\s"'`]+)/gi
const USER = /(:\/\/)([^\s/@]+)(?=@)/g

/** Whether only this machine can reach a host. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)

/** The address as a client on this machine, or on the network of the listener, would write it. */
export function localUrlOf({ host, port }: Address): string {
  const local = isLoopback(host) || host === '0.0.0.0' || host === '::'
  const name = host.includes(':') ? `[${host}]` : host
  return `http://${local ? 'localhost' : name}:${port}`
}
