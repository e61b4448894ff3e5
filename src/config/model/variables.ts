import { isRefusal, type Refusal } from './scalar.ts'

/** Replaces the variables of a text by the environment: `${NAME}`, or `${NAME:-default}` where it may be unset or empty. */
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

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}/g

/** Replaces every variable in a text by the function's result. */
export const replaceVariables = (text: string, by: (name: string, otherwise: string | undefined) => string): string =>
  text.replace(VARIABLE, (_, name: string, otherwise: string | undefined) => by(name, otherwise))

/** The name of the variable, when a text is one variable and nothing else. */
export const onlyVariable = (text: string): string | undefined => /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(text)?.[1]

/** The refusal of a variable that is not set. */
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

/** The environment of a process, or a test's replacement. */
export type Env = Readonly<Record<string, string | undefined>>
