import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import Provider from 'oidc-provider'
import { configurationOf } from './oidc-configuration.ts'
import { type PrivateKey, SigningKeys } from './oidc-keys.ts'
import { approve, deviceFlow, type Tokens } from './oidc-sign-in.ts'

/** Ephemeral ports begin above. */
const PORT_MIN = 20_000
const PORT_MAX = 32_767

export interface OidcOptions {
  /** The resource its access tokens are for. */
  readonly audience: string
  /** More claims of a user's access tokens; any name can sign in. */
  readonly users?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** A real identity provider on loopback, with a device flow that anyone may approve. */
export interface OidcServer {
  readonly issuer: string
  readonly audience: string
  readonly clientId: string
  /** Its signing keys of now. */
  readonly keys: readonly PrivateKey[]
  /** Paths that were asked for, oldest first. */
  readonly requests: readonly string[]
  /** The tokens of a user, by the device flow. */
  signIn(user: string, alg?: string): Promise<Tokens>
  /** Does what the user does in the browser, given `verification_uri_complete` of a device flow. */
  approve(uri: string, user: string): Promise<void>
  /** Restarts it with new keys, at the same address. */
  rotate(): Promise<void>
  stop(): Promise<void>
  /** Starts it again, at the same address. */
  start(): Promise<void>
}

const CLIENT_ID = 'svcctl'

/** Starts an identity provider on a free port. */
export async function startOidc({ audience, users = {} }: OidcOptions): Promise<OidcServer> {
  const requests: string[] = []
  const made = new SigningKeys()
  let keys = await made.next()
  let alg = 'RS256'
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = () => {}
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    requests.push(request.url ?? '')
    handle(request, response)
  }
  let server = await listenSomewhere(listener)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening')
  const { port } = address
  const issuer = `http://127.0.0.1:${port}`

  const renew = () => {
    const configuration = configurationOf({ audience, users, keys, clientId: CLIENT_ID, alg: () => alg })
    handle = handlerOf(new Provider(issuer, configuration))
  }
  const stop = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
    made.release()
  }
  renew()
  return {
    issuer,
    audience,
    clientId: CLIENT_ID,
    get keys() {
      return keys
    },
    requests,
    signIn: (user, wanted = 'RS256') => {
      alg = wanted
      return deviceFlow({ issuer, clientId: CLIENT_ID, audience }, user)
    },
    approve,
    rotate: async () => {
      keys = await made.next()
      renew()
    },
    stop,
    start: async () => {
      if (server.listening) return
      made.reclaim()
      server = await listen(listener, port)
    },
  }
}

/** The provider, and in place of its pages for people one that signs in whoever the header `x-user` names. */
function handlerOf(provider: Provider): (request: IncomingMessage, response: ServerResponse) => unknown {
  const callback = provider.callback()
  return (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return callback(request, response)
    const accountId = String(request.headers['x-user'] ?? 'alice')
    return provider.interactionFinished(request, response, { login: { accountId } })
  }
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

async function listenSomewhere(listener: Listener): Promise<Server> {
  for (;;) {
    const port = PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN + 1))
    try {
      return await listen(listener, port)
    } catch (error) {
      if (!String(error).includes('EADDRINUSE')) throw error
    }
  }
}

async function listen(listener: Listener, port: number): Promise<Server> {
  const server = createServer(listener)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}
