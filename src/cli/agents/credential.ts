import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { promisify } from 'node:util'
import { freshSession } from '../../operator/session.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { world } from '../../server/world.ts'
import type { Agent, Credential } from './agent.ts'
import { exchange, reasonIn } from './verify.ts'

/** A key of the person who signed in. */
export interface MintedKey {
  readonly id: string
  readonly value: string
}

/** Mints a key for an agent on this machine; `life` is a time such as 30d. */
export async function mintAgentKey(gateway: string, { name }: Pick<Agent, 'name'>, life: string): Promise<MintedKey> {
  const { accessToken } = await freshSession(gateway, world.clock.now())
  const wish = { name: `${name}-${machine()}-${randomBytes(3).toString('hex')}`, expires_in: life }
  const { status, body } = await exchange(`${gateway}/v1/keys/developer`, accessToken, wish)
  const { key, id } = body
  if (status === 200 && typeof key === 'string' && typeof id === 'string') return { id, value: key }
  if (status === 401)
    throw new CommandFailed(`✗ ${gateway} does not accept this sign-in: svcctl login`, exitCodes.signIn)
  throw new CommandFailed(`✗ ${gateway} did not mint a key: ${reasonIn(body, status)}`)
}

/** Ends a key. False where the gateway does not, such as a key that was revoked before. */
export async function revokeAgentKey(gateway: string, id: string): Promise<boolean> {
  const { accessToken } = await freshSession(gateway, world.clock.now())
  const { status } = await exchange(`${gateway}/v1/keys/developer/revoke`, accessToken, { id })
  return status === 200
}

const machine = (): string =>
  hostname()
    .replace(/[^\w.-]/g, '')
    .slice(0, 30) || 'machine'

/** The words of `svcctl token` for a gateway, as another program can run them from anywhere. */
export function tokenCommand(gateway: string, life: string | undefined): readonly string[] {
  const [, script = ''] = process.argv
  // An executable of its own has no script.
  const self = script !== '' && script !== process.execPath ? [process.execPath, script] : [process.execPath]
  return [...self, 'token', '--audience', gateway, ...(life === undefined ? [] : ['--expires-in', life])]
}

/** The text that an agent would send: the key, or what the command prints. */
export async function credentialText(credential: Credential): Promise<string> {
  if (credential.kind === 'key') return credential.key
  const [command = '', ...args] = credential.command
  try {
    return (await promisify(execFile)(command, args)).stdout.trim()
  } catch (error) {
    const { stderr = '', code } = error as { stderr?: string; code?: unknown }
    throw new CommandFailed(stderr.trim() || String(error), typeof code === 'number' ? code : exitCodes.bad)
  }
}
