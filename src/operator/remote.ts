import type { IncomingMessage } from 'node:http'
import { json as parse } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { outOfPatience } from '../gateway/patience.ts'
import type { Clock } from '../gateway/ports.ts'
import type { Millis } from '../policy/config.ts'
import { CommandFailed, exitCodes } from '../server/failure.ts'
import { readShownAudit } from '../wire/admin/audit.ts'
import { readShownStanding } from '../wire/admin/event.ts'
import { readLedgerRecord } from '../wire/admin/ledger-record.ts'
import { readPastRequests } from '../wire/admin/past-request.ts'
import { readRequestDetail } from '../wire/admin/request-detail.ts'
import { readShownReload, type ShownReload } from '../wire/admin/revision.ts'
import { readUsageReport } from '../wire/admin/usage-report.ts'
import { AS_HEADER, REPEAT_HEADER, USER_HEADER } from '../wire/admin/user.ts'
import { readInvoice, readInvoices } from '../wire/invoice/read-invoice.ts'
import { isObject, type JsonObject } from '../wire/json-safety.ts'
import { linesOf } from '../wire/lines.ts'
import type { ClientTls } from './client-tls.ts'
import { ask, type Question } from './http.ts'
import { type AdminEndpoint, type OperatorApi, operatorApiOf, osUser, type RunAdminOp } from './operator-api.ts'

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

/** How node calls what is wrong with the certificate of a server. */
const UNTRUSTED = /CERT|SIGNATURE/

const untrusted = (admin: string, code: string): CommandFailed =>
  new CommandFailed(
    `✗ what listens at ${admin} shows a certificate that is not trusted: ${code}\n  set SVCCTL_CA to a file with the certificates that sign it`,
    exitCodes.unreachable,
  )

/** A busy gateway answers within this time. It costs operators nothing where none runs: that connection is refused at once. */
const ALIVE_MS: Millis = 5000

/** The operator's API through the admin listener of a running gateway. */
export function remoteOperatorApi(endpoint: AdminEndpoint): OperatorApi {
  return operatorApiOf((...run) => askAgain(endpoint, ...run), {
    usage: async ({ by, ...query }) => {
      const words = new URLSearchParams({ ...query, by: by.join(',') })
      return readUsageReport(await askGateway(endpoint, 'GET', `/admin/usage?${words}`))
    },
    invoice: async query =>
      readInvoice(await askGateway(endpoint, 'GET', `/admin/invoice?${new URLSearchParams({ ...query })}`)),
    invoices: async query =>
      readInvoices(await askGateway(endpoint, 'GET', `/admin/invoices?${new URLSearchParams({ ...query })}`)),
    monthInvoices: ({ month }) =>
      readRows(endpoint, `/admin/invoices?${new URLSearchParams({ month, format: 'ndjson' })}`, readInvoice),
    pastRequests: async query =>
      readPastRequests(await askGateway(endpoint, 'GET', `/admin/requests?${new URLSearchParams({ ...query })}`)),
    showRequest: async (requestId, gateway) => {
      const path = `/admin/requests/${encodeURIComponent(requestId)}?${new URLSearchParams({ gateway })}`
      return readRequestDetail(await askGateway(endpoint, 'GET', path))
    },
    ledger: query => readRows(endpoint, `/admin/ledger?${new URLSearchParams({ ...query })}`, readLedgerRecord),
    audit: query => readRows(endpoint, `/admin/audit?${new URLSearchParams({ ...query })}`, readShownAudit),
    standings: account => {
      const query = account === undefined ? '' : `?${new URLSearchParams({ account })}`
      return readRows(endpoint, `/admin/accounts${query}`, readShownStanding)
    },
    backup: () => readBytes(endpoint, '/admin/backup'),
    close: async () => {},
  })
}

async function* readBytes(endpoint: AdminEndpoint, path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const answer = await openBody(endpoint, path)
  try {
    yield* answer
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailed(`✗ the gateway broke off: ${reason}`, exitCodes.unreachable)
  }
}

async function* readRows<Row>(
  endpoint: AdminEndpoint,
  path: string,
  read: (value: unknown) => Row,
): AsyncGenerator<Row, void, undefined> {
  const answer = await openBody(endpoint, path)
  try {
    for await (const line of linesOf(answer)) yield read(JSON.parse(line))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailed(`✗ the gateway broke off, so that rows are missing: ${reason}`, exitCodes.unreachable)
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
  const answer = await postToGateway(endpoint, '/admin/reload', {}, ({ code, text, error }) =>
    code === 'RELOAD_REFUSED' ? new CommandFailed(`${String(text)}\n✗ ${String(error)}`) : undefined,
  )
  return readShownReload(answer)
}

/** Rejects with the error that `refusal` makes of the body of a refusal, else with CommandFailed for anything but a 200. */
export async function postToGateway(
  endpoint: AdminEndpoint,
  path: string,
  body: object,
  refusal: (body: JsonObject) => CommandFailed | undefined,
): Promise<JsonObject> {
  const answer = await send(endpoint, 'POST', path, body)
  const json = await readJson(endpoint, path, answer)
  if (answer.statusCode === 200) return json
  throw refusal(json) ?? refuse(endpoint, answer, json)
}

/** Asks once more, and a third time, where the store was away or the gateway broke off: with the same key nothing is done twice. */
async function askAgain(endpoint: AdminEndpoint, ...[method, path, body, repeatKey]: Parameters<RunAdminOp>) {
  for (let tries = 1; ; tries++) {
    try {
      return await askGateway(endpoint, method, path, body, repeatKey)
    } catch (error) {
      const isOver = repeatKey === undefined || tries === MOST_TRIES
      if (isOver || !(error instanceof CommandFailed) || error.exitCode !== exitCodes.unreachable) throw error
      await sleep(RETRY_MS * tries)
    }
  }
}

const MOST_TRIES = 3
const RETRY_MS: Millis = 500

/** Rejects with CommandFailed for anything but a 200. */
export async function askGateway(
  endpoint: AdminEndpoint,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  repeatKey?: string,
): Promise<JsonObject> {
  const answer = await send(endpoint, method, path, body, repeatKey === undefined ? {} : { repeatKey })
  const json = await readJson(endpoint, path, answer)
  return answer.statusCode === 200 ? json : refuse(endpoint, answer, json)
}

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
  if (!isObject(json)) throw new CommandFailed(`✗ what answers at ${admin}${path} is no gateway`, exitCodes.unreachable)
  return json
}

function refuse({ admin }: AdminEndpoint, { statusCode }: IncomingMessage, { error }: JsonObject): never {
  if (statusCode === 401) {
    const where = new URL(admin).origin
    const hint =
      'set SVCCTL_TOKEN, or without SVCCTL_ADMIN run this where its state_dir can be read, or sign in as an operator of `identity`, or set SVCCTL_CERT and SVCCTL_KEY'
    throw new CommandFailed(
      `✗ the gateway at ${where} refuses the token: ${String(error)}\n  ${hint}`,
      exitCodes.signIn,
    )
  }
  throw new CommandFailed(`✗ ${String(error)}`, statusCode === 503 ? exitCodes.unreachable : exitCodes.bad)
}
