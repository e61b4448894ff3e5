import { createHash } from 'node:crypto'
import { relative, resolve } from 'node:path'
import { secret as secretFormat } from '../model/formats.ts'
import { secretFields, secretMapOf } from '../model/schema.ts'
import { entriesOf, isText, type MapNode, type Node, nodeAt, type Span, textsOf } from '../model/tree.ts'
import { type Env, replaceVariables } from '../model/variables.ts'
import type { FileText, Secret } from '../settings.ts'
import type { Disk, Source } from './disk.ts'
import { lookedAt } from './glob.ts'

/** Every path whose change may affect the configuration: its files, the directories of includes, and secret files. */
export function pathsOf(
  { path, directory, disk }: { readonly path: string; readonly directory: string; readonly disk: Disk },
  roots: readonly (MapNode | undefined)[],
): readonly string[] {
  const includes = includesIn(roots[0]).flatMap(pattern => lookedAt(pattern, directory, disk))
  const secrets = roots.flatMap(root => (root ? secretFilesIn(root) : [])).map(file => resolve(directory, file))
  return [...new Set([path, ...includes, ...secrets])]
}

/** The patterns of the files that a main file includes. */
export const includesIn = (main: MapNode | undefined): readonly string[] =>
  textsOf(main && nodeAt(main, ['include'])).map(({ value }) => value)

function secretFilesIn(node: Node, path: readonly string[] = []): readonly string[] {
  if (node.is === 'list') return node.items.flatMap(item => secretFilesIn(item))
  return [...entriesOf(node)].flatMap(([name, { value }]) => {
    const below = [...path, name]
    const maySecret = secretFields.has(name) || secretMapOf(below) !== undefined
    const source = maySecret && isText(value) ? secretFormat.read(value.value) : undefined
    return source && 'file' in source ? [source.file] : secretFilesIn(value, below)
  })
}

/** The fields of the main file by their names, and those of its sections: `server`, `server.listen`. `default_model` may stand in any file. */
export function fieldsOf(root: MapNode | undefined, defaultModel: Node | undefined): ReadonlyMap<string, Span> {
  const fields = new Map<string, Span>(defaultModel && [['default_model', defaultModel.span]])
  for (const [name, { key, value }] of entriesOf(root)) {
    fields.set(name, value.is === 'map' ? key : value.span)
    for (const [field, inner] of entriesOf(value)) fields.set(`${name}.${field}`, inner.value.span)
  }
  return fields
}

/** Files by their names relative to the directory of the main one: the same wherever that lies. */
export const textsFrom = (directory: string, sources: readonly Source[]): readonly FileText[] =>
  sources.map(({ path, text }) => ({ file: relative(directory, path), text }))

/** Names and texts of all files in order: 12 hexadecimal digits that change with every byte. */
export function revisionOf(texts: readonly FileText[]): string {
  const hash = createHash('sha256')
  for (const { file, text } of texts) hash.update(JSON.stringify([file, text]))
  return hash.digest('hex').slice(0, 12)
}

/** Names, texts, what their variables hold, and secrets. Two loads with the same one make the same configuration. */
export function fingerprintOf(texts: readonly FileText[], env: Env, secrets: readonly Secret[]): string {
  const hash = createHash('sha256')
  for (const { file, text } of texts) {
    hash.update(JSON.stringify([file, text]))
    replaceVariables(text, name => {
      hash.update(JSON.stringify([name, env[name] ?? null]))
      return ''
    })
  }
  for (const secret of secrets) hash.update(JSON.stringify(secret.reveal()))
  return hash.digest('hex')
}
