import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vite'
import { describe, expect, it } from 'vitest'

const SOURCES = fileURLToPath(new URL('../../console/src/', import.meta.url))
const pages = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(name =>
  /^(?!.*texts\/).*\.tsx?$/.test(name),
)

describe('what a page of the console says', () => {
  it('is found in sources that have it', () => {
    const source = `export const Page = () => (
      <p title="Why" class="wide row">
        Hello, {name}<code>svcctl show</code>
        <input placeholder={isNew ? 'Its name' : 'name'} />{say(\`Done with \${name}\`)}
      </p>
    )`
    expect(wordsIn(source, 'tsx')).toEqual(['Why', 'Hello,', 'Its name', 'name', 'Done with {}'])
  })

  it.each(pages)('stands in a module of texts, and not in %s', name => {
    const lang = name.endsWith('x') ? 'tsx' : 'ts'
    expect(wordsIn(readFileSync(SOURCES + name, 'utf8'), lang)).toEqual([])
  })
})

/** Words of a source for people: text and labels of elements, and texts that begin like a sentence. */
function wordsIn(source: string, lang: 'ts' | 'tsx'): readonly string[] {
  const found: string[] = []
  const visit = (node: Node, isRead: boolean): void => {
    if (isUnread(node)) return
    const text = textOf(node)
    if (text !== undefined) note(text, isRead || node.type === 'JSXText')
    const isLabel = node.type === 'JSXAttribute' ? LABELS.has(nameOf(node)) : isRead && !OPENS_ANEW.has(node.type)
    const isShown = (child: Node) => ELEMENTS.has(node.type) && child.type === 'JSXExpressionContainer'
    for (const child of childrenOf(node)) visit(child, isLabel || isShown(child))
  }
  const note = (text: string, isRead: boolean) => {
    const words = text.trim().replace(/\s+/g, ' ')
    if (isRead ? /\p{L}/u.test(words.replaceAll('{}', '')) : SENTENCE.test(words) && !NAMES.test(words))
      found.push(words)
  }
  visit(parseAst(source, { lang }) as unknown as Node, false)
  return found
}

interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

const UNREAD = new Set([
  'ImportDeclaration',
  'ImportExpression',
  'TSTypeAnnotation',
  'TSInterfaceDeclaration',
  'TSLiteralType',
])
const ELEMENTS = new Set(['JSXElement', 'JSXFragment'])
/** Commands, codes and keys of a keyboard are the same in every language. */
const VERBATIM = new Set(['code', 'kbd'])
const LABELS = new Set(['title', 'label', 'placeholder', 'aria-label', 'alt', 'fact', 'action', 'note'])
/** Values in comparisons and computations are not read by people. */
const OPENS_ANEW = new Set(['CallExpression', 'BinaryExpression', 'MemberExpression'])
const SENTENCE = /^[A-Z][a-z]+(?:[ .,:…]|$)/
/** Names of keys, headers, browser classes and clients. */
const NAMES = /^(?:Escape|Enter|Arrow\w+|Bearer \{\}|AbortError|Python|Node|Claude Code|Codex|Cline|Environment|Error)$/

const isUnread = (node: Node): boolean =>
  UNREAD.has(node.type) ||
  (node.type === 'JSXElement' && VERBATIM.has(nameOf(node))) ||
  // `later('Pools')`: the module of pages has it under that name.
  (node.type === 'CallExpression' && Object(node.callee).name === 'later')

function textOf({ type, value, quasis }: Node): string | undefined {
  if (type === 'TemplateLiteral') return (quasis as readonly Quasi[]).map(({ value: { cooked } }) => cooked).join('{}')
  return type === 'JSXText' || (type === 'Literal' && typeof value === 'string') ? String(value) : undefined
}

interface Quasi {
  readonly value: { readonly cooked: string }
}

const nameOf = ({ openingElement, name = (openingElement as Node | undefined)?.name }: Node): string =>
  String((name as Node | undefined)?.name ?? '')

const childrenOf = (node: Node): readonly Node[] =>
  Object.values(node)
    .flat()
    .filter((child): child is Node => typeof Object(child).type === 'string')
