import {
  type Document,
  type DocumentOptions,
  isScalar,
  LineCounter,
  parseAllDocuments,
  type SchemaOptions,
  visit,
  type YAMLError,
} from 'yaml'
import type { Span } from '../model/tree.ts'
import type { Report } from '../problem.ts'
import type { Source } from './disk.ts'

/** The only document of a file, with the positions of its parts. */
export interface Written {
  readonly document: Document.Parsed
  readonly locate: Locate
}

/** Turns a position in the text into a place; a span ends with its line. */
export type Locate = (start: number, end: number) => Span

/** Reads one file as YAML. Reports everything YAML has against it; undefined when there is nothing to look at. */
export function documentOf(source: Source, report: Report, tags?: SchemaOptions['customTags']): Written | undefined {
  const lines = new LineCounter()
  const locate = locator(source, lines)
  const refuse = (at: Span, rule: string, message: string, hint: string) => {
    report({ ...at, rule, severity: 'error', message, hint })
    return undefined
  }
  const documents = read(source, lines, tags)
  if (!documents) {
    return refuse(locate(0, 1), 'too-deep', 'the file is nested too deeply', 'write it with fewer levels')
  }
  const [first, second] = documents
  if (!first) return refuse(locate(0, 1), ...EMPTY)
  if (reportSyntax(documents, source, locate, report)) return undefined
  if (second) {
    const at = locate(second.range[0], 1)
    return refuse(at, 'two-documents', 'the file holds a second document', 'a file holds one; split it with `include`')
  }
  return { document: first, locate }
}

/** The rule, message and hint for a file that says nothing. */
export const EMPTY = [
  'empty-file',
  'the file is empty',
  'start the main file with `version: 1`; give any other file a declaration, or remove it',
] as const

function locator({ file, text }: Source, lines: LineCounter): Locate {
  return (start, end) => {
    const { line, col } = lines.linePos(start)
    const written = text.slice(start, end).split(/\r?\n/, 1)[0]?.trimEnd() ?? ''
    return { file, line: Math.max(1, line), column: Math.max(1, col), length: Math.max(1, written.length) }
  }
}

/** Undefined when the parser ran out of stack. */
function read({ text }: Source, lineCounter: LineCounter, customTags: SchemaOptions['customTags'] = null) {
  try {
    // Everything is text at first: scalar.ts gives unquoted text its type after variables are put in.
    const options = {
      lineCounter,
      customTags,
      schema: 'failsafe',
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
    } satisfies DocumentOptions & Record<string, unknown>
    const documents = parseAllDocuments(text, options)
    return 'empty' in documents ? [] : documents
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Reports what the YAML parser has against a file, warnings too. Whether there was anything. */
function reportSyntax(documents: readonly Document[], { text }: Source, locate: Locate, report: Report): boolean {
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

/** The YAML parser's errors in words for authors of configurations, by the parser's code. */
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
    message: 'the line of a value has a second `name:`',
    hint: 'indent it like its neighbours, or quote the text',
  },
  MULTILINE_IMPLICIT_KEY: {
    message: 'a name spans several lines',
    hint: 'is a `:` missing, or a quote not closed?',
  },
  BAD_DQ_ESCAPE: {
    message: 'this escape is unknown in double quotes',
    hint: "double the backslash, or use 'single quotes'",
  },
  BAD_PROP_ORDER: { message: 'an anchor is in the wrong place', hint: 'write `name: &anchor value`' },
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
