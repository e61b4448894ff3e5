import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { CLIENT_DIALECTS } from '../../wire/client-dialects.ts'
import { docsStyle, errorsPage } from '../../wire/errors/docs-page.ts'
import { errorList } from '../../wire/errors/list.ts'
import type { HttpCall } from '../listener/call.ts'
import { Compressed, smallestForm } from '../listener/content-coding.ts'
import { plainPageHeaders } from '../plain-page.ts'
import type { ClientApp } from './client-app.ts'

/** Dependencies of the docs pages. */
type DocsApp = Pick<ClientApp, 'config' | 'settings'>

/** GET /docs/errors. Nothing on the page may load or run: its one style is allowed by its hash. */
export function showErrorDocs({ settings }: DocsApp, call: HttpCall): void {
  const { brand, server, errors, identity, guests } = settings
  const { consoleUrl } = server
  const { topup: topupUrl } = errors
  const page = errorsPage({
    ...{ brand, consoleUrl, topupUrl, signIn: identity !== undefined, guests: guests !== undefined },
    dialects: Object.values(CLIENT_DIALECTS),
  })
  call.send(200, 'text/html; charset=utf-8', Buffer.from(page), plainPageHeaders(docsStyle))
}

/** GET /docs/errors.json: the same for programs. */
export const listErrors = (call: HttpCall): void => call.json(200, errorList(), { 'cache-control': 'max-age=300' })

/** GET /openapi.json: openapi.yaml of this package, in the words of this deployment. Written and compressed once for each configuration. */
export function showOpenApi(app: DocsApp, call: HttpCall): void {
  const known = documents.get(app.config) ?? new Compressed(openApiOf(app))
  documents.set(app.config, known)
  const form = smallestForm(call.request.headers['accept-encoding'])
  call.send(200, 'application/json', known.bytesIn(form), {
    vary: 'accept-encoding',
    ...(form !== 'identity' && { 'content-encoding': form }),
  })
}

const documents = new WeakMap<ClientApp['config'], Compressed>()

function openApiOf({ config, settings }: DocsApp): Buffer {
  const { brand, server } = settings
  const text = openApiText().replaceAll('x-svc-', `x-${brand}-`).replaceAll('svc_', `${brand}_`)
  const document = JSON.parse(text)
  const { summary, ...methods } = document.components.pathItems.Passthrough
  for (const { name, methods: taken } of config.passthrough.values()) {
    const operations = taken.map(method => [method.toLowerCase(), methods[method.toLowerCase()]])
    document.paths[name] = { summary, ...Object.fromEntries(operations) }
  }
  return Buffer.from(JSON.stringify({ ...document, servers: [{ url: server.publicUrl }] }))
}

let openApi: string | undefined

/** Parsed when it is first asked for, so that a start does not wait for it. */
function openApiText(): string {
  openApi ??= JSON.stringify(parse(readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8')))
  return openApi
}
