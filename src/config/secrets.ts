import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { secret as secretFormat } from './formats.ts'
import { type Env, missing } from './interpolate.ts'
import { isRefusal, type Refusal } from './scalar.ts'
import { Secret } from './settings.ts'
import type { Report } from './source.ts'
import { isText, nodeAt } from './tree.ts'
import type { Declarations } from './unite.ts'

const MOST_BYTES = 65_536

/** Fetches the keys of all pools from the environment or from files, by pool name. No Problem shows what was fetched. */
export function readSecrets(
  pools: Declarations<unknown>,
  env: Env,
  directory: string,
  report: Report,
): ReadonlyMap<string, Secret> {
  const secrets = new Map<string, Secret>()
  for (const { name, node } of pools.values()) {
    const key = nodeAt(node, ['key'])
    if (!isText(key)) continue
    const source = secretFormat.read(key.value)
    if (!source) continue
    const value = 'variable' in source ? fromEnv(source.variable, env) : fromFile(source.file, directory)
    if (!isRefusal(value)) secrets.set(name, new Secret(value))
    else report({ ...key.span, rule: value.rule, severity: 'error', message: value.says, hint: value.hint })
  }
  return secrets
}

function fromEnv(name: string, env: Env): string | Refusal {
  const value = env[name]
  if (value === undefined) return missing(name, 'export it before you start the gateway')
  if (value.trim() === '')
    return { rule: 'empty-secret', says: `${name} is set, but empty`, hint: 'give it a value, or remove `key`' }
  return sendable(value, name)
}

function fromFile(file: string, directory: string): string | Refusal {
  const path = resolve(directory, file)
  try {
    const stat = statSync(path)
    if (!stat.isFile() || stat.size > MOST_BYTES) {
      return {
        rule: 'bad-secret',
        says: `\`${file}\` is not a file that holds a key`,
        hint: 'a key is one line of text',
      }
    }
    const value = readFileSync(path, 'utf8').trim()
    if (value === '')
      return { rule: 'empty-secret', says: `\`${file}\` is empty`, hint: 'write the key into it, or remove `key`' }
    return sendable(value, file)
  } catch {
    // The reason does not matter to the reader: the file has to be there and readable.
    return {
      rule: 'no-secret-file',
      says: `\`${file}\` cannot be read`,
      hint: `the path starts at the main file: ${path}`,
    }
  }
}

/** A key travels in a header, where a line break would begin another one. */
function sendable(value: string, from: string): string | Refusal {
  if (/^[\x21-\x7e]+$/.test(value)) return value
  return {
    rule: 'bad-secret',
    says: `the key in ${from} holds blanks or other characters that no key has`,
    hint: 'store the key alone',
  }
}
