import { docsOf } from '../../config/docs/doc.ts'
import { CommandFailed } from '../../server/failure.ts'
import { writeJson, writeOut } from '../stdout.ts'
import type { DocOptions } from './doc.ts'
import { docText } from './doc-text.ts'

/** Prints what the schema says of a field. Rejects with CommandFailed when there is none of that name. */
export async function doc(field: string, { json }: DocOptions): Promise<void> {
  const docs = docsOf(field)
  if ('unknown' in docs) throw new CommandFailed(`✗ unknown field \`${docs.unknown}\`: ${docs.hint}`)
  await (json ? writeJson({ object: 'list', data: docs }) : writeOut([`${docs.map(docText).join('\n\n')}\n`]))
}
