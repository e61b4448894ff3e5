import { chmod, lstat, open } from 'node:fs/promises'

/** Leaves a file or a directory to its owner alone. A link is left as it is: what it leads to may be anybody's. Rejects where it belongs to another user. */
export async function closeToOthers(path: string): Promise<void> {
  const stat = await lstat(path)
  if (!stat.isSymbolicLink() && (stat.mode & 0o077) !== 0) await chmod(path, stat.mode & 0o700)
}

/** Makes a file for its owner alone, or closes the one that is there. One of another user that may be written stays as it is. */
export async function ensurePrivate(path: string): Promise<void> {
  await (await open(path, 'a', 0o600)).close()
  await closeToOthers(path).catch(() => {})
}
