// Builds build/svcctl-<system>-<processor>: svcctl with its dependencies and this Node, in one executable, with its checksum and its
// bill of materials beside it. `npm run build:binary`.
// It needs the registry: what it carries is an install of the packed package. https://nodejs.org/api/single-executable-applications.html
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { inject } from 'postject'
import { materialsOf, materialsOfExecutable } from './materials.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const out = join(root, 'build')
const work = mkdtempSync(join(tmpdir(), 'svcctl-binary-'))
const tarball = join(work, `svc-gateway-${version}.tgz`)

try {
  const archive = archiveOf(installed())
  const hash = createHash('sha256').update(archive).digest('hex')
  write('install', archive)
  write('name', `${version}-${hash.slice(0, 12)}`)
  write(
    'sea.json',
    JSON.stringify({
      main: join(root, 'scripts/binary/main.cjs'),
      output: join(work, 'blob'),
      disableExperimentalSEAWarning: true,
      assets: { install: join(work, 'install'), name: join(work, 'name') },
    }),
  )
  execFileSync(process.execPath, ['--experimental-sea-config', join(work, 'sea.json')], { stdio: 'ignore' })
  mkdirSync(out, { recursive: true })
  const name = `svcctl-${process.platform}-${process.arch}`
  const binary = join(out, name)
  copyFileSync(process.execPath, binary)
  chmodSync(binary, 0o755)
  await inject(binary, 'NODE_SEA_BLOB', readFileSync(join(work, 'blob')), {
    sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
  })
  const sum = createHash('sha256').update(readFileSync(binary)).digest('hex')
  writeFileSync(`${binary}.sha256`, `${sum}  ${name}\n`)
  const bill = materialsOfExecutable(name, materialsOf(root, tarball), process)
  writeFileSync(`${binary}.cdx.json`, `${JSON.stringify(bill, null, 2)}\n`)
  console.log(`${binary} ${Math.round(statSync(binary).size / 1e6)} MB, node ${process.version}`)
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** The folder of an install of this package alone. */
function installed() {
  const app = join(work, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{ "private": true }\n')
  npm(['pack', '--silent', '--pack-destination', work], root)
  npm(['install', '--silent', '--ignore-scripts', tarball], app)
  writeFileSync(join(app, 'run.cjs'), "import(require('node:url').pathToFileURL(process.argv[1]).href)\n")
  return app
}

function npm(args, cwd) {
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** A line of JSON with [path, size in bytes] of each file, then their contents. */
function archiveOf(folder) {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.endsWith('.map'))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .filter(path => !path.includes('/.bin/'))
    .sort()
  const files = paths.map(path => readFileSync(join(folder, path)))
  const index = JSON.stringify(paths.map((path, at) => [path, files[at].length]))
  return brotliCompressSync(Buffer.concat([Buffer.from(`${index}\n`), ...files]), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 },
  })
}

function write(name, content) {
  writeFileSync(join(work, name), content)
}
