// Builds demo/dist, importers/dist, dist/ and dist/console from their sources. Starts from nothing, so that a deleted source leaves no stale module behind.
// With --where-stale it does nothing while no source is newer than the last build: npm runs `prepare` with every `npx --no svcctl`,
// and a build takes away the modules that a running gateway may still load.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.js'
import { buildConsole } from './console.js'
import { minify } from './minify.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const tsc = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace('package.json', 'bin/tsc')

/** Written at the end of a build. */
const complete = `${root}dist/complete`

if (process.argv.includes('--where-stale') && isFresh()) process.exit(0)

// The workspaces first: the gateway is compiled against their declarations.
build('demo/tsconfig.json', 'demo/dist')
build('importers/tsconfig.json', 'importers/dist')
build('tsconfig.build.json', 'dist')
await bundle(`${root}dist`)
minify(`${root}dist`)
await buildConsole(root, `${root}dist/console`)
writeFileSync(complete, '')

function isFresh() {
  if (!existsSync(complete)) return false
  const built = statSync(complete).mtimeMs
  const sources = ['src', 'console', 'demo/src', 'importers/src', 'scripts'].flatMap(folder =>
    readdirSync(`${root}${folder}`, { recursive: true }).map(name => `${folder}/${name}`),
  )
  return ['package-lock.json', 'tsconfig.build.json', ...sources].every(
    name => statSync(`${root}${name}`).mtimeMs <= built,
  )
}

function build(project, out) {
  rmSync(`${root}/${out}`, { recursive: true, force: true })
  const built = spawnSync(process.execPath, [tsc, '-p', project], { cwd: root, stdio: 'inherit' })
  if (built.status !== 0) process.exit(built.status ?? 1)
}
