import type { IncomingMessage } from 'node:http'
import { json as parse } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { outOfPatience } from '../gateway/patience.ts'
import type { Clock } from '../gateway/ports.ts'
import type { Millis } from '../policy/config.ts'
import { CommandFailed, exitCodes } from '../server/failure.ts'
import { PAST_REQUESTS } from '../wire/admin/past-request.ts'
import { READ_DETAIL } from '../wire/admin/request-detail.ts'
import { type ShownReload, withWarningLines } from '../wire/admin/revision.ts'
import { AS_HEADER, REPEAT_HEADER, USER_HEADER } from '../wire/admin/user.ts'
import * as accounts from '../wire/admin-api/accounts.ts'
import {
  type AdminCall,
  type AnswerOf,
  type BodySent,
  type LineOf,
  pathOf,
  type QuerySent,
  type Sent,
} from '../wire/admin-api/call.ts'
import { reloadConfig } from '../wire/admin-api/config.ts'
import * as requests from '../wire/admin-api/requests.ts'
import * as usage from '../wire/admin-api/usage.ts'
import { INVOICES, MONTH_INVOICES } from '../wire/invoice/shown-invoices.ts'
import { isObject, type JsonObject } from '../wire/json-safety.ts'
import { linesOf } from '../wire/lines.ts'
import { readAs } from '../wire/schema/read.ts'
import type { AnySchema, Schema } from '../wire/schema/schema.ts'
import { type AdminEndpoint, type OperatorApi, operatorApiOf, osUser, type RunAdminOp } from './api.ts'
import type { ClientTls } from './client-tls.ts'
import { ask, type Question } from './http.ts'

/** Whether a gateway listens at this admin address. `after` replaces the timers that wait for its answer, in tests. */
export async function isRunning(admin: string, tls?: ClientTls, after?: Clock['after']): Promise<boolean> {
  const overdue = new AbortController()
  const callOff = outOfPatience({ time: ALIVE_MS, after }, () => overdue.abort())
  try {
    const answer = await ask(`${admin}/healthz`, { signal: overdue.signal, tls })
    answer.resume()
    return answer.statusCode === 200
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (UNTRUSTED.test(code)) throw untrusted(admin, code)
    // Refused, no answer in time, or no gateway at all: each means that none runs there.
    return false
  } finally {
    callOff()
  }
}

/** node's error codes for an untrusted server certificate. */
const UNTRUSTED = /CERT|SIGNATURE/

const untrusted = (admin: string, code: string): CommandFailed =>
  new CommandFailed(
    `✗ the server at ${admin} has a certificate that is not trusted: ${code}\n  set SVCCTL_CA to a file with the certificates that sign it`,
    exitCodes.unreachable,
  )

/** A busy gateway answers within this time. It costs operators nothing where none runs: that connection is refused at once. */
const ALIVE_MS: Millis = 5000

/** The operator's API through the admin listener of a running gateway. */
export function remoteOperatorApi(endpoint: AdminEndpoint): OperatorApi {
  const run: RunAdminOp = (declared, body, repeatKey) =>
    askAgain(() => askFor(endpoint, declared, { body, ...(repeatKey !== undefined && { repeatKey }) }), repeatKey)
  return operatorApiOf(run, {
    usage: query => askFor(endpoint, usage.showUsage, { query }),
    invoice: query => askFor(endpoint, usage.showInvoice, { query }),
    invoices: query => askFor(endpoint, INVOICES_OF_ACCOUNT, { query }),
    monthInvoices: ({ month }) => readRows(endpoint, usage.listInvoices, { month, format: 'ndjson' }),
    monthNamed: async ({ month }) => (await askFor(endpoint, INVOICES_OF_MONTH, { query: { month, limit: 1 } })).month,
    pastRequests: query => askFor(endpoint, PAST, { query }),
    showRequest: (id, gateway) => askFor(endpoint, DETAIL, { id, query: { gateway } }),
    ledger: query => readRows(endpoint, usage.exportLedger, { ...query }),
    focus: query => readText(endpoint, pathOf(usage.exportLedger, { query: { ...query, format: 'focus' } })),
    audit: query => readRows(endpoint, usage.showAudit, { ...query }),
    standings: account => readRows(endpoint, accounts.listStandings, { account }),
    backup: () => readBytes(endpoint, usage.sendBackup.path),
    close: async () => {},
  })
}

/** With an account the answer has its months. */
const INVOICES_OF_ACCOUNT = { ...usage.listInvoices, answer: INVOICES }

const INVOICES_OF_MONTH = { ...usage.listInvoices, answer: MONTH_INVOICES }

const DETAIL = { ...requests.showRequest, answer: READ_DETAIL }

/** With `since` or `month` the answer has past requests. */
const PAST = { ...requests.listRequests, answer: PAST_REQUESTS }

async function* readBytes(endpoint: AdminEndpoint, path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const answer = await openBody(endpoint, path)
  try {
    yield* answer
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailed(`✗ the gateway broke off: ${reason}`, exitCodes.unreachable)
  }
}

async function* readText(endpoint: AdminEndpoint, path: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  for await (const piece of readBytes(endpoint, path)) yield decoder.decode(piece, { stream: true })
  yield decoder.decode()
}

