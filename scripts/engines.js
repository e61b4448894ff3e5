// Fails if an installed dependency does not run on the oldest Node that package.json promises, or if a source calls a function
// that is wrong there.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import semver from 'semver'

const read = name => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
const oldest = semver.minVersion(read('package.json').engines.node).version
/** Calls that the oldest Node answers wrongly, with their replacements. */
const WRONG = { 'URL.canParse(': 'parseUrl of src/kit: once compiled, it refuses texts such as http://ü' }
const root = join(import.meta.dirname, '..')
const sources = ['src', 'importers/src', 'demo/src'].flatMap(folder =>
  readdirSync(join(root, folder), { recursive: true }).map(name => join(folder, name)),
)

const unsupported = Object.entries(read('package-lock.json').packages)
  .filter(([path, { engines }]) => path !== '' && engines?.node && !semver.satisfies(oldest, engines.node))
  .map(([path, { version, engines }]) => `${path} ${version} needs node ${engines.node}`)
const wrong = sources
  .filter(path => path.endsWith('.ts'))
  .flatMap(path => {
    const text = readFileSync(join(root, path), 'utf8')
    return Object.keys(WRONG).flatMap(call =>
      text.includes(call) ? [`${path} calls ${call}…): use ${WRONG[call]}`] : [],
    )
  })
const faults = [...unsupported, ...wrong]
for (const fault of faults) console.error(fault)
console.log(`engines: ${faults.length} faults for node ${oldest}`)
process.exitCode = faults.length > 0 ? 1 : 0
