import { isObject, type JsonObject } from '../json.ts'

/** The config in a file: alone, or in an answer of Portkey's API, with its name there. Its fields are written with underscores. */
export function configIn(source: unknown): { readonly config: unknown; readonly name?: string } {
  const answer = isObject(source) && isObject(source.data) ? source.data : source
  if (!isObject(answer) || !('config' in answer)) return { config: underscored(answer) }
  const name = [answer.slug, answer.name].find(each => typeof each === 'string')
  return { config: underscored(textOr(answer.config)), ...(typeof name === 'string' && { name }) }
}

/** The API has configs as texts too. */
function textOr(config: unknown): unknown {
  if (typeof config !== 'string') return config
  try {
    return JSON.parse(config)
  } catch {
    return undefined
  }
}

/** Portkey takes `overrideParams` for `override_params`; what a condition asks for stays as it is. */
function underscored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(underscored)
  if (!isObject(value)) return value
  const fields: JsonObject = value
  return Object.fromEntries(
    Object.entries(fields).map(([name, each]) => [
      name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`),
      name === 'query' ? each : underscored(each),
    ]),
  )
}
