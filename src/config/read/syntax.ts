import { type Document, isScalar, visit, type YAMLError } from 'yaml'
import type { Locate } from './document.ts'
import type { Report, Source } from './source.ts'

/** Reports what the YAML parser has against a file, warnings too. Whether there was anything. */
export function reportSyntax(
  documents: readonly Document[],
  { text }: Source,
  locate: Locate,
  report: Report,
): boolean {
  const found = documents.flatMap(document =>
    [...document.errors, ...document.warnings].map(error => ({ error, at: locate(...whereOf(error, document, text)) })),
  )
  let line = 0
  for (const { error, at } of found.sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column)) {
    // The parser's further errors on a line follow from the first.
    if (at.line === line) continue
    line = at.line
    report({ ...at, rule: 'yaml-syntax', severity: 'error', ...sayYaml(error, text) })
  }
  return found.length > 0
}

interface Saying {
  readonly message: string
  readonly hint: string
}

/** What the YAML parser's errors mean to somebody who writes a configuration. By the parser's code. */
const SAYINGS: Readonly<Record<string, Saying>> = {
  TAB_AS_INDENT: { message: 'a tab indents this line', hint: 'indent with spaces' },
  TAG_RESOLVE_FAILED: {
    message: 'tags such as `!name` have no meaning here',
    hint: 'remove it, or quote a text that starts with `!`',
  },
  BAD_ALIAS: { message: '`*` starts the name of an anchor', hint: 'write `all` for everything, or quote the text' },
  BAD_SCALAR_START: { message: 'a text cannot start with this character', hint: 'quote the text' },
  BAD_DIRECTIVE: { message: 'this `%` directive has no meaning here', hint: 'remove the line' },
  BAD_INDENT: { message: 'the indentation does not fit the lines above', hint: 'align it with its neighbours' },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'a second `name:` follows on the line of a value',
    hint: 'indent it like its neighbours, or quote the text',
  },
  MULTILINE_IMPLICIT_KEY: {
    message: 'a name goes over several lines',
    hint: 'is a `:` missing, or a quote not closed?',
  },
  BAD_DQ_ESCAPE: {
    message: 'this escape is unknown in double quotes',
    hint: "double the backslash, or use 'single quotes'",
  },
  BAD_PROP_ORDER: { message: 'an anchor stands in the wrong place', hint: 'write `name: &anchor value`' },
}

/** Where to look: the opening quote rather than the end of the file, the text rather than the blanks before it. */
function whereOf(error: YAMLError, document: Document, text: string): [number, number] {
  const [start, end] = error.pos
  if (isOpenQuote(error)) return [openingOf(start, document) ?? start, end]
  const blanks = /^ */.exec(text.slice(start, start + 200))?.[0].length ?? 0
  return [start + blanks, Math.max(end, start + blanks + 1)]
}

const isOpenQuote = ({ code, message }: YAMLError): boolean =>
  code === 'MISSING_CHAR' && /closing .*quote/.test(message)

function openingOf(end: number, document: Document): number | undefined {
  let opening: number | undefined
  visit(document, (_, node) => {
    if (isScalar(node) && node.range && node.type?.startsWith('QUOTE_') && node.range[1] >= end) opening = node.range[0]
  })
  return opening
}

function sayYaml(error: YAMLError, text: string): Saying {
  if (inBraces(error.pos[0], text)) {
    return { message: 'a variable inside `{ }` or `[ ]` needs quotes', hint: `write "\${NAME}"` }
  }
  const saying = SAYINGS[error.code]
  if (saying) return saying
  if (/call stack/.test(error.message))
    return { message: 'the file is nested too deeply', hint: 'write it with fewer levels' }
  if (isOpenQuote(error)) return { message: 'a quote is not closed', hint: 'end the text with the same quote' }
  return { message: lowerFirst(error.message), hint: 'not valid YAML 1.2' }
}

/** Whether the parser stumbled over an unquoted variable of a flow map. */
const inBraces = (position: number, text: string): boolean => text[position] === '{' && text[position - 1] === '$'

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
