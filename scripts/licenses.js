// The licences of what the build joins into its own files; scripts/materials.js reads the packages from them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A part for each text: a line `name version, licence` for each package that these modules are of, an empty line, and the text. */
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