async function* readRows<C extends AdminCall & { readonly lines: AnySchema }>(
  endpoint: AdminEndpoint,
  declared: C,
  query: QuerySent<C>,
): AsyncGenerator<LineOf<C>, void, undefined> {
  const row: Schema<LineOf<C>> = declared.lines
  const answer = await openBody(endpoint, pathOf(declared, { query }))
  try {
    for await (const line of linesOf(answer)) yield readAs(row, JSON.parse(line), 'row')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailed(`✗ the gateway broke off, so rows are missing: ${reason}`, exitCodes.unreachable)
  }
}

/** The answer to a GET, as it comes. Rejects with CommandFailed for anything but a 200. */
export async function openBody(endpoint: AdminEndpoint, path: string, waiting: Waiting = {}): Promise<IncomingMessage> {
  const answer = await send(endpoint, 'GET', path, undefined, waiting)
  return answer.statusCode === 200 ? answer : refuse(endpoint, answer, await readJson(endpoint, path, answer))
}

type Waiting = Pick<Question, 'signal' | 'silence'>

/** Has a gateway take its files as they are now. Rejects with CommandFailed, which shows all problems that are in the way. */
export async function reloadGateway(endpoint: AdminEndpoint): Promise<ShownReload> {
  const refusal = ({ code, text, error }: JsonObject) =>
    code === 'RELOAD_REFUSED' ? new CommandFailed(`${String(text)}\n✗ ${String(error)}`) : undefined
  return withWarningLines(await askFor(endpoint, reloadConfig, { body: {}, refusal }))
}

interface Asking<C> extends Pick<Sent<C>, 'id' | 'query'> {
  readonly body?: BodySent<C> | undefined
  readonly repeatKey?: string
  /** The error of a refusal that means something to the command. */
  readonly refusal?: (body: JsonObject) => CommandFailed | undefined
}

/** Asks a gateway, and reads its answer as the call declares it. Rejects with CommandFailed for anything but a 200. */
export async function askFor<C extends AdminCall & { readonly answer: AnySchema }>(
  endpoint: AdminEndpoint,
  declared: C,
  { body, repeatKey, refusal, ...asked }: Asking<C> = {},
): Promise<AnswerOf<C>> {
  const { method } = declared
  const path = pathOf(declared, asked)
  const answer = await send(endpoint, method, path, body, repeatKey === undefined ? {} : { repeatKey })
  const json = await readJson(endpoint, path, answer)
  if (answer.statusCode !== 200) throw refusal?.(json) ?? refuse(endpoint, answer, json)
  const schema: Schema<AnswerOf<C>> = declared.answer
  return readAs(schema, json)
}

/** Asks once more, and a third time, where the store was away or the gateway broke off: with the same key nothing is done twice. */
async function askAgain<T>(ask: () => Promise<T>, repeatKey: string | undefined): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask()
    } catch (error) {
      const isOver = repeatKey === undefined || tries === MOST_TRIES
      if (isOver || !(error instanceof CommandFailed) || error.exitCode !== exitCodes.unreachable) throw error
      await sleep(RETRY_MS * tries)
    }
  }
}

const MOST_TRIES = 3
const RETRY_MS: Millis = 500

function send(
  { admin, token, as, tls }: AdminEndpoint,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  { repeatKey, ...waiting }: Waiting & { readonly repeatKey?: string } = {},
): Promise<IncomingMessage> {
  return ask(admin + path, {
    ...waiting,
    tls,
    method,
    headers: {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
      [USER_HEADER]: osUser(),
      ...(as !== undefined && { [AS_HEADER]: as }),
      ...(repeatKey !== undefined && { [REPEAT_HEADER]: repeatKey }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: NodeJS.ErrnoException) => {
    if (UNTRUSTED.test(error.code ?? '')) throw untrusted(new URL(admin).origin, error.code ?? '')
    throw new CommandFailed(`✗ no gateway answers at ${new URL(admin).origin}: ${error.message}`, exitCodes.unreachable)
  })
}

async function readJson({ admin }: AdminEndpoint, path: string, answer: IncomingMessage): Promise<JsonObject> {
  // The answer is not JSON, or not whole: another server, or one that breaks off.
  const json: unknown = await parse(answer).catch(() => undefined)
  if (!isObject(json))
    throw new CommandFailed(`✗ the server at ${admin}${path} is not a gateway`, exitCodes.unreachable)
  return json
}

function refuse({ admin }: AdminEndpoint, { statusCode }: IncomingMessage, { error }: JsonObject): never {
  if (statusCode === 401) {
    const where = new URL(admin).origin
    const hint =
      'set SVCCTL_TOKEN; or run this without SVCCTL_ADMIN where its state_dir is readable; or sign in as an operator in `identity`; or set SVCCTL_CERT and SVCCTL_KEY'
    throw new CommandFailed(
      `✗ the gateway at ${where} refuses the token: ${String(error)}\n  ${hint}`,
      exitCodes.signIn,
    )
  }
  throw new CommandFailed(`✗ ${String(error)}`, statusCode === 503 ? exitCodes.unreachable : exitCodes.bad)
}
