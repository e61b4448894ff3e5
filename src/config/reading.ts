import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { secret as secretFormat } from './formats.ts'
import { lookedAt } from './glob.ts'
import { type Env, replaceVariables } from './interpolate.ts'
import { secretFields } from './schema.ts'
import type { Secret } from './settings.ts'
import type { Source } from './source.ts'
import { entriesOf, isText, type MapNode, type Node, nodeAt, type Span, textsOf } from './tree.ts'

/** Every path whose change may change what is loaded: the files, where includes look for more, and files of secrets. */
export function pathsOf(
  { path, directory }: { readonly path: string; readonly directory: string },
  roots: readonly (MapNode | undefined)[],
): readonly string[] {
  const [main] = roots
  const includes = textsOf(main && nodeAt(main, ['include'])).flatMap(({ value }) => lookedAt(value, directory))
  const secrets = roots.flatMap(root => (root ? secretFilesIn(root) : [])).map(file => resolve(directory, file))
  return [...new Set([path, ...includes, ...secrets])]
}

function secretFilesIn(node: Node): readonly string[] {
  if (node.is === 'list') return node.items.flatMap(secretFilesIn)
  return [...entriesOf(node)].flatMap(([name, { value }]) => {
    const source = secretFields.has(name) && isText(value) ? secretFormat.read(value.value) : undefined
    return source && 'file' in source ? [source.file] : secretFilesIn(value)
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

/** Names, texts, what their variables hold, and secrets. Two loads with the same one make the same configuration. */
export function fingerprintOf(sources: readonly Source[], env: Env, secrets: readonly Secret[]): string {
  const hash = createHash('sha256')
  for (const { file, text } of sources) {
    hash.update(JSON.stringify([file, text]))
    replaceVariables(text, name => {
      hash.update(JSON.stringify([name, env[name] ?? null]))
      return ''
    })
  }
  for (const secret of secrets) hash.update(JSON.stringify(secret.reveal()))
  return hash.digest('hex')
}
