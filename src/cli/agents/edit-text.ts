import { isDeepStrictEqual } from 'node:util'
import { parse as parseToml } from 'smol-toml'
import { parseDocument } from 'yaml'
import type { AgentFile, Setting } from './agent.ts'

/** A text with other settings, and the settings that lead back. */
export interface Edited {
  readonly text: string
  readonly was: readonly Setting[]
}

/** Why a text is left alone. */
export interface Unreadable {
  readonly problem: string
}

/**
 * Changes settings in a text and nothing else: the result is read again, and has to be what was read before with these settings.
 * A text for which that cannot be said is refused. An empty text is a file that does not exist.
 */
export function editText(text: string, { format, settings }: Omit<AgentFile, 'path'>): Edited | Unreadable {
  const before = READERS[format](text)
  if ('problem' in before) return before
  const after = structuredClone(before.value)
  const was: Setting[] = []
  for (const { at, value } of settings) {
    const found = valueAt(after, at)
    if ('problem' in found) return found
    was.unshift({ at, value: found.value })
    put(after, at, value)
  }
  const edited = WRITERS[format](text, after, settings)
  const read = READERS[format](edited)
  if ('problem' in read || !isDeepStrictEqual(read.value, after)) return UNSURE
  return { text: edited, was }
}

/** The settings among these whose values a text still has. */
export function heldSettings(text: string, { format, settings }: Omit<AgentFile, 'path'>): readonly Setting[] {
  const read = READERS[format](text)
  if ('problem' in read) return []
  return settings.filter(({ at, value }) => {
    const found = valueAt(read.value, at)
    return !('problem' in found) && isDeepStrictEqual(found.value, value)
  })
}

const UNSURE: Unreadable = { problem: 'is written in a form that svcctl cannot edit without touching other settings' }

type Table = Record<string, unknown>

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

interface Read {
  readonly value: Table
}

const READERS: Readonly<Record<AgentFile['format'], (text: string) => Read | Unreadable>> = {
  json: readJson,
  toml: text => readWith('TOML', () => parseToml(text)),
  yaml: text =>
    readWith('YAML', () => {
      const document = parseDocument(text)
      if (document.errors[0]) throw document.errors[0]
      return document.toJS() ?? {}
    }),
}

function readWith(name: string, read: () => unknown): Read | Unreadable {
  try {
    // A parser's objects may have no prototype, or one of their own.
    const value = structuredClone(read())
    return isTable(value) ? { value } : { problem: `is not a ${name} document with named values` }
  } catch {
    // The parser's text quotes the file, which may hold a key.
    return { problem: `is not ${name}` }
  }
}

/** Comments, names that appear twice and numbers that JavaScript rounds would be lost by writing it again. */
function readJson(text: string): Read | Unreadable {
  if (text.trim() === '') return { value: {} }
  const read = readWith('plain JSON', () => JSON.parse(text))
  if ('problem' in read) return read
  return isDeepStrictEqual(tokensOf(text), tokensOf(JSON.stringify(read.value))) ? read : UNSURE
}

const tokensOf = (json: string): readonly string[] =>
  Array.from(json.matchAll(/"(?:[^"\\]|\\.)*"|[^\s",:[\]{}]+|[,:[\]{}]/g), ([token]) =>
    token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token,
  )

type At = Setting['at']

/** The value at a place; undefined where there is none. Members that an object inherits are none. */
function valueAt(table: Table, at: At): { readonly value: unknown } | Unreadable {
  let value: unknown = table
  for (const step of at) {
    if (value === undefined) return { value: undefined }
    if (typeof step === 'object') {
      if (!Array.isArray(value)) return UNSURE
      value = value.find(each => isTable(each) && each.name === step.named)
    } else {
      if (!isTable(value)) return UNSURE
      value = Object.hasOwn(value, step) ? value[step] : undefined
    }
  }
  return { value }
}

/** Puts a value at a place that `valueAt` reached; undefined removes it, and tables that become empty by that. */
function put(table: Table, [step, ...rest]: At, value: unknown): void {
  if (typeof step !== 'string') return
  const [next] = rest
  const inner = next === undefined ? value : innerOf(table, step, next)
  if (next === undefined) table[step] = structuredClone(value)
  else if (typeof next === 'object') putNamed(inner as unknown[], next.named, value)
  else put(inner as Table, rest, value)
  if (value === undefined && isEmpty(inner)) delete table[step]
}

