import { randomBytes } from 'node:crypto'
import { closeSync, fchmodSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, link, mkdir, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Random } from '../gateway/ports.ts'

/** Replaces the file or link at a path atomically. Only its owner may read it, unless a mode says otherwise. */
export function replaceFile(path: string, text: string, mode = 0o600): void {
  const next = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const file = openSync(next, 'wx', 0o600)
    try {
      writeFileSync(file, text)
      // Not at its opening, where the umask would take from it.
      if (mode !== 0o600) fchmodSync(file, mode)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(next, path)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  }
}

/** Where a gateway leaves the token of its admin listener, for operators who may read its files. */
export const tokenFile = (stateDir: string): string => join(stateDir, 'admin.token')

/** Writes the token so that only the owner of the process reads it. */
export function saveToken(stateDir: string, token: string): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  replaceFile(tokenFile(stateDir), `${token}\n`)
}

/** Writes a secret to a file for its owner alone, whole and on disk; one that is there already stays. */
export async function createOnce(file: string, text: string, random: Random): Promise<void> {
  const directory = dirname(file)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const draft = `${file}.${Buffer.from(random(6)).toString('hex')}`
  await write(draft, 'wx', async handle => handle.writeFile(text))
  try {
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      // Another process was first: its secret is the one.
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  // The name, too, has to survive a crash: what the secret makes is about to be given away.
  await write(directory, 'r', async () => {})
}

async function write(path: string, flags: string, fill: (handle: FileHandle) => Promise<void>): Promise<void> {
  const handle = await open(path, flags, 0o600)
  try {
    await fill(handle)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
