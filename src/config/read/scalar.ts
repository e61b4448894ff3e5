import type { Value } from './tree.ts'

/** Why a text cannot stand where it stands. */
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

/** The environment, as an argument. */
export type Env = Readonly<Record<string, string | undefined>>

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}/g

/** Puts variables into a text: `${NAME}`, or `${NAME:-default}` where it may be unset or empty. */
export function interpolate(text: string, env: Env): string | Refusal {
  if (text.replace(VARIABLE, '').includes('${')) return BAD_SYNTAX
  let refusal: Refusal | undefined
  const result = replaceVariables(text, (name, otherwise) => {
    const value = variable(name, otherwise, env)
    if (!isRefusal(value)) return value
    refusal ??= value
    return ''
  })
  return refusal ?? result
}

/** Puts something in the place of every variable of a text. */
export const replaceVariables = (text: string, by: (name: string, otherwise: string | undefined) => string): string =>
  text.replace(VARIABLE, (_, name: string, otherwise: string | undefined) => by(name, otherwise))

/** The name of the variable, when a text is one variable and nothing else. */
export const onlyVariable = (text: string): string | undefined => /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(text)?.[1]

/** What to say of a variable that is not set. */
export const missing = (name: string, hint: string): Refusal => ({
  rule: 'missing-env',
  says: `${name} is not set`,
  hint,
})

function variable(name: string, otherwise: string | undefined, env: Env): string | Refusal {
  // As in a shell, `:-` also replaces an empty value.
  if (otherwise !== undefined) return env[name] || otherwise
  return env[name] ?? missing(name, `export it, or give a default: \${${name}:-…}`)
}

const BAD_SYNTAX: Refusal = {
  rule: 'bad-variable',
  says: 'is not a variable',
  hint: `write \${NAME} or \${NAME:-default}; a default cannot hold braces`,
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
