import { LineCounter, parseAllDocuments } from 'yaml'
import { compose } from './compose.ts'
import type { Env } from './interpolate.ts'
import type { Report, Source } from './source.ts'
import { reportSyntax } from './syntax.ts'
import { isBroken, type MapNode, type Span } from './tree.ts'

/** Parses one file into a tree. Reports everything YAML has against it; undefined when there is no tree to look at. */
export function parse(source: Source, env: Env, report: Report): MapNode | undefined {
  const locate = locator(source)
  const whole = locate(0, 1)
  const refuse = (at: Span, rule: string, message: string, hint: string) => {
    report({ ...at, rule, severity: 'error', message, hint })
    return undefined
  }
  const documents = read(source, locate.lines)
  if (!documents) return refuse(whole, 'too-deep', 'the file is nested too deeply', 'write it with fewer levels')
  const [first, second] = documents
  if (!first) return refuse(whole, ...EMPTY)

  if (reportSyntax(documents, source, locate, report)) return undefined
  if (second) {
    const at = locate(second.range[0], 1)
    return refuse(at, 'two-documents', 'the file holds a second document', 'a file holds one; split it with `include`')
  }
  const root = compose(first, { locate, env, report })
  if (root?.is === 'map') return root
  if (!root || isBroken(root)) return undefined
  if (root.is === 'scalar' && root.value === null) return refuse(whole, ...EMPTY)
  return refuse(root.span, 'not-a-map', 'the file is not a map', 'write `name: value` on each line')
}

const EMPTY = ['empty-file', 'the file is empty', 'a configuration starts with `version: 1`'] as const

/** Turns a position in the text into a place; a span ends with its line. */
export interface Locate {
  (start: number, end: number): Span
  readonly lines: LineCounter
}

function locator({ file, text }: Source): Locate {
  const lines = new LineCounter()
  const locate = (start: number, end: number): Span => {
    const { line, col } = lines.linePos(start)
    const written = text.slice(start, end).split(/\r?\n/, 1)[0]?.trimEnd() ?? ''
    return { file, line: Math.max(1, line), column: Math.max(1, col), length: Math.max(1, written.length) }
  }
  return Object.assign(locate, { lines })
}

/** Undefined when the parser ran out of stack. */
function read({ text }: Source, lineCounter: LineCounter) {
  try {
    // Everything is text at first: scalar.ts gives unquoted text its type after variables are put in.
    const options = {
      lineCounter,
      schema: 'failsafe',
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
    } as const
    const documents = parseAllDocuments(text, options)
    return 'empty' in documents ? [] : documents
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
