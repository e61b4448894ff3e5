import { join } from 'node:path'
import { Secret, type Settings } from '../config/settings.ts'
import type { Random } from '../gateway/ports.ts'
import { readOwn } from './bounded-file.ts'
import { CommandFailed } from './failure.ts'
import { createOnce } from './owner-file.ts'

/** Where a gateway keeps what it derives the keys of guests from, if its configuration names no secret. */
export const guestSecretFile = (stateDir: string): string => join(stateDir, 'guest-secret')

const BYTES = 32

/** The secrets from which guests' keys are derived, newest first: those of the configuration, else the gateway's own, else none. */
export async function guestSecretsOf({ guests, server }: Settings): Promise<readonly Secret[]> {
  if (!guests || guests.secrets.length > 0) return guests?.secrets ?? []
  const own = await read(guestSecretFile(server.stateDir))
  return own === undefined ? [] : [own]
}

/** The secrets of the guests' keys, for the gateway itself: it makes its own secret when there is none yet. */
export async function ensureGuestSecrets(settings: Settings, random: Random): Promise<readonly Secret[]> {
  const found = await guestSecretsOf(settings)
  if (!settings.guests || found.length > 0) return found
  // Never replaces an existing one: devices have keys from it.
  const secret = Buffer.from(random(BYTES)).toString('base64url')
  await createOnce(guestSecretFile(settings.server.stateDir), `${secret}\n`, random)
  return guestSecretsOf(settings)
}

async function read(file: string): Promise<Secret | undefined> {
  const text = readOwn(file, 'the secret of guests')
  if (text === undefined) return undefined
  // Every key of a device would change with it: better none than wrong ones.
  if (Buffer.from(text.trim(), 'base64url').length !== BYTES) {
    throw new CommandFailed(`✗ ${file} does not hold the secret that a gateway wrote: put it back from a backup`)
  }
  return new Secret(text.trim())
}
