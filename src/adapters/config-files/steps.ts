import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The ways in which files are changed. After each one that resolved, a crash finds what it did on the disk. */
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

/** Those of this machine. */
export const machineSteps: Steps = {
  makeDirectory: async path => {
    await mkdir(path, { recursive: true })
    await synced(dirname(path))
  },
  create: async (path, text, like) => {
    // What lies there may be a link to somewhere else.
    await rm(path, { force: true })
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(text)
      if (like !== undefined) {
        const { mode, uid, gid } = await stat(like)
        await file.chmod(mode & 0o777)
        // Only root may give files away; whoever may not has files of its own.
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
    // Where its directory is gone too, there is nothing to be sure of.
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
