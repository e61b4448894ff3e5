import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Secret, type Settings } from '../config/settings.ts'
import type { Random } from '../gateway/ports.ts'
import { CommandFailed } from './failure.ts'

/** Where a gateway keeps what it derives the keys of guests from, if its configuration names no secret. */
export const guestSecretFile = (stateDir: string): string => join(stateDir, 'guest-secret')

const BYTES = 32

/** What keys of guests are derived from, newest first: those of the configuration, else the gateway's own, else none. */
export async function guestSecretsOf({ guests, server }: Settings): Promise<readonly Secret[]> {
  if (!guests || guests.secrets.length > 0) return guests?.secrets ?? []
  const own = await read(guestSecretFile(server.stateDir))
  return own === undefined ? [] : [own]
}

/** The secrets of the guests' keys, for the gateway itself: it makes its own secret when there is none yet. */
export async function ensureGuestSecrets(settings: Settings, random: Random): Promise<readonly Secret[]> {
  const found = await guestSecretsOf(settings)
  if (!settings.guests || found.length > 0) return found
  await create(settings.server.stateDir, Buffer.from(random(BYTES)).toString('base64url'), random)
  return guestSecretsOf(settings)
}

async function read(file: string): Promise<Secret | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new CommandFailed(`✗ the secret of guests in ${file} cannot be read: ${error.message}`)
  })
  if (text === undefined) return undefined
  // Every key of a device would change with it: better none than wrong ones.
  if (Buffer.from(text.trim(), 'base64url').length !== BYTES) {
    throw new CommandFailed(`✗ ${file} does not hold the secret that a gateway wrote: put it back from a backup`)
  }
  return new Secret(text.trim())
}

/** Whole or not at all, and never over one that is there: devices have keys of that. */
async function create(stateDir: string, secret: string, random: Random): Promise<void> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 })
  const file = guestSecretFile(stateDir)
  const draft = `${file}.${Buffer.from(random(6)).toString('hex')}`
  await write(draft, 'wx', async handle => handle.writeFile(`${secret}\n`))
  try {
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      // Another process was first: its secret is the one.
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  // The name, too, has to survive a crash: keys are about to be derived.
  await write(stateDir, 'r', async () => {})
}

type Handle = Awaited<ReturnType<typeof open>>

async function write(path: string, flags: string, fill: (handle: Handle) => Promise<void>): Promise<void> {
  const handle = await open(path, flags, 0o600)
  try {
    await fill(handle)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
