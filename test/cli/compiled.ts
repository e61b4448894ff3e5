import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const prefixOf = (run: number) => `.test-dist-${run}-`

/** Where a worker compiles the sources to: a folder as deep as dist/, so that what they read beside themselves is found. */
export const folderOf = (run: number, worker: number): string => join(root, prefixOf(run) + worker)

/** Of vitest, in the process that starts its workers: those are killed, and can remove nothing. */
export function teardown(): void {
  const ours = prefixOf(process.pid)
  for (const name of readdirSync(root)) if (name.startsWith(ours)) rmSync(join(root, name), { recursive: true })
}
