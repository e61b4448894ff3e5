import { type Document, type DocumentOptions, LineCounter, parseAllDocuments, type SchemaOptions } from 'yaml'
import type { Report, Source } from './source.ts'
import { reportSyntax } from './syntax.ts'
import type { Span } from './tree.ts'

/** The one document of a file, and where things stand in it. */
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
  'the main file starts with `version: 1`; any other declares something, or can go',
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
