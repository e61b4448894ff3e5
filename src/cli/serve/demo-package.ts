import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { CommandFailed } from '../../server/failure.ts'
import { userDir } from '../../server/user-dirs.ts'
import { version } from '../../server/version.ts'

const NAME = 'svc-gateway-demo'
/** Installed, with what it depends on. */
const MEGABYTES = 63
const INSTALL_MS = 300_000

/**
 * The package of the demo: the one beside this package where there is one, else that of the user's cache, where npm installs it
 * on first use. Rejects with CommandFailed where npm cannot.
 */
export async function demoPackage(): Promise<typeof import('svc-gateway-demo')> {
  try {
    return await import('svc-gateway-demo')
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing) throw error
  }
  const folder = join(cacheDir(), `demo-${version}`)
  if (!existsSync(folder)) await install(folder)
  return import(pathToFileURL(createRequire(join(folder, 'package.json')).resolve(NAME)).href)
}

const cacheDir = (): string => userDir('cache', 'svc-gateway')

/** Makes the folder, complete or not at all: an install that is cut leaves another one, which nothing reads. */
async function install(folder: string): Promise<void> {
  const wanted = `${NAME}@${version}`
  console.log(`The demo is a package of its own: npm installs ${wanted} (${MEGABYTES} MB, once) into ${folder}`)
  let part: string | undefined
  try {
    mkdirSync(cacheDir(), { recursive: true })
    part = mkdtempSync(join(cacheDir(), 'part-'))
    // Without a file of its own, npm would install into a project above this folder.
    writeFileSync(join(part, 'package.json'), '{ "private": true }\n')
    await promisify(execFile)('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', wanted], {
      cwd: part,
      timeout: INSTALL_MS,
    })
    renameSync(part, folder)
  } catch (error) {
    if (part !== undefined) rmSync(part, { recursive: true, force: true })
    // Another demo that began at the same time has installed it.
    if (existsSync(folder)) return
    throw new CommandFailed(`✗ ${wanted} could not be installed: ${reasonOf(error)}
  Install it beside the gateway yourself: npm install ${wanted}
  Or serve a configuration of your own: svcctl init && svcctl serve`)
  }
}

/** The last of what npm says is where its log lies: the first line with a message is why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'ENOENT' && 'path' in error && error.path === 'npm') return 'npm was not found'
  const said = 'stderr' in error ? String(error.stderr).split('\n') : []
  const why = said
    .map(line => line.replace(/^npm (?:error|ERR!) /, ''))
    .find(line => /^(?!code |errno |syscall )./.test(line) && !/^npm warn/.test(line))
  return why ?? error.message
}
