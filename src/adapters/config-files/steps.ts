import { existsSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The steps that change files. A step that resolved survives a crash. */
export interface Steps {
  /** Makes a directory, and those above it. */
  makeDirectory(path: string): Promise<void>
  /** Writes a new file whole; only its owner reads it, unless it is to be `like` another file. */
  create(path: string, text: string, like?: string): Promise<void>
  /** Puts one file in the place of another, or where none was. */
  replace(from: string, to: string): Promise<void>
  /** Removes a file, which need not be there. */
  remove(path: string): Promise<void>
}

/** The steps on the disk of this machine. */
export const machineSteps: Steps = {
  makeDirectory: async path => {
    await mkdir(path, { recursive: true })
    await synced(dirname(path))
  },
  create: async (path, text, like) => {
    // An existing file may be a link to another place.
    await rm(path, { force: true })
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(text)
      if (like !== undefined) {
        const { mode, uid, gid } = await stat(like)
        await file.chmod(mode & 0o777)
        // Only root may change the owner; another user has files of its own anyway.
        await file.chown(uid, gid).catch(() => {})
      }
      await file.sync()
    } finally {
      await file.close()
    }
  },
  replace: async (from, to) => {
    await rename(from, to)
    await synced(dirname(to))
  },
  remove: async path => {
    await rm(path, { force: true })
    // Where the directory is gone too, there is no name to make durable.
    if (existsSync(dirname(path))) await synced(dirname(path))
  },
}

async function synced(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The text of a file; undefined where there is none. Rejects where it cannot be read. */
export async function textIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(error => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
}
