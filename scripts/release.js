// Writes a release into build/: both packages, the executable for this system, a bill of materials of each, and the checksums
// of all. `npm run release`, on a clean clone with its dependencies installed; .github/workflows/release.yml publishes it.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { materialsOf } from './materials.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const out = `${root}build`

rmSync(out, { recursive: true, force: true })
mkdirSync(out)
npm('pack', '--silent', '--pack-destination', out)
npm('pack', '--silent', '--pack-destination', out, '--workspace', 'demo')
for (const pack of readdirSync(out))
  writeFileSync(`${out}/${pack}.cdx.json`, `${JSON.stringify(materialsOf(root, `${out}/${pack}`), null, 2)}\n`)
execFileSync(process.execPath, [`${root}scripts/binary.js`], { stdio: 'inherit' })
const sums = readdirSync(out)
  .filter(name => !name.endsWith('.sha256'))
  .map(
    name =>
      `${createHash('sha256')
        .update(readFileSync(`${out}/${name}`))
        .digest('hex')}  ${name}\n`,
  )
writeFileSync(`${out}/SHA256SUMS`, sums.join(''))
process.stdout.write(sums.join(''))

function npm(...args) {
  execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}
