// Fails when a folder of src/ imports a layer above it, or when files or folders import each other in a circle. See the map in
// CONTRIBUTING.md.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const src = fileURLToPath(new URL('../src', import.meta.url))

/** The folders and kinds of packages that each folder may import. */
const may = {
  // Helpers that know nothing of the gateway.
  kit: { folders: [], packages: false },
  policy: { folders: [], packages: false },
  config: { folders: ['kit', 'policy'], packages: true },
  // Stored records, each declared once: the codecs of all others follow from it.
  records: { folders: ['policy'], packages: false },
  wire: { folders: ['kit', 'policy', 'records'], packages: true },
  gateway: { folders: ['kit', 'policy', 'records', 'wire', 'config/settings.ts'], packages: true },
  adapters: { folders: ['kit', 'policy', 'records', 'wire', 'gateway', 'config/settings.ts'], packages: true },
  // Simulated requests, taken the whole way, for `svcctl test` and `svcctl explain`.
  simulate: { folders: ['kit', 'policy', 'config', 'wire', 'gateway'], packages: true },
  // Operators ask what a request would get that no client sent.
  http: { folders: ['kit', 'policy', 'records', 'wire', 'gateway', 'simulate', 'config/settings.ts'], packages: true },
  // The process that serves: it puts all the others together.
  server: { folders: ['kit', 'policy', 'config', 'wire', 'gateway', 'adapters', 'http'], packages: true },
  // The client of a running gateway, or of its store where none runs.
  operator: {
    folders: ['kit', 'policy', 'config', 'wire', 'gateway', 'adapters', 'http/admin', 'server'],
    packages: true,
  },
  cli: {
    folders: [
      'kit',
      'policy',
      'config',
      'records',
      'wire',
      'gateway',
      'adapters',
      'simulate',
      'http',
      'server',
      'operator',
    ],
    packages: true,
  },
}

/** Modules that may import the importers; each loads only when its command runs. */
const IMPORTERS = new Set([
  'cli/import/run.ts',
  'cli/import/written.ts',
  'cli/init/local-engines.ts',
  'cli/prices/run.ts',
])

/** Folders whose own files are the top layer: helpers shared by their folders are in `kit/`, and no folder imports a file beside it. */
const roofs = ['cli']

