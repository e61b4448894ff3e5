import { type Dispatcher, request } from 'undici'
import { isObject, type JsonObject } from '../../wire/body.ts'
import { readShownKey } from '../../wire/key.ts'
import { linesOf } from '../../wire/lines.ts'
import { readLedgerRecord, readUsageReport } from '../../wire/read-report.ts'
import type { LedgerRecord } from '../../wire/report.ts'
import { CommandFailed, exitCodes } from '../talk.ts'
import type { Control } from './control.ts'

/** Whether a gateway listens at this admin address. */
export async function isRunning(admin: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(`${admin}/healthz`)
    await body.dump()
    return statusCode === 200
  } catch {
    // Refused, or no gateway at all: both mean that none runs there.
    return false
  }
}

/** Control through the admin listener of a running gateway. */
export function remoteControl(admin: string, token: string): Control {
  const ask = (method: 'GET' | 'POST', path: string, body?: object) => askGateway(admin + path, token, method, body)
  return {
    mint: async (account, plan) => {
      const minted = await ask('POST', '/admin/keys', { account, plan })
      const { value, base_url } = minted
      return { key: readShownKey(minted), ...(typeof value === 'string' && { value }), baseUrl: String(base_url) }
    },
    list: async () => {
      const { data } = await ask('GET', '/admin/keys')
      return Array.isArray(data) ? data.map(readShownKey) : []
    },
    revoke: async key => readShownKey(await ask('POST', '/admin/keys/revoke', { key })),
    usage: async query => readUsageReport(await ask('GET', `/admin/usage?${new URLSearchParams(query)}`)),
    ledger: query => readRows(`${admin}/admin/ledger?${new URLSearchParams(query)}`, token),
    close: async () => {},
  }
}

async function* readRows(url: string, token: string): AsyncGenerator<LedgerRecord, void, undefined> {
  const { statusCode, body } = await send(url, token, 'GET')
  if (statusCode !== 200) return refuse(url, statusCode, await readJson(url, body))
  try {
    for await (const line of linesOf(body)) yield readLedgerRecord(JSON.parse(line))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailed(`✗ the gateway broke off, so that rows are missing: ${reason}`, exitCodes.unreachable)
  }
}

async function askGateway(url: string, token: string, method: 'GET' | 'POST', body?: object): Promise<JsonObject> {
  const answer = await send(url, token, method, body)
  const json = await readJson(url, answer.body)
  return answer.statusCode === 200 ? json : refuse(url, answer.statusCode, json)
}

function send(url: string, token: string, method: 'GET' | 'POST', body?: object): Promise<Dispatcher.ResponseData> {
  return request(url, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: Error) => {
    throw new CommandFailed(`✗ no gateway answers at ${new URL(url).origin}: ${error.message}`, exitCodes.unreachable)
  })
}

async function readJson(url: string, body: Dispatcher.ResponseData['body']): Promise<JsonObject> {
  const json: unknown = await body.json()
  if (!isObject(json)) throw new CommandFailed(`✗ ${url} is no gateway`, exitCodes.unreachable)
  return json
}

function refuse(url: string, status: number, { error }: JsonObject): never {
  if (status === 401) {
    const where = new URL(url).origin
    const message = `✗ the gateway at ${where} refuses the token: set SVCCTL_TOKEN, or run this where its state_dir can be read`
    throw new CommandFailed(message, exitCodes.signIn)
  }
  throw new CommandFailed(`✗ ${String(error)}`)
}
