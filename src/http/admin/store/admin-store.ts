import { Secret } from '../../../config/settings.ts'
import { MoveFailed } from '../../../gateway/moving/move.ts'
import { StoreUnavailable } from '../../../gateway/store/store.ts'
import { validator } from '../../../wire/openai/validate.ts'
import type { HttpCall } from '../../listener/call.ts'
import { readSmall } from '../../listener/request-input.ts'
import type { OperatorApp } from '../operator-app.ts'
import type { AdminEndpoint } from '../operator-family.ts'

/** Moves the store to another one, and says how far it is: a JSON line each, the last with what was moved or why it was not. */
export const storeEndpoints: readonly AdminEndpoint[] = [
  { method: 'POST', path: '/admin/store/migrate', who: 'operator', needs: 'admin', run: migrateStore },
]

async function migrateStore(app: OperatorApp, call: HttpCall, by: string): Promise<void> {
  const read = await readSmall(call, check)
  if ('denial' in read) return call.deny(read.denial)
  const { to, secrets = {}, replace } = read.body as unknown as MigrateBody
  const known = new Map(Object.entries(secrets).map(([name, value]) => [name, new Secret(value)]))
  const left = new AbortController()
  call.response.once('close', () => left.abort())
  call.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
  const send = (line: object) => call.response.write(`${JSON.stringify(line)}\n`)
  try {
    if (!app.moveStore) throw new MoveFailed('a gateway with workers is stopped before its store is copied')
    const say = (text: string) => void send({ say: text })
    const { rows, pausedMs } = await app.moveStore({
      to,
      secrets: known,
      replace: replace === true,
      by,
      say,
      signal: left.signal,
    })
    send({ moved: { rows, paused_ms: pausedMs } })
  } catch (error) {
    if (!(error instanceof MoveFailed || error instanceof StoreUnavailable))
      app.alarm('the store could not be moved', { error: String(error) })
    send({ failed: error instanceof Error ? error.message : String(error) })
  } finally {
    call.response.end()
  }
}

interface MigrateBody {
  readonly to: string
  /** By the names that they have in the files. */
  readonly secrets?: Readonly<Record<string, string>>
  readonly replace?: boolean
}

const TEXT = { type: 'string', minLength: 1, maxLength: 20_000 }

const check = validator({
  type: 'object',
  additionalProperties: false,
  required: ['to'],
  properties: {
    to: TEXT,
    secrets: {
      type: 'object',
      additionalProperties: false,
      properties: { password: TEXT, sentinel_password: TEXT, ca: TEXT, certificate: TEXT, key: TEXT },
    },
    replace: { type: 'boolean' },
  },
})
