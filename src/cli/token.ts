import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where a server leaves the token of its admin listener, for whoever may read its files. */
export const tokenFile = (stateDir: string): string => join(stateDir, 'admin.token')

/** Writes the token so that only the owner of the process reads it. */
export function saveToken(stateDir: string, token: string): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  writeFileSync(tokenFile(stateDir), `${token}\n`, { mode: 0o600 })
}
