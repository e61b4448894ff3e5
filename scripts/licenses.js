// The licences of packages that the build bundles; scripts/materials.js reads the packages from them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One part per licence text: a line `name version, licence` for each package that has it, an empty line, and the text. */
export function licenses(modules) {
  const folders = new Set(modules.map(id => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]).filter(Boolean))
  const packages = new Map()
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find(each => /^licen[cs]e/i.test(each))
    const text = file ? readFileSync(join(folder, file), 'utf8').trim() : ''
    packages.set(text, [...(packages.get(text) ?? []), `${name} ${version}, ${license}\n`])
  }
  return [...packages].map(([text, lines]) => `${lines.join('')}\n${text}\n`).join(`\n${'-'.repeat(80)}\n\n`)
}
