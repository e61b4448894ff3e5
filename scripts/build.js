// Builds demo/dist and dist/ from their sources. Starts from nothing, so that a deleted source leaves no stale module behind.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const tsc = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace('package.json', 'bin/tsc')

// The demo first: the gateway is compiled against its declarations.
build('demo/tsconfig.json', 'demo/dist')
build('tsconfig.build.json', 'dist')
await bundle(`${root}dist`)

function build(project, out) {
  rmSync(`${root}/${out}`, { recursive: true, force: true })
  const built = spawnSync(process.execPath, [tsc, '-p', project], { cwd: root, stdio: 'inherit' })
  if (built.status !== 0) process.exit(built.status ?? 1)
}