function innerOf(table: Table, step: string, next: At[number]): unknown {
  if (!Object.hasOwn(table, step)) table[step] = typeof next === 'string' ? {} : []
  return table[step]
}

function putNamed(list: unknown[], name: string, value: unknown): void {
  const at = indexNamed(list, name)
  if (value === undefined) at === -1 || list.splice(at, 1)
  else if (at === -1) list.push(structuredClone(value))
  else list[at] = structuredClone(value)
}

const indexNamed = (list: readonly unknown[], name: string): number =>
  list.findIndex(each => isTable(each) && each.name === name)

const isEmpty = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) ? value.length === 0 : isTable(value) && Object.keys(value).length === 0)

const WRITERS: Readonly<
  Record<AgentFile['format'], (text: string, after: Table, settings: readonly Setting[]) => string>
> = {
  json: (text, after) => `${JSON.stringify(after, null, /^[ \t]+(?=")/m.exec(text)?.[0] ?? 2)}\n`,
  toml: (text, _after, settings) => settings.reduce(writeToml, text),
  yaml: writeYaml,
}

/** Comments and the order of what stays are kept. */
function writeYaml(text: string, after: Table, settings: readonly Setting[]): string {
  const document = parseDocument(text)
  for (const { at } of settings) {
    const [first] = at
    if (typeof first !== 'string') continue
    if (!Object.hasOwn(after, first)) document.delete(first)
    else if (at.length === 1 || !document.has(first)) document.set(first, document.createNode(after[first]))
    else writeNamed(document, at, after)
  }
  return document.toString({ lineWidth: 0 })
}

function writeNamed(document: ReturnType<typeof parseDocument>, [first, step]: At, after: Table): void {
  const list = after[String(first)]
  if (typeof step !== 'object' || !Array.isArray(list)) return
  const before: unknown = document.toJS()
  const former = isTable(before) ? before[String(first)] : undefined
  const at = Array.isArray(former) ? indexNamed(former, step.named) : -1
  const value = list[indexNamed(list, step.named)]
  if (value === undefined) document.deleteIn([first, at])
  else if (at === -1) document.addIn([first], document.createNode(value))
  else document.setIn([first, at], document.createNode(value))
}

/**
 * Top-level names go before the first table, and a new table goes to the end. The check of the result refuses files that this edit
 * does not fit.
 */
function writeToml(text: string, { at, value }: Setting): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
  const name = at.map(String).join('.')
  const written = at.length === 1 ? withName(lines, name, value) : withTable(lines, name, value)
  return written.length === 0 ? '' : written.join(end) + end
}

function withName(lines: readonly string[], name: string, value: unknown): readonly string[] {
  const first = lines.findIndex(line => HEADER.test(line))
  const root = first === -1 ? lines : lines.slice(0, first)
  const written = value === undefined ? [] : [`${name} = ${JSON.stringify(value)}`]
  const place = root.findIndex(line => keyOf(line) === name)
  const others = place === -1 ? [...written, ...root] : root.toSpliced(place, 1, ...written)
  return [...others, ...lines.slice(root.length)]
}

function withTable(lines: readonly string[], name: string, value: unknown): readonly string[] {
  const kept: string[] = []
  let isInside = false
  for (const line of lines) {
    const header = HEADER.exec(line)?.[1]?.replace(/["'\s]/g, '')
    if (header !== undefined) isInside = header === name || header.startsWith(`${name}.`)
    if (!isInside) kept.push(line)
  }
  while (kept.at(-1)?.trim() === '') kept.pop()
  if (!isTable(value)) return kept
  return [...kept, ...(kept.length > 0 ? [''] : []), ...tableLines(name, value)]
}

const HEADER = /^\s*\[\[?([^\]]+)\]\]?\s*(?:#.*)?$/
const keyOf = (line: string): string | undefined => /^\s*["']?([\w-]+)["']?\s*=/.exec(line)?.[1]

/** Texts, numbers and lists of them are written as in JSON. */
function tableLines(name: string, table: Table): readonly string[] {
  const inner = Object.entries(table)
  return [
    `[${name}]`,
    ...inner.flatMap(([key, value]) => (isTable(value) ? [] : [`${key} = ${JSON.stringify(value)}`])),
    ...inner.flatMap(([key, value]) => (isTable(value) ? ['', ...tableLines(`${name}.${key}`, value)] : [])),
  ]
}
