import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'

/** A suite of one client, named by its pinned version; skipped and counted where that version is not installed. */
export function clientSuite(client: Client, scenarios: () => void): void {
  const title = `${client.name} ${pinOf(client)}`
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
  readonly name: string
}

/** The Python of the suites, with the packages of requirements.txt. */
export const PYTHON = new URL('../.venv/bin/python', import.meta.url).pathname

const folder = new URL('..', import.meta.url)
const INSTALL = 'run `sh test/agents/install.sh`'

function pinOf({ registry, name }: Client): string | undefined {
  if (registry === 'npm') return JSON.parse(read('package.json')).dependencies[name]
  return read('requirements.txt').match(new RegExp(`^${name}==(.+)$`, 'm'))?.[1]
}

/** In the pinned version: another one would be tested under the wrong name. */
export function isInstalled(client: Client): boolean {
  const { registry, name } = client
  const pin = pinOf(client)
  if (pin === undefined) throw new Error(`${name} has no pin`)
  try {
    if (registry === 'npm') return JSON.parse(read(`node_modules/${name}/package.json`)).version === pin
    return read('.venv/installed.txt').split('\n').includes(`${name}==${pin}`)
  } catch {
    // No such file: not installed.
    return false
  }
}

function read(path: string): string {
  return readFileSync(new URL(path, folder), 'utf8')
}
