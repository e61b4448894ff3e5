import type { ConsoleBoot } from '../../wire/console/boot.ts'
import {
  answerConsole,
  answerConsoleName,
  answerMissing,
  builtOrMissing,
  type ServedConsole,
} from '../console/answers.ts'
import type { HttpCall } from '../listener/call.ts'
import type { ClientApp } from './client-app.ts'

/** Dependencies of the client console. */
type ConsoleApp = Pick<ClientApp, 'config' | 'settings' | 'providerOrigins'>

/** GET /console: the web console for people who sign in. */
export function showConsole(app: ConsoleApp, call: HttpCall): void {
  const served = servedConsole(app, call)
  if (served) answerConsole(call, served)
}

/** GET /console/{id}: a page or a file of it. */
export function serveConsoleFile(app: ConsoleApp, call: HttpCall, name: string): void {
  const served = servedConsole(app, call)
  if (served) answerConsoleName(call, served, name)
}

/** The console where this gateway serves it; else the call is answered. */
function servedConsole(app: ConsoleApp, call: HttpCall): ServedConsole | undefined {
  const { console: isServed, consoleUrl, publicUrl } = app.settings.server
  if (!isServed) return answerMissing(call, 'This gateway serves no console.')
  // Another page replaces it: sign-ins lead back there.
  if (consoleUrl !== undefined && consoleUrl !== `${publicUrl}/console`)
    return answerMissing(call, `The console is at ${consoleUrl}.`)
  const built = builtOrMissing(call)
  return built && { built, boot: bootOf(app, built.build), connect: app.providerOrigins?.() ?? [] }
}

function bootOf({ config, settings }: ConsoleApp, build: string): ConsoleBoot {
  const { brand, server, identity, errors } = settings
  return {
    door: 'public',
    brand,
    build,
    public_url: server.publicUrl,
    console_url: `${server.publicUrl}/console`,
    api_url: server.publicUrl,
    issuer: identity?.issuer ?? null,
    client_id: identity?.consoleClientId ?? null,
    resource: identity?.audience ?? null,
    topup: errors.topup ?? null,
    contact: server.contact ?? null,
    default_model: config.defaultModel.name,
  }
}
