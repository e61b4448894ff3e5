import { Document, isScalar, visit } from 'yaml'
import { docsOf, type FieldDoc, type FieldLine } from '../../config/docs/doc.ts'
import { CommandFailed } from '../../server/failure.ts'
import { terminalWidth, wrapped } from '../kit/table.ts'
import { writeJson, writeOut } from '../kit/terminal.ts'
import type { DocOptions } from './doc.ts'

/** Prints what the schema says of a field. Rejects with CommandFailed when there is none of that name. */
export async function doc(field: string, { json }: DocOptions): Promise<void> {
  const docs = docsOf(field)
  if ('unknown' in docs) throw new CommandFailed(`✗ unknown field \`${docs.unknown}\`: ${docs.hint}`)
  await (json ? writeJson({ object: 'list', data: docs }) : writeOut([`${docs.map(docText).join('\n\n')}\n`]))
}

/** As wide as text gets: longer lines are hard to read. */
const MOST_WIDTH = 100

/** The documentation of a field, as people read it. */
export function docText(doc: FieldDoc): string {
  const { field, kinds, description, type, unit, range, written, example, fields } = doc
  const width = Math.min(MOST_WIDTH, terminalWidth())
  const isSection = fields.length > 0
  const title = [field || 'the configuration file', kinds.length > 0 && `(${kinds.join(', ')})`]
    .filter(Boolean)
    .join(' ')
  const rows: [string, string | null][] = [
    ['type', type],
    ['unit', unit],
    ['range', range],
    ['write', written],
    ['default', isSection && doc.default === null && !doc.required ? null : defaultText(doc)],
  ]
  const parts = [
    title,
    indented(wrapped(description, width - 2).join('\n')),
    indented(
      columns(
        rows.flatMap(([name, text]) => (text === null ? [] : [[name, text]])),
        width - 2,
      ),
    ),
    ...(fields.length > 0 ? [`  fields\n${indented(linesText(fields, width - 4), 4)}`] : []),
    `  example\n${indented(exampleText(example), 4)}`,
  ]
  return parts.join('\n\n')
}

function defaultText({
  default: value,
  required,
  description,
}: Pick<FieldDoc, 'default' | 'required' | 'description'>): string {
  if (value !== null) return typeof value === 'string' ? value : JSON.stringify(value)
  if (required) return 'none: it is required'
  return /\b(?:Default|Without it|In place of what): ?/.test(description)
    ? 'as described above'
    : 'none: it is optional'
}

function linesText(fields: readonly FieldLine[], width: number): string {
  const rows = fields.map(({ name, kinds, required, description }) => [
    `${name}${required ? ' *' : ''}`,
    kinds.length > 0 ? `(${kinds.join(', ')}) ${description}` : description,
  ])
  const legend = fields.some(({ required }) => required) ? '\n* is required' : ''
  return columns(rows, width) + legend
}

/** Names, and texts that continue below their start. */
function columns(rows: readonly (readonly string[])[], width: number): string {
  const names = Math.max(...rows.map(([name = '']) => name.length)) + 2
  return rows
    .map(([name = '', text = '']) => name.padEnd(names) + wrapped(text, width - names).join(`\n${' '.repeat(names)}`))
    .join('\n')
}

/** Lists of names on one line, as the shipped files have them. */
function exampleText(example: unknown): string {
  const document = new Document(example)
  visit(document, {
    Seq: (_, node) => {
      node.flow = node.items.every(isScalar)
    },
  })
  return document.toString({ lineWidth: 0, flowCollectionPadding: false }).trimEnd()
}

const indented = (text: string, blanks = 2): string => text.replace(/^(?=.)/gm, ' '.repeat(blanks))
