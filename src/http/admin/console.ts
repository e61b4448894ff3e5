import { hasOperators } from '../../gateway/operators/operators.ts'
import type { ConsoleBoot } from '../../wire/console/boot.ts'
import {
  answerConsole,
  answerConsoleName,
  answerMissing,
  builtOrMissing,
  type ServedConsole,
} from '../console/answers.ts'
import type { HttpCall } from '../listener/call.ts'
import type { OperatorApp } from './operator-app.ts'
import type { AdminEndpoint } from './operator-family.ts'
import { isOwnHost } from './sessions.ts'

/** Dependencies of the operator console. */
type ConsoleApp = Pick<OperatorApp, 'config' | 'settings' | 'providerOrigins'>

/** The web console of operators. The page itself contains no secrets; it reads all data with an operator's session. */
export const consoleEndpoints: readonly AdminEndpoint[] = [
  { method: 'GET', path: '/console', who: 'anyone', rate: 'operators', run: showConsole },
  { method: 'GET', path: '/console/{id}', who: 'anyone', rate: 'operators', run: serveConsoleFile },
]

function showConsole(app: ConsoleApp, call: HttpCall): void {
  const served = servedConsole(app, call)
  if (served) answerConsole(call, served)
}

function serveConsoleFile(app: ConsoleApp, call: HttpCall, name: string): void {
  const served = servedConsole(app, call)
  if (served) answerConsoleName(call, served, name)
}

/** The console, if this gateway serves it under this host. Otherwise answers the call. */
function servedConsole(app: ConsoleApp, call: HttpCall): ServedConsole | undefined {
  const { server } = app.settings
  const host = call.request.headers.host ?? ''
  if (!isOwnHost(host, server.adminUrl)) return void call.deny({ code: 'MISDIRECTED', host })
  if (!server.console) return answerMissing(call, 'This gateway serves no console.')
  const built = builtOrMissing(call)
  if (!built) return undefined
  const boot = bootOf(app, built.build, pathAt(host, server.adminUrl))
  return { built, boot, connect: boot.client_id === null ? [] : (app.providerOrigins?.() ?? []) }
}

/** The path before `/console` under this host: a proxy may mount the listener below a path. */
function pathAt(host: string, adminUrl: string | undefined): string {
  const own = adminUrl === undefined ? undefined : new URL(adminUrl)
  return own?.host === host.toLowerCase() ? own.pathname.replace(/\/$/, '') : ''
}

function bootOf({ config, settings }: ConsoleApp, build: string, path: string): ConsoleBoot {
  const { brand, server, identity } = settings
  // A gateway without operator accounts refuses every sign-in here.
  const signsIn = identity !== undefined && hasOperators(settings)
  return {
    door: 'admin',
    brand,
    build,
    public_url: server.publicUrl,
    console_url: `${path}/console`,
    api_url: path,
    issuer: (signsIn ? identity.issuer : undefined) ?? null,
    client_id: (signsIn ? identity.consoleClientId : undefined) ?? null,
    resource: signsIn ? identity.audience : null,
    topup: null,
    contact: null,
    default_model: config.defaultModel.name,
  }
}
