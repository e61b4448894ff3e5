// Fails when an installed dependency does not run on the oldest Node that package.json promises.
import { readFileSync } from 'node:fs'
import semver from 'semver'

const read = name => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
const oldest = semver.minVersion(read('package.json').engines.node).version
const faults = Object.entries(read('package-lock.json').packages)
  .filter(([path, { engines }]) => path !== '' && engines?.node && !semver.satisfies(oldest, engines.node))
  .map(([path, { version, engines }]) => `${path} ${version} needs node ${engines.node}`)
for (const fault of faults) console.error(fault)
console.log(`engines: ${faults.length} faults for node ${oldest}`)
process.exitCode = faults.length > 0 ? 1 : 0
