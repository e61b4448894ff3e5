import { open } from 'node:fs/promises'

/** Resolves once a file, or the names in a directory, are on disk. Rejects as the file system does. */
export async function synced(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
