import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Change, Side } from '../../../src/config/diff/changes.ts'
import { diff } from '../../../src/config/diff/diff.ts'
import { load } from '../../../src/config/load.ts'
import { root } from '../../simulate/example.ts'
import { directoryOf } from '../files.ts'

/** The files that ship, by name. */
export const shipped: Readonly<Record<string, string>> = Object.fromEntries(
  ['config.example.yaml', ...readdirSync(join(root, 'policies')).map(name => `policies/${name}`)]
    .filter(name => name.endsWith('.yaml'))
    .map(name => [name, readFileSync(join(root, name), 'utf8')]),
)

/** One change of a text: the file, what stands there, and what is put in its place. */
export type Edit = readonly [file: string, old: string, put: string]

/** The files that ship with edits, each of which must fit. */
export function edit(edits: readonly Edit[], files = shipped): Readonly<Record<string, string>> {
  const edited: Record<string, string> = { ...files }
  for (const [name, old, put] of edits) {
    const text = edited[name] ?? ''
    if (!text.includes(old)) throw new Error(`${name} has no ${old}`)
    edited[name] = text.replace(old, () => put)
  }
  return edited
}

/** A configuration of its own of these files. */
export function sideOf(files: Readonly<Record<string, string>>, env = { CLOUD_KEY: 'not-a-key' }): Side {
  const directory = directoryOf(files)
  const result = load('config.example.yaml', env, directory)
  if (!result.ok)
    throw new Error(result.problems.map(({ file, line, message }) => `${file}:${line} ${message}`).join('\n'))
  return { loaded: result.loaded, directory }
}

export const changesOf = (before: Side, after: Side): readonly Change[] =>
  diff({ before, after, isUnknown: text => text.includes('unknown-value') })

/** `policies/plans.yaml:20 plan pro: rpm 120 → 200` */
export const told = (changes: readonly Change[]): readonly string[] =>
  changes.map(({ effect, at, text }) => `${effect} ${at.file}:${at.line} ${text}`)
