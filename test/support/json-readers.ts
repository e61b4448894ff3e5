/** A value of JSON whose objects keep every member, in order, with names that stand twice. */
export type Read = null | boolean | number | string | readonly Read[] | ReadObject
export class ReadObject {
  readonly members: readonly (readonly [name: string, value: Read])[]

  constructor(members: readonly (readonly [string, Read])[]) {
    this.members = members
  }
}

/** Which member a server takes for a field of its own. */
export interface JsonReader {
  readonly name: string
  field(object: ReadObject, name: string): Read | undefined
}

/** The smallest character that one folds to, as unicode.SimpleFold has it: two beyond ASCII fold to letters of ASCII. */
const goFold = (name: string): string => name.replaceAll('\u212a', 'k').replaceAll('\u017f', 's').toLowerCase()

const last = (object: ReadObject, isMeant: (name: string) => boolean): Read | undefined =>
  object.members.findLast(([name]) => isMeant(name))?.[1]

export const READERS: readonly JsonReader[] = [
  {
    name: 'encoding/json of Go',
    field: (object, name) => last(object, written => goFold(written) === goFold(name)),
  },
  {
    name: 'System.Text.Json of ASP.NET',
    field: (object, name) => last(object, written => ordinal(written) === ordinal(name)),
  },
  {
    name: 'a reader that folds all of Unicode',
    field: (object, name) => last(object, written => unicode(written) === unicode(name)),
  },
  {
    name: 'a reader that takes the first of equal names',
    field: (object, name) => object.members.find(([written]) => written === name)?.[1],
  },
  {
    name: 'a reader that takes the last of equal names',
    field: (object, name) => last(object, written => written === name),
  },
]

/** StringComparison.OrdinalIgnoreCase: characters one by one, in capital letters, where that is one character. */
const ordinal = (name: string): string =>
  Array.from(name, each => (each.toUpperCase().length === each.length ? each.toUpperCase() : each)).join('')

const unicode = (name: string): string => name.normalize('NFKC').toUpperCase().toLowerCase()

/** Reads a text that JSON.parse takes. */
export function readJson(text: string): Read {
  JSON.parse(text)
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/gs) ?? []
  let at = 0
  const value = (): Read => {
    const token = tokens[at++] ?? ''
    if (token === '[') return list()
    return token === '{' ? object() : (JSON.parse(token) as Read)
  }
  const list = (): Read => {
    const items: Read[] = []
    while (tokens[at] !== ']') {
      items.push(value())
      if (tokens[at] === ',') at++
    }
    at++
    return items
  }
  const object = (): Read => {
    const members: (readonly [string, Read])[] = []
    while (tokens[at] !== '}') {
      const name = JSON.parse(tokens[at] ?? '') as string
      at += 2
      members.push([name, value()])
      if (tokens[at] === ',') at++
    }
    at++
    return new ReadObject(members)
  }
  return value()
}
