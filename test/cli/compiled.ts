import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { removeFolder } from '../lanes/remove-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** A folder as deep as dist/, so that the compiled files find what they read beside themselves. */
const folderOf = (run: number): string => join(root, `.test-dist-${run}`)

/** The folders of the gateway and the demo, compiled from the sources as they are. */
interface Compiled {
  readonly gateway: string
  readonly demo: string
}

/** The packages are compiled by the first worker of the run that needs them: the others wait for it. */
export function compiledBy(run: number): Compiled {
  const folder = folderOf(run)
  // It holds what the compiler said, once the compiler has ended.
  const verdict = join(folder, '.compiled')
  if (isFirstIn(folder)) {
    writeFileSync(`${verdict}.new`, compile(folder))
    renameSync(`${verdict}.new`, verdict)
  } else while (!existsSync(verdict)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  const complaint = readFileSync(verdict, 'utf8')
  if (complaint !== '') throw new Error(complaint)
  return { gateway: folder, demo: join(folder, 'node_modules/svc-gateway-demo/dist') }
}

function isFirstIn(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}

/** Compiles all packages, and returns what the compiler has against them: `npm run check` checks their types. */
function compile(out: string): string {
  const script = fileURLToPath(new URL('compile.js', import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, out], { cwd: root, encoding: 'utf8' })
  return status === 0 ? '' : stdout + stderr || `the compiler ended with ${status}`
}

/** Runs in the process that starts vitest's workers: those are killed, and can remove nothing. */
export async function teardown(): Promise<void> {
  await removeFolder(folderOf(process.pid))
}
