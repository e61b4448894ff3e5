import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import Provider from 'oidc-provider'
import { configurationFor } from './configuration.ts'
import { problemPage, usersPage } from './pages.ts'
import { USERS } from './users.ts'

/** Answers as a real OpenID provider, whose users sign in by saying who they are. */
export function identityProvider(
  issuer: string,
  audience: string,
  consoles: readonly string[] = [`${audience}/console`],
): RequestListener {
  const provider = new Provider(issuer, configurationFor(audience, consoles))
  const callback = provider.callback()
  const { host } = new URL(issuer)
  return (request, response) => {
    // Under another host name, a web page could reach it through the browser on this machine.
    if (request.headers.host !== host) return show(response, 421, problemPage(`This is only for ${host}.`))
    const pathname = pathOf(request.url ?? '/', issuer)
    if (pathname === undefined) return show(response, 400, problemPage('There is no such page here.'))
    // Each sign-in asks for the user again, so that one browser can be ada and then bob.
    if (request.method === 'GET' && pathname === '/device') delete request.headers.cookie
    const answered = pathname.startsWith('/interaction/')
      ? interact(provider, pathname, request, response)
      : callback(request, response)
    answered.catch(() => show(response, 400, problemPage('This sign-in is over. Begin again with svcctl login.')))
  }
}

async function interact(
  provider: Provider,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') return show(response, 200, usersPage(path))
  const user = new URLSearchParams(await text(request)).get('user') ?? ''
  if (!Object.hasOwn(USERS, user)) return show(response, 400, problemPage('There is no such user here.'))
  await provider.interactionFinished(request, response, { login: { accountId: user } })
}

function show(response: ServerResponse, status: number, page: string): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(page)
}

function pathOf(target: string, issuer: string): string | undefined {
  try {
    return new URL(target, issuer).pathname
  } catch {
    return undefined
  }
}
