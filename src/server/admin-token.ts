import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from './owner-file.ts'

/** Where a gateway leaves the token of its admin listener, for operators who may read its files. */
export const tokenFile = (stateDir: string): string => join(stateDir, 'admin.token')

/** Writes the token so that only the owner of the process reads it. */
export function saveToken(stateDir: string, token: string): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  replaceFile(tokenFile(stateDir), `${token}\n`)
}
