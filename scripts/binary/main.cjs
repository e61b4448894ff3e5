// The main module of the single executable: it unpacks the install that it carries into the user's cache, once for each build, and runs svcctl there.
// Native modules and worker threads are loaded from files, so that an executable alone cannot hold them.
const { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { homedir } = require('node:os')
const { dirname, isAbsolute, join } = require('node:path')
const { getAsset } = require('node:sea')
const { brotliDecompressSync } = require('node:zlib')

const cache = join(
  isAbsolute(process.env.XDG_CACHE_HOME ?? '') ? process.env.XDG_CACHE_HOME : join(homedir(), '.cache'),
  'svc-gateway',
)
const folder = join(cache, getAsset('name', 'utf8'))

try {
  if (!existsSync(folder)) unpack()
} catch (error) {
  console.error(
    `✗ svcctl unpacks itself into ${cache}, and cannot: ${error.message}\n  Set XDG_CACHE_HOME to a folder that you may write to, with 60 MB free`,
  )
  process.exit(1)
}
// A process of the gateway that starts another one runs "this program" with a script of its own.
if (isOwnScript(process.argv[2])) process.argv.splice(1, 1)
else process.argv[1] = join(folder, 'node_modules/svc-gateway/bin/svcctl.js')
createRequire(join(folder, 'run.cjs'))('./run.cjs')

/** Makes the folder, complete or not at all. */
function unpack() {
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const part = mkdtempSync(join(cache, 'part-'))
  try {
    const bytes = brotliDecompressSync(Buffer.from(getAsset('install')))
    const end = bytes.indexOf('\n')
    let from = end + 1
    for (const [path, size] of JSON.parse(bytes.toString('utf8', 0, end))) {
      const file = join(part, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, bytes.subarray(from, from + size))
      from += size
    }
    renameSync(part, folder)
  } catch (error) {
    rmSync(part, { recursive: true, force: true })
    // Another svcctl that began at the same time has done it.
    if (!existsSync(folder)) throw error
  }
}

function isOwnScript(path) {
  return path?.startsWith(join(cache, '/')) === true && path.endsWith('.js') && existsSync(path)
}
