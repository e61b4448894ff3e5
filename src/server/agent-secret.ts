import { join } from 'node:path'
import { Secret, type Settings } from '../config/settings.ts'
import type { AgentSecret } from '../gateway/accounts/sign-in/agent-tokens.ts'
import type { Random } from '../gateway/ports.ts'
import { readOwn } from './bounded-file.ts'
import { CommandFailed } from './failure.ts'
import { createOnce } from './owner-file.ts'

/** Where a gateway on an embedded store keeps the secret that signs agent tokens, if its configuration names none. */
const agentSecretFile = (stateDir: string): string => join(stateDir, 'agent-secret')

const BYTES = 32

/**
 * The secret of agent tokens: that of the configuration, else, with an embedded store, one in state_dir, which the first token makes.
 * Workers and later starts read the same file. Gateways that share a store have no file in common, so theirs must be configured.
 */
export function agentSecretOf({ identity, server, store }: AgentSettings, random: Random): AgentSecret {
  const configured = identity?.agentSecret
  if (configured) return { read: () => configured, ensure: async () => configured }
  if (store.kind !== 'embedded') return { read: () => undefined, ensure: async () => undefined }
  const file = agentSecretFile(server.stateDir)
  let known: Secret | undefined
  const read = () => {
    known ??= readSecret(file)
    return known
  }
  return {
    read,
    ensure: async () => {
      const found = read()
      if (found) return found
      await createOnce(file, `${Buffer.from(random(BYTES)).toString('base64url')}\n`, random)
      return read()
    },
  }
}

type AgentSettings = Pick<Settings, 'identity' | 'server' | 'store'>

function readSecret(file: string): Secret | undefined {
  const text = readOwn(file, 'the secret of agent tokens')
  if (text === undefined) return undefined
  if (Buffer.from(text.trim(), 'base64url').length === BYTES) return new Secret(text.trim())
  throw new CommandFailed(
    `✗ ${file} does not hold the secret that a gateway wrote: remove it, and agents get new tokens`,
  )
}
