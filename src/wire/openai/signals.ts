import { RE2JS } from 're2js'
import type { Config, Matcher } from '../../policy/config.ts'
import { aliasOf } from '../../policy/model.ts'
import type { WireRequest } from './request.ts'

/** The headers of a request, by lower-case name. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** The signals that routes match in a request. Only generic names are routed: other requests have none computed. */
export function signalsOf(
  config: Config,
  { wire, headers }: { readonly wire: Pick<WireRequest, 'request' | 'routedText'>; readonly headers: Headers },
): Record<string, boolean> {
  const isRouted = aliasOf(config, wire.request.model) !== undefined
  return isRouted && wire.routedText ? signalsIn(config.matchers, wire.routedText(), headers) : {}
}

/** Whether each matcher found what it looks for, by its name. Policy sees this, and never the text. */
export function signalsIn(matchers: readonly Matcher[], text: string, headers: Headers): Record<string, boolean> {
  const signals: Record<string, boolean> = {}
  if (matchers.length === 0) return signals
  const folded = fold(text)
  for (const matcher of matchers) signals[matcher.name] = isFound(matcher, text, folded, headers)
  return signals
}

function isFound(matcher: Matcher, text: string, folded: string, headers: Headers): boolean {
  switch (matcher.kind) {
    case 'mentions':
      return matcher.phrases.some(phrase => mentions(folded, foldedPhrase(phrase)))
    case 'matches':
      return patternOf(matcher.pattern).test(text)
    case 'header':
      return [headers[matcher.header] ?? []].flat().some(value => matcher.values.includes(value))
  }
}

/**
 * One form for what reads the same: compatibility forms, case in every script (ß is ss, both Greek sigmas are one),
 * and one blank for any run of them.
 */
const fold = (text: string): string =>
  text.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').replace(BLANKS, ' ')

/** Runs of blanks, except for single spaces, which are the most common. */
const BLANKS = /\s{2,}|[^\S ]/g

/** Whether whole words of a folded text are the phrase. */
function mentions(text: string, phrase: string): boolean {
  if (phrase === '') return false
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) {
    if (isEdge(text.slice(Math.max(0, at - 2), at), phrase, 'before')) {
      const end = at + phrase.length
      if (isEdge(text.slice(end, end + 2), phrase, 'after')) return true
    }
  }
  return false
}

/** Letters, what is written on them, digits, and what joins words. */
const WORD = /[\p{L}\p{M}\p{N}_]/u
/** Scripts that are written without blanks between words: there a word may begin anywhere. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

/** Whether a phrase may begin after, or end before, what stands beside it. */
function isEdge(beside: string, phrase: string, where: 'before' | 'after'): boolean {
  const neighbour = where === 'before' ? lastOf(beside) : firstOf(beside)
  const own = where === 'before' ? firstOf(phrase) : lastOf(phrase)
  return !WORD.test(neighbour) || !WORD.test(own) || UNSPACED.test(own) || UNSPACED.test(neighbour)
}

const firstOf = (text: string): string => String.fromCodePoint(text.codePointAt(0) ?? BLANK)
/** The last character; both halves of a surrogate pair. */
const lastOf = (text: string): string => /[\s\S]$/u.exec(text.slice(-2))?.[0] ?? ' '
const BLANK = 0x20

/** Folded and compiled once each: there are as many as the files hold. */
const phrases = new Map<string, string>()
const patterns = new Map<string, RE2JS>()

function foldedPhrase(phrase: string): string {
  const folded = phrases.get(phrase) ?? fold(phrase).trim()
  phrases.set(phrase, folded)
  return folded
}

function patternOf(pattern: string): RE2JS {
  const compiled = patterns.get(pattern) ?? RE2JS.compile(pattern)
  patterns.set(pattern, compiled)
  return compiled
}
