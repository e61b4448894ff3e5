// Completes a lock file: `node scripts/complete-lock.js [FOLDER]`, after each `npm install`.
// Where a registry does not serve the binaries of other platforms, npm leaves them out of the lock,
// and `npm ci` then calls the lock out of step. Their names and versions are known, so they are put back.
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']

const file = resolve(process.argv[2] ?? '.', 'package-lock.json')
const lock = JSON.parse(readFileSync(file, 'utf8'))
const added = []
for (const { optionalDependencies = {}, dev } of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const path = `node_modules/${name}`
    if (lock.packages[path] || !/^\d+\.\d+\.\d+/.test(version)) continue
    lock.packages[path] = { version, ...platformOf(name), ...(dev && { dev }), optional: true }
    added.push(name)
  }
}
const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1))
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`)
console.log(`${file}: ${added.length} packages of other platforms added`)

/** `@scope/name-linux-arm64-musl` is for os linux and cpu arm64. */
function platformOf(name) {
  const words = name.split(/[-/]/)
  const os = systems.filter(system => words.includes(system))
  const cpu = processors.filter(processor => words.includes(processor))
  return { ...(cpu.length > 0 && { cpu }), ...(os.length > 0 && { os }) }
}
