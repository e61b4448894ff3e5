import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { HEADER_VALUE, secret as secretFormat } from '../model/formats.ts'
import { isRefusal, type Refusal } from '../model/scalar.ts'
import { entriesOf, isText, type Node, nodeAt } from '../model/tree.ts'
import { type Env, missing } from '../model/variables.ts'
import type { Report } from '../problem.ts'
import { Secret } from '../settings.ts'
import type { Declarations } from './merge.ts'

/** Where the values of secrets are. */
export interface SecretPlace {
  readonly env: Env
  /** Where relative paths start. Absolute. */
  readonly directory: string
  /** Makes a stand-in for a file that cannot be read; without it such a file is a Problem. */
  readonly standIn?: (file: string) => string
}

/** Fetches the `key` of each pool or tool from the environment or from files, by name. No Problem shows what was fetched. */
export function readKeys(
  declarations: Declarations<unknown>,
  place: SecretPlace,
  report: Report,
): ReadonlyMap<string, Secret> {
  const secrets = new Map<string, Secret>()
  for (const { name, node } of declarations.values()) {
    const key = nodeAt(node, ['key'])
    const value = fetchSecret(key, 'key', place)
    if (isRefusal(value)) refuse(key ?? node, value, report)
    else if (value !== undefined) secrets.set(name, new Secret(value))
  }
  return secrets
}

/** Fetches the headers of each pool that are secrets, by pool and by name. */
export function readPoolHeaders(
  pools: Declarations<unknown>,
  place: SecretPlace,
  report: Report,
): ReadonlyMap<string, ReadonlyMap<string, Secret>> {
  const found = new Map<string, ReadonlyMap<string, Secret>>()
  for (const { name, node } of pools.values()) {
    const headers = new Map<string, Secret>()
    for (const [header, { value: written }] of entriesOf(nodeAt(node, ['headers']))) {
      const value = fetchSecret(written, 'headers', place, HEADER_VALUE)
      if (isRefusal(value)) refuse(written, value, report)
      else if (value !== undefined) headers.set(header, new Secret(value))
    }
    if (headers.size > 0) found.set(name, headers)
  }
  return found
}

/** Fetches what the fields of a section refer to. No Problem shows what was fetched. */
export function readSecrets<Field extends string>(
  section: Node | undefined,
  holdsOf: Readonly<Record<Field, RegExp>>,
  place: SecretPlace,
  report: Report,
): ReadonlyMap<Field, Secret> {
  const found = new Map<Field, Secret>()
  for (const [field, holds] of Object.entries<RegExp>(holdsOf) as [Field, RegExp][]) {
    const node = section && nodeAt(section, [field])
    const fetched = fetchSecret(node, field, place, holds)
    if (!node || fetched === undefined) continue
    if (isRefusal(fetched)) refuse(node, fetched, report)
    else found.set(field, new Secret(fetched))
  }
  return found
}

/** A key travels in a header, where a line break would begin another one. */
export const TOKEN = /^[\x21-\x7e]+$/
/** Printable, and no line break: a file ends in one that is left out. */
export const LINE = /^[\x20-\x7e]+$/
export const PEM = /^[\x20-\x7e\r\n]+$/

const MOST_BYTES = 65_536

/** The secret that a field refers to; undefined where it refers to none, or its form was reported already. */
export function fetchSecret(
  node: Node | undefined,
  field: string,
  place: SecretPlace,
  holds = TOKEN,
): string | Refusal | undefined {
  const source = isText(node) ? secretFormat.read(node.value) : undefined
  if (!source) return undefined
  return 'variable' in source
    ? fromEnv(source.variable, field, place, holds)
    : fromFile(source.file, field, place, holds)
}

/** Reports a secret that cannot be used, where it is referred to. */
export const refuse = ({ span }: Pick<Node, 'span'>, { rule, says, hint }: Refusal, report: Report): void =>
  report({ ...span, rule, severity: 'error', message: says, hint })

function fromEnv(name: string, field: string, { env }: SecretPlace, holds: RegExp): string | Refusal {
  const value = env[name]
  if (value === undefined) return missing(name, 'export it before you start the gateway')
  if (value.trim() === '')
    return { rule: 'empty-secret', says: `${name} is set, but empty`, hint: `give it a value, or remove \`${field}\`` }
  return sendable(value, noun(field), name, holds)
}

function fromFile(file: string, field: string, { directory, standIn }: SecretPlace, holds: RegExp): string | Refusal {
  const path = resolve(directory, file)
  try {
    const stat = statSync(path)
    if (!stat.isFile() || stat.size > MOST_BYTES) {
      return {
        rule: 'bad-secret',
        says: `\`${file}\` is not a file that holds a ${noun(field)}`,
        hint: `a ${noun(field)} is one line of text`,
      }
    }
    const value = readFileSync(path, 'utf8').trim()
    if (value === '')
      return {
        rule: 'empty-secret',
        says: `\`${file}\` is empty`,
        hint: `write the ${noun(field)} into it, or remove \`${field}\``,
      }
    return sendable(value, noun(field), file, holds)
  } catch {
    if (standIn) return standIn(file)
    // The reason does not matter to the reader: the file has to be there and readable.
    return {
      rule: 'no-secret-file',
      says: `\`${file}\` cannot be read`,
      hint: `looked for ${path}: paths are relative to the main file`,
    }
  }
}

const noun = (field: string): string => (field === 'key' ? 'key' : /(?:^|_)token$/.test(field) ? 'token' : 'secret')

function sendable(value: string, what: string, from: string, holds: RegExp): string | Refusal {
  if (holds.test(value)) return value
  return {
    rule: 'bad-secret',
    says: `the ${what} in ${from} has blanks or other invalid characters`,
    hint: `store the ${what} alone`,
  }
}