const faults = []
// The workspaces are separate packages: they import packages and their own files.
for (const workspace of ['demo', 'importers']) {
  const own = fileURLToPath(new URL(`../${workspace}/src`, import.meta.url))
  for (const path of sources(own))
    for (const name of imports(own, path))
      if (name.startsWith('.') && relative(own, resolve(own, path, '..', name)).startsWith('..'))
        faults.push(`${workspace}/src/${path} must not import ${name}`)
}
/** Text modules that the console shares: each must run in a browser. */
const SHARED_WORDS = new Set(['wire/invoice/words.ts'])
// The console runs in browsers: it may import the gateway's wire types, as types only, and shared texts.
const pages = fileURLToPath(new URL('../console/src', import.meta.url))
for (const path of sources(pages)) {
  const text = readFileSync(join(pages, path), 'utf8')
  for (const [statement, name] of text.matchAll(/^(?:import|export)\b[^']*\bfrom '(\.[^']+)'/gm)) {
    const target = relative(src, resolve(pages, path, '..', name))
    const isOwn = !relative(pages, resolve(pages, path, '..', name)).startsWith('..')
    const isShape = target.startsWith('wire/') && statement.startsWith('import type ')
    const isWords = SHARED_WORDS.has(target) && path.includes('/texts/')
    if (!isOwn && !isShape && !isWords)
      faults.push(`console/src/${path} must not import ${name}, but as a type of src/wire`)
  }
}
for (const path of sources(src)) {
  const folder = path.split('/')[0]
  const rule = may[folder]
  if (!rule) faults.push(`src/${path}: no layer is called ${folder}`)
  else
    for (const name of imports(src, path))
      if (!allowed(path, folder, rule, name)) faults.push(`src/${path} must not import ${name}`)
}
for (const circle of circlesAmong(sources(src))) faults.push(`src/${circle.join(' imports src/')}`)
for (const path of sources(src))
  for (const target of importedBy(path))
    if (roofs.includes(dirname(target)) && dirname(path) !== dirname(target) && path.startsWith(`${dirname(target)}/`))
      faults.push(`src/${path} must not import src/${target}, which is above it`)
for (const [folder, circle] of foldersInCircles(sources(src))) faults.push(`${join('src', folder)}: ${circle}`)
for (const fault of faults) console.error(fault)
console.log(`layers: ${faults.length} faults`)
process.exitCode = faults.length > 0 ? 1 : 0

function sources(root) {
  return readdirSync(root, { recursive: true }).filter(name => /\.tsx?$/.test(name))
}

function imports(root, path, form = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g) {
  const text = readFileSync(join(root, path), 'utf8')
  return [...text.matchAll(form)].map(match => match[1])
}

/** The files of src that a file imports, except those that it loads later by `import()`. */
function importedBy(file) {
  return imports(src, file, /\bfrom\s*'([^']+)'/g)
    .filter(name => name.startsWith('.'))
    .map(name => relative(src, resolve(src, file, '..', name)))
}

function allowed(path, folder, rule, name) {
  // The commands that load a workspace late.
  if (name === 'svc-gateway-demo') return path.startsWith('cli/serve/demo')
  if (name === 'svc-gateway-import') return IMPORTERS.has(path)
  if (!name.startsWith('.')) return rule.packages
  const target = relative(src, resolve(src, path, '..', name))
  if (target.startsWith('..')) return false
  // Adapters do not know each other: each is a file, or a folder of its own.
  if (folder === 'adapters' && target.startsWith('adapters/')) return target.split('/')[1] === path.split('/')[1]
  return [folder, ...rule.folders].some(place => target === place || target.startsWith(`${place}/`))
}

/**
 * The first circle that each file closes: its files in order, with the first one repeated at the end. Type imports count.
 * `import()` does not, since it loads a command only when it is called.
 */
function circlesAmong(files) {
  const known = new Set(files)
  const done = new Set()
  const circles = []
  const visit = (file, way) => {
    const begin = way.indexOf(file)
    if (begin >= 0) circles.push([...way.slice(begin), file])
    if (begin >= 0 || done.has(file)) return
    for (const target of importedBy(file)) if (known.has(target)) visit(target, [...way, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  return circles
}

/**
 * Each folder whose parts import each other in a circle, with the imports that close one. The parts are the folders within it,
 * with everything below them, and the files beside them. Type imports count.
 */
function foldersInCircles(files) {
  const steps = files.flatMap(file => importedBy(file).map(target => [file, target]))
  const folders = new Set(files.flatMap(file => ancestorsOf(file)))
  return [...folders].flatMap(folder => {
    const links = new Map()
    for (const [file, target] of steps) {
      const [from, to] = [partOf(folder, file), partOf(folder, target)]
      if (from && to && from !== to) links.set(`${from} ${to}`, { from, to, by: `${file} imports ${target}` })
    }
    const circle = shortestCircle([...links.values()])
    return circle ? [[folder, circle.map(({ by }) => by).join(', ')]] : []
  })
}

/** `wire/openai/chat.ts` has `wire/openai`, `wire` and src itself, which is ''. */
function ancestorsOf(file) {
  const names = file.split('/').slice(0, -1)
  return ['', ...names.map((_, index) => names.slice(0, index + 1).join('/'))]
}

function partOf(folder, file) {
  if (folder && !file.startsWith(`${folder}/`)) return undefined
  return file.slice(folder ? folder.length + 1 : 0).split('/')[0]
}

function shortestCircle(links) {
  const parts = new Set(links.map(({ from }) => from))
  const circles = [...parts].flatMap(part => wayBack(part, links))
  return circles.sort((one, other) => one.length - other.length)[0]
}

/** The shortest path from a part back to itself, as a list with one entry; empty if there is none. */
function wayBack(part, links) {
  const ways = links.filter(({ from }) => from === part).map(link => [link])
  const seen = new Set()
  for (const way of ways) {
    const { to } = way.at(-1)
    if (to === part) return [way]
    if (!seen.has(to)) ways.push(...links.filter(({ from }) => from === to).map(link => [...way, link]))
    seen.add(to)
  }
  return []
}
