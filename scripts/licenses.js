// The licences of what the build joins into its own files; scripts/materials.js reads the packages from them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A part for each package that these modules are of: `name version, licence`, an empty line, and its text. */
export function licenses(modules) {
  const folders = new Set(modules.map(id => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]).filter(Boolean))
  return [...folders]
    .sort()
    .map(folder => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const file = readdirSync(folder).find(each => /^licen[cs]e/i.test(each))
      return `${name} ${version}, ${license}\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}
