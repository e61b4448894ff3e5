import type { Value } from './tree.ts'

/** Why a text is not allowed in its place. */
export interface Refusal {
  readonly rule: string
  /** Follows the written text: `012` + ` has a leading zero`. */
  readonly says: string
  readonly hint: string
}

/** Whether a reader refused. */
export const isRefusal = (result: unknown): result is Refusal =>
  typeof result === 'object' && result !== null && 'rule' in result

const NUMBER = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/
const LEADING_ZERO = /^[-+]?0\d/
/** Every decimal of this many digits survives the way through a double and back. */
const EXACT_DIGITS = 15

/** The value of an unquoted text, by the rules of YAML 1.2; numbers only where they are exact. */
export function typed(text: string): Value | Refusal {
  if (/^(?:~|null|Null|NULL)?$/.test(text)) return null
  if (/^(?:true|True|TRUE)$/.test(text)) return true
  if (/^(?:false|False|FALSE)$/.test(text)) return false
  return NUMBER.test(text) ? number(text) : text
}

function number(text: string): number | Refusal {
  if (LEADING_ZERO.test(text)) {
    const hint = `write ${text.replace(/^([-+]?)0+(?=\d)/, '$1')}, or quote it if it is a text`
    return { rule: 'leading-zero', says: 'has a leading zero', hint }
  }
  if (
    text
      .replace(/[eE].*$/, '')
      .replace(/\D/g, '')
      .replace(/^0+/, '').length > EXACT_DIGITS
  ) {
    const hint = `numbers keep ${EXACT_DIGITS} digits; quote it if it is a text`
    return { rule: 'too-precise', says: 'has more digits than a number keeps', hint }
  }
  return Number(text)
}

/** A format of the schema: how to read it, and what to say when it cannot be read. */
export interface Format<T> {
  readonly read: (text: string) => T | undefined
  readonly rule: string
  readonly expects: string
  readonly hint: string
  /** The fault of a text in a few words; undefined where there are none for it. */
  readonly fault?: (text: string) => string | undefined
}
