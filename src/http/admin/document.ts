import { adminDocument } from '../../wire/admin-api/document.ts'
import type { HttpCall } from '../listener/call.ts'
import { Compressed, smallestForm } from '../listener/content-coding.ts'
import type { OperatorApp } from './operator-app.ts'

/** Dependencies of the document. */
type DocumentApp = Pick<OperatorApp, 'about' | 'settings'>

/** GET /admin/openapi.json: the admin API, in the words of this deployment. Written once for each configuration. */
export async function showAdminDocument(
  { about, settings }: DocumentApp,
  _asked: object,
  call: HttpCall,
): Promise<void> {
  const known = documents.get(settings) ?? new Compressed(documentOf({ about, settings }))
  documents.set(settings, known)
  const form = smallestForm(call.request.headers['accept-encoding'])
  call.send(200, 'application/json', known.bytesIn(form), {
    vary: 'accept-encoding',
    ...(form !== 'identity' && { 'content-encoding': form }),
  })
}

const documents = new WeakMap<OperatorApp['settings'], Compressed>()

function documentOf({ about, settings }: DocumentApp): Buffer {
  const { brand, server } = settings
  return Buffer.from(JSON.stringify(adminDocument({ version: about.version, brand, url: server.adminUrl })))
}
