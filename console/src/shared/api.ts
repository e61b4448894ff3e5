import { signal } from '@preact/signals'
import { boot } from './boot.ts'
import { accessToken, refused } from './sign-in/session.ts'
import * as common from './texts/common.ts'

/** A problem in words for a reader, and its remedy. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  readonly type: string | undefined
  readonly requestId: string | undefined
  readonly retryMs: number | undefined
  /** The problems in files, over several lines. */
  readonly detail: string | undefined

  constructor(problem: ProblemFields) {
    super(problem.message)
    this.status = problem.status
    this.code = problem.code
    this.type = problem.type
    this.requestId = problem.requestId
    this.retryMs = problem.retryMs
    this.detail = problem.detail
  }

  /** Whether the gateway or the way to it is at fault, so that the same request may succeed. */
  get isOurs(): boolean {
    return this.status === 0 || this.status >= 500
  }
}

interface ProblemFields {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly type?: string | undefined
  readonly requestId?: string | undefined
  readonly retryMs?: number | undefined
  readonly detail?: string | undefined
}

/** Another version of the gateway answers than the one that this page is of. */
export const isStale = signal(false)

/** Asks the API as whom is signed in. A request waits while nobody is; what was refused for that is sent once more. */
export async function ask<T>(path: string, body?: object): Promise<T> {
  const response = await send(path, body === undefined ? {} : jsonInit(body))
  return response.json()
}

/** Asks for what anybody may have, or with a credential of its own among the headers. */
export async function askOpen<T>(path: string, body?: object, headers: Record<string, string> = {}): Promise<T> {
  const { headers: own, ...init } = body === undefined ? { headers: {} } : jsonInit(body)
  const response = await fetched(path, { ...init, headers: { ...own, ...headers } })
  if (!response.ok) throw await problemOf(response)
  return response.json()
}

/** As `ask`, for an answer that is read as it comes, or not to its end; without a body it is a GET. */
export const askResponse = (path: string, body: object | undefined, signal: AbortSignal): Promise<Response> =>
  send(path, { ...(body && jsonInit(body)), signal })

async function send(path: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const token = await accessToken()
    const headers = { ...init.headers, authorization: `Bearer ${token}` }
    const response = await fetched(path, { ...init, headers })
    if (response.ok) return response
    const problem = await problemOf(response)
    // The role's permissions changed meanwhile: pages offer those it has now.
    if (init.method === 'POST' && problem.code === 'FORBIDDEN') dispatchEvent(new Event('refresh'))
    if (!refused(token, problem)) throw problem
  }
}

const jsonInit = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

async function fetched(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(boot.api_url + path, {
      ...init,
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
    })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiProblem({ status: 0, code: 'OFFLINE', message: common.offline })
  }
}

async function problemOf(response: Response): Promise<ApiProblem> {
  const { status, headers } = response
  const body = await response.json().catch(() => undefined)
  const { message, type } = wordsIn(body)
  return new ApiProblem({
    status,
    code: headers.get(`x-${boot.brand}-error-code`) ?? String(status),
    message: message ?? common.answered(status),
    type,
    requestId: headers.get('x-request-id') ?? undefined,
    retryMs: retryOf(headers),
    detail: textIn(body),
  })
}

/** The gateway has errors as `{error: "…"}` and as `{error: {message}}`. */
export function wordsIn(body: unknown): { readonly message?: string; readonly type?: string } {
  const error = Object(body).error
  if (typeof error === 'string') return { message: error }
  const { message, type } = Object(error)
  return { ...(typeof message === 'string' && { message }), ...(typeof type === 'string' && { type }) }
}

const textIn = (body: unknown): string | undefined => {
  const { text } = Object(body)
  return typeof text === 'string' && text !== '' ? text : undefined
}

function retryOf(headers: Headers): number | undefined {
  const millis = Number(headers.get('retry-after-ms') ?? Number.NaN)
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const wait = Number.isNaN(millis) ? seconds * 1000 : millis
  return Number.isNaN(wait) ? undefined : wait
}
