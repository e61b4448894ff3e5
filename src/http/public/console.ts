import { type ConsoleBoot, consolePage } from '../../wire/console/boot.ts'
import { builtConsole } from '../console/built-console.ts'
import { answerFile, answerPage } from '../console/console-answers.ts'
import type { HttpCall } from '../listener/call.ts'
import type { App } from '../listener/endpoint.ts'

/** GET /console: the web console for people who sign in. */
export function showConsole(app: App, call: HttpCall): void {
  const built = ownConsole(app, call)
  if (!built) return
  const html = built.pages.get('public')
  if (html === undefined) missing(call, NOT_BUILT)
  else answerPage(call, consolePage(html, bootOf(app, built.build)), app.providerOrigins?.() ?? [])
}

/** GET /console/{id}: a name with a dot is a file, any other one a page, which the console shows by itself. */
export function serveConsoleFile(app: App, call: HttpCall, name: string): void {
  const isFile = name.includes('.')
  if (!isFile) showConsole(app, call)
  const built = isFile && ownConsole(app, call)
  if (!built) return
  // Looked up by name: no path of a client reaches the disk.
  const file = built.files.get(name)
  if (file) answerFile(call, file)
  else missing(call, 'The console has no such file: it may be of another version. Load the page again.')
}

/** The console where this gateway serves it; else the call is answered. */
function ownConsole({ settings }: App, call: HttpCall) {
  const { console: isServed, consoleUrl, publicUrl } = settings.server
  if (!isServed) return missing(call, 'This gateway serves no console.')
  // Another page has its place: sign-ins lead back there.
  if (consoleUrl !== undefined && consoleUrl !== `${publicUrl}/console`)
    return missing(call, `The console is at ${consoleUrl}.`)
  return builtConsole() ?? missing(call, NOT_BUILT)
}

const NOT_BUILT = 'The console was not built: npm run build. Keys can be managed with svcctl keys.'

function missing(call: HttpCall, problem: string): undefined {
  call.deny({ code: 'NOT_FOUND', problem })
  return undefined
}

function bootOf({ config, settings }: App, build: string): ConsoleBoot {
  const { brand, server, identity, errors } = settings
  return {
    brand,
    build,
    public_url: server.publicUrl,
    console_url: `${server.publicUrl}/console`,
    issuer: identity?.issuer ?? null,
    client_id: identity?.consoleClientId ?? null,
    resource: identity?.audience ?? null,
    topup: errors.topup ?? null,
    contact: server.contact ?? null,
    default_model: config.defaultModel.name,
  }
}
