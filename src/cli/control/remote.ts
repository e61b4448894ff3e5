import { request } from 'undici'
import { isObject, type JsonObject } from '../../wire/body.ts'
import { readShownKey } from '../../wire/key.ts'
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
    close: async () => {},
  }
}

async function askGateway(url: string, token: string, method: 'GET' | 'POST', body?: object): Promise<JsonObject> {
  const answer = await request(url, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: Error) => {
    throw new CommandFailed(`✗ no gateway answers at ${url}: ${error.message}`, exitCodes.unreachable)
  })
  const json: unknown = await answer.body.json()
  if (!isObject(json)) throw new CommandFailed(`✗ ${url} is no gateway`, exitCodes.unreachable)
  if (answer.statusCode === 200) return json
  if (answer.statusCode === 401) {
    const where = new URL(url).origin
    const message = `✗ the gateway at ${where} refuses the token: set SVCCTL_TOKEN, or run this where its state_dir can be read`
    throw new CommandFailed(message, exitCodes.signIn)
  }
  throw new CommandFailed(`✗ ${String(json.error)}`)
}
