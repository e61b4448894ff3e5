import { readFile } from 'node:fs/promises'

/** The text of a file; undefined where there is none. Rejects where it cannot be read. */
export async function textIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(error => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
}
