import type { Content } from 'svc-gateway-import'
import { Document, isMap, isPair, isScalar, visit } from 'yaml'
import { format } from '../../config/format/format.ts'
import { inEscapes, oneLine } from '../../wire/printable.ts'

/** The data as YAML in the one style of this project, with its comments, below a title. */
export function writtenYaml({ data, comments }: Content, title: string): string {
  const document = new Document(data, { aliasDuplicateObjects: false })
  document.commentBefore = ` ${title}`
  visit(document, {
    Pair: (_, pair, above) => {
      const path = [...above.filter(isPair).map(({ key }) => nameOf(key)), nameOf(pair.key)].join('/')
      const own = comments.get(path)
      if (own && isScalar(pair.key))
        pair.key.commentBefore = own.map(line => ` ${oneLine(line).replace(/\s+/g, ' ')}`).join('\n')
    },
  })
  spaced(document)
  quoteUnseen(document)
  const text = inEscapes(document.toString({ lineWidth: 0 }))
  return format({ file: 'config.yaml', path: 'config.yaml', text }, () => {}) ?? text
}

/** Writes invisible characters as escapes, which YAML has between double quotes alone. */
function quoteUnseen(document: Document): void {
  visit(document, {
    Scalar: (_, scalar) => {
      const { value } = scalar
      if (typeof value === 'string' && oneLine(value) !== value) scalar.type = 'QUOTE_DOUBLE'
    },
  })
}

const nameOf = (key: unknown): string => String(isScalar(key) ? key.value : key)

/** An empty line between sections; leaves in braces. */
function spaced({ contents }: Document): void {
  if (!isMap(contents)) return
  for (const { key, value } of contents.items) {
    if (isMap(value) && isScalar(key)) key.spaceBefore = true
  }
  visit(contents, {
    Map: (_, map, above) => {
      const depth = above.filter(isPair).length
      if (depth > 1) map.flow = true
    },
    Seq: (_, sequence) => {
      sequence.flow = true
    },
  })
}
