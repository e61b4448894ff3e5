// Builds the web console from console/ into dist/console: scripts and styles in brotli only, from which src/http/console makes
// the other encodings, and a manifest that it reads.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'vite'
import { licenses } from './licenses.js'

const TYPES = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
}
/** A file name with the hash that vite adds: `public-BfN3x_0a.js`. */
const HASHED = /-[\w-]{8}\.(?:js|css)$/

export async function buildConsole(root, out) {
  const { output } = await build({ configFile: join(root, 'console/vite.config.ts'), logLevel: 'warn' })
  writeFileSync(join(out, 'LICENSES.txt'), licenses(output.flatMap(({ moduleIds = [] }) => moduleIds)))
  const names = readdirSync(out).sort()
  const mark = digest(Buffer.concat(names.map(name => readFileSync(join(out, name)))))
  const pages = names.filter(name => name.endsWith('.html')).map(name => name.replace('.html', ''))
  const loaded = Object.fromEntries(pages.map(door => [door, loadedBy(door, output)]))
  const files = Object.fromEntries(
    names
      .filter(name => !name.endsWith('.html'))
      .map(name => [name, { ...described(out, name), doors: doorsOf(name, loaded) }]),
  )
  writeFileSync(join(out, 'manifest.json'), JSON.stringify({ build: mark, pages, files }))
}

/** The files that the page of a door loads, at once or later. */
function loadedBy(door, output) {
  const chunks = new Map(output.map(chunk => [chunk.fileName, chunk]))
  const found = new Set()
  const visit = name => {
    if (found.has(name)) return
    found.add(name)
    const { imports = [], dynamicImports = [], viteMetadata } = chunks.get(name) ?? {}
    for (const each of [...imports, ...dynamicImports, ...(viteMetadata?.importedCss ?? [])]) visit(each)
  }
  visit(output.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/${door}.html`)).fileName)
  return found
}

/** The doors that serve a file: those that load it, or all of them for a file outside the build, such as the icon. */
function doorsOf(name, loaded) {
  const doors = Object.keys(loaded)
  const own = doors.filter(door => loaded[door].has(name))
  return own.length > 0 || /\.(?:js|css)$/.test(name) ? own : doors
}

/** The manifest's entry for a file. Compresses scripts and styles in place. */
function described(out, name) {
  const bytes = readFileSync(join(out, name))
  const compressed = /\.(?:js|css)$/.test(name)
  if (compressed) {
    writeFileSync(join(out, `${name}.br`), brotliCompressSync(bytes))
    rmSync(join(out, name))
  }
  const type = TYPES[name.split('.').at(-1)]
  if (!type) throw new Error(`the console has a file of an unknown type: ${name}`)
  return { type, etag: digest(bytes), immutable: HASHED.test(name), compressed }
}

const digest = bytes => createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
