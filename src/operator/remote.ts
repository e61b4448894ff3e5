import type { IncomingMessage } from 'node:http'
import { json as parse } from 'node:stream/consumers'
import { CommandFailed, exitCodes } from '../server/failure.ts'
import { readShownAudit } from '../wire/admin/audit.ts'
import { readShownStanding } from '../wire/admin/event.ts'
import { readShownReload, type ShownReload } from '../wire/admin/revision.ts'
import { readLedgerRecord, readUsageReport } from '../wire/admin/usage-report.ts'
import { USER_HEADER } from '../wire/admin/user.ts'
import { isObject, type JsonObject } from '../wire/json-safety.ts'
import { linesOf } from '../wire/lines.ts'
import { ask, type Question } from './http.ts'
import { type AdminEndpoint, type OperatorApi, operatorApiOf, osUser } from './operator-api.ts'

/** Whether a gateway listens at this admin address. */
export async function isRunning(admin: string): Promise<boolean> {
  try {
    const answer = await ask(`${admin}/healthz`, { signal: AbortSignal.timeout(ALIVE_MS) })
    answer.resume()
    return answer.statusCode === 200
  } catch {
    // Refused, no answer in time, or no gateway at all: each means that none runs there.
    return false
  }
}

/** Within this a gateway says that it lives, however busy it is. */
const ALIVE_MS = 2000

/** The operator's API through the admin listener of a running gateway. */
export function remoteOperatorApi(admin: string, token: string): OperatorApi {
  return operatorApiOf((method, path, body) => askGateway(admin + path, token, method, body), {
    usage: async query =>
      readUsageReport(await askGateway(`${admin}/admin/usage?${new URLSearchParams({ ...query })}`, token, 'GET')),
    ledger: query => readRows(`${admin}/admin/ledger?${new URLSearchParams({ ...query })}`, token, readLedgerRecord),
    audit: query => readRows(`${admin}/admin/audit?${new URLSearchParams({ ...query })}`, token, readShownAudit),
    standings: account => {
      const query = account === undefined ? '' : `?${new URLSearchParams({ account })}`
      return readRows(`${admin}/admin/accounts${query}`, token, readShownStanding)
    },
    close: async () => {},
  })
}

async function* readRows<Row>(
  url: string,
  token: string,
  read: (value: unknown) => Row,
): AsyncGenerator<Row, void, undefined> {
  const answer = await openBody(url, token)
  try {
    for await (const line of linesOf(answer)) yield read(JSON.parse(line))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailed(`✗ the gateway broke off, so that rows are missing: ${reason}`, exitCodes.unreachable)
  }
}

/** What a GET is answered with, as it comes. Rejects with CommandFailed for anything but a 200. */
export async function openBody(url: string, token: string, waiting: Waiting = {}): Promise<IncomingMessage> {
  const answer = await send(url, token, 'GET', undefined, waiting)
  return answer.statusCode === 200 ? answer : refuse(url, answer, await readJson(url, answer))
}

type Waiting = Pick<Question, 'signal' | 'silence'>

/** Has a gateway take its files as they are now. Rejects with CommandFailed, which shows all problems that are in the way. */
export async function reloadGateway({ admin, token }: AdminEndpoint): Promise<ShownReload> {
  const answer = await postToGateway(`${admin}/admin/reload`, token, {}, ({ code, text, error }) =>
    code === 'RELOAD_REFUSED' ? new CommandFailed(`${String(text)}\n✗ ${String(error)}`) : undefined,
  )
  return readShownReload(answer)
}

/** Rejects with the error that `refusal` makes of the body of a refusal, else with CommandFailed for anything but a 200. */
export async function postToGateway(
  url: string,
  token: string,
  body: object,
  refusal: (body: JsonObject) => CommandFailed | undefined,
): Promise<JsonObject> {
  const answer = await send(url, token, 'POST', body)
  const json = await readJson(url, answer)
  if (answer.statusCode === 200) return json
  throw refusal(json) ?? refuse(url, answer, json)
}

/** Rejects with CommandFailed for anything but a 200. */
export async function askGateway(
  url: string,
  token: string,
  method: 'GET' | 'POST',
  body?: object,
): Promise<JsonObject> {
  const answer = await send(url, token, method, body)
  const json = await readJson(url, answer)
  return answer.statusCode === 200 ? json : refuse(url, answer, json)
}

function send(
  url: string,
  token: string,
  method: 'GET' | 'POST',
  body?: object,
  waiting: Waiting = {},
): Promise<IncomingMessage> {
  return ask(url, {
    ...waiting,
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', [USER_HEADER]: osUser() },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: Error) => {
    throw new CommandFailed(`✗ no gateway answers at ${new URL(url).origin}: ${error.message}`, exitCodes.unreachable)
  })
}

async function readJson(url: string, answer: IncomingMessage): Promise<JsonObject> {
  // The answer is not JSON, or not whole: another server, or one that breaks off.
  const json: unknown = await parse(answer).catch(() => undefined)
  if (!isObject(json)) throw new CommandFailed(`✗ what answers at ${url} is no gateway`, exitCodes.unreachable)
  return json
}

function refuse(url: string, { statusCode }: IncomingMessage, { error }: JsonObject): never {
  if (statusCode === 401) {
    const where = new URL(url).origin
    const hint =
      'set SVCCTL_TOKEN, or without SVCCTL_ADMIN run this where its state_dir can be read, or sign in as one of identity.admins'
    throw new CommandFailed(
      `✗ the gateway at ${where} refuses the token: ${String(error)}\n  ${hint}`,
      exitCodes.signIn,
    )
  }
  throw new CommandFailed(`✗ ${String(error)}`, statusCode === 503 ? exitCodes.unreachable : exitCodes.bad)
}
