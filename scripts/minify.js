// Minifies our own modules in dist/, each by itself: packed they take a fifth less. Their source maps lead to src/ (decision 057).
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { minifySync } from 'rolldown/experimental'

/** Stack traces, profiles and errors show these names. */
const names = { keepNames: { function: true, class: true } }

export function minify(dist) {
  const maps = readdirSync(dist, { recursive: true }).filter(name => name.endsWith('.js.map'))
  for (const name of maps) {
    const path = join(dist, name.replace(/\.map$/, ''))
    const inputMap = JSON.parse(readFileSync(`${path}.map`, 'utf8'))
    const options = { module: true, compress: names, mangle: names, sourcemap: true, inputMap }
    const { code, map, errors } = minifySync(path, readFileSync(path, 'utf8'), options)
    if (errors.length > 0) throw new Error(`${name} cannot be minified: ${errors[0].message}`)
    // The file does not name its map, because no install has it.
    writeFileSync(path, `${code}\n`)
    writeFileSync(`${path}.map`, JSON.stringify(map))
  }
}
