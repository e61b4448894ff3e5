// Finds the source of a profiled function: in our sources, a package, or Node.
import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const maps = new Map()

function mapOf(path) {
  if (!maps.has(path)) {
    const file = `${path}.map`
    maps.set(path, existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined)
  }
  return maps.get(path)
}

/**
 * `{ file, line, isOwn }` of a call frame; the file of a package begins with its name. Our own functions may have their `name`
 * from the sources.
 */
export function placeOf({ url, lineNumber, columnNumber }) {
  const path = url.startsWith('file:') ? fileURLToPath(url) : url
  if (path.startsWith(`${root}dist/`)) {
    const file = path
      .slice(root.length)
      .replace(/^dist\//, 'src/')
      .replace(/\.js$/, '.ts')
    const found = mapOf(path)?.findEntry(lineNumber, columnNumber)
    return { file, line: (found?.originalLine ?? lineNumber) + 1, isOwn: true, name: found?.name }
  }
  const inPackages = path.lastIndexOf('node_modules/')
  const file = inPackages === -1 ? path : path.slice(inPackages + 'node_modules/'.length)
  return { file, line: lineNumber + 1, isOwn: false }
}
