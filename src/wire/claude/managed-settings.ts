import { hash } from 'node:crypto'
import { isObject, type JsonObject } from '../json-safety.ts'

/** Settings of Claude Code as a gateway sends them, with the checksum that its clients compute too. */
export interface ManagedSettings {
  readonly uuid: string
  readonly checksum: string
  readonly settings: JsonObject
}

/** The answer to GET /managed/settings. Two plans with the same settings have the same checksum. */
export function managedSettings(settings: JsonObject): ManagedSettings {
  const text = JSON.stringify(sorted(settings))
  const digest = hash('sha256', text)
  return { uuid: uuidOf(digest), checksum: `sha256:${digest}`, settings }
}

/** The entity tag of settings, quoted. */
export const etagOf = ({ checksum }: ManagedSettings): string => `"${checksum}"`

/** Whether a client that sends `If-None-Match` has these already. */
export function hasAlready(settings: ManagedSettings, header: string | undefined): boolean {
  if (header === undefined) return false
  return header.split(',').some(each => each.trim().replace(/^W\//, '') === etagOf(settings))
}

/** With the names of every object in order, as clients sort them before they hash. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(name => [name, sorted(value[name])]),
  )
}

/** A UUID of version 8, which names the settings by their digest. RFC 9562 5.8. */
const uuidOf = (digest: string): string =>
  `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`
