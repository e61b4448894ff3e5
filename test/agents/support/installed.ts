import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'

/** A suite of one client, named by its pinned version; skipped and counted where that version is not installed. */
export function clientSuite(client: Client, scenarios: () => void): void {
  const { name, version } = pinOf(client)
  const title = `${name} ${version}`
  describe(title, () => {
    if (isInstalled(client)) return scenarios()
    // Counted, so that a silence is not taken for success.
    console.warn(`SKIPPED: ${title} is not installed; ${INSTALL}`)
    it.skip(INSTALL)
  })
}

/** A package of npm or of PyPI. */
export interface Client {
  readonly registry: 'npm' | 'pypi'
  /** As it is installed: in npm, an alias where there are several versions. */
  readonly name: string
}

/** A file of an installed package of npm. */
export const installedFile = (path: string): string => new URL(`node_modules/${path}`, folder).pathname

/** The Python of the suites, with the packages of requirements.txt. */
export const PYTHON = new URL('../.venv/bin/python', import.meta.url).pathname

const folder = new URL('..', import.meta.url)
const INSTALL = 'run `sh test/agents/install.sh`'

/** The name in its registry, and the version. */
function pinOf({ registry, name }: Client): { readonly name: string; readonly version: string } {
  const pin: string | undefined =
    registry === 'npm'
      ? JSON.parse(read('package.json')).dependencies[name]
      : read('requirements.txt').match(new RegExp(`^${name}==(.+)$`, 'm'))?.[1]
  if (pin === undefined) throw new Error(`${name} has no pin`)
  const [, real = name, version = pin] = pin.match(/^npm:(.+)@(.+)$/) ?? []
  return { name: real, version }
}

/** In the pinned version: another one would be tested under the wrong name. */
export function isInstalled(client: Client): boolean {
  const { registry, name } = client
  const { version } = pinOf(client)
  try {
    if (registry === 'npm') return JSON.parse(read(`node_modules/${name}/package.json`)).version === version
    return read('.venv/installed.txt').split('\n').includes(`${name}==${version}`)
  } catch {
    // No such file: not installed.
    return false
  }
}

function read(path: string): string {
  return readFileSync(new URL(path, folder), 'utf8')
}
