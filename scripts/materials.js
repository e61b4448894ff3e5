// CycloneDX bills of materials of a packed package and of the executable: its dependencies, and the packages that its build
// has bundled.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The lists of bundled packages: parts that each begin with a line `name version, licence` per package. */
const BUNDLED = ['dist/bundled/LICENSES.txt', 'dist/console/LICENSES.txt']

/** `root` is the clone that built the package; its lock file has the versions of bundled packages. */
export function materialsOf(root, tarball) {
  const installed = sbomOfInstall(tarball)
  const all = npmSbom(root)
  const names = bundledIn(tarball)
  const bundled = all.components.filter(each => names.includes(each['bom-ref']))
  const missing = names.filter(ref => !bundled.some(each => each['bom-ref'] === ref))
  if (missing.length > 0) throw new Error(`npm knows no ${missing.join(', ')}, which the build has bundled`)
  const components = [...installed.components, ...bundled].filter(isFirst)
  const refs = new Set([installed.metadata.component['bom-ref'], ...components.map(each => each['bom-ref'])])
  return {
    ...installed,
    components,
    dependencies: [...installed.dependencies, ...all.dependencies]
      .filter(({ ref }) => refs.has(ref))
      .filter(isFirst)
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(each => refs.has(each)) })),
  }
}

/** The bill of the executable: its dependencies, and its Node with the libraries inside it. */
export function materialsOfExecutable(name, bill, { versions }) {
  const own = { ...bill.metadata.component, name, purl: undefined }
  const node = {
    'bom-ref': `node@${versions.node}`,
    type: 'platform',
    name: 'node',
    version: versions.node,
    purl: `pkg:generic/node@${versions.node}`,
    components: Object.entries(versions)
      .filter(([part]) => part !== 'node')
      .map(([part, version]) => ({ 'bom-ref': `node/${part}@${version}`, type: 'library', name: part, version })),
  }
  return {
    ...bill,
    metadata: { ...bill.metadata, component: own },
    components: [...bill.components, node],
    dependencies: bill.dependencies.map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: ref === own['bom-ref'] ? [...dependsOn, node['bom-ref']] : dependsOn,
    })),
  }
}

/** `ink@6.8.0` and so on. */
function bundledIn(tarball) {
  const files = String(execFileSync('tar', ['-tzf', tarball])).split('\n')
  return BUNDLED.filter(file => files.includes(`package/${file}`))
    .map(file => String(execFileSync('tar', ['-xzOf', tarball, `package/${file}`])))
    .flatMap(text => text.split(/^-{80}\n\n/m))
    .flatMap(part => [...part.split('\n\n')[0].matchAll(/^(\S+) (\d\S*), /gm)])
    .map(([, name, version]) => `${name}@${version}`)
}

/** The dependencies that npm would install today. */
function sbomOfInstall(tarball) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-materials-'))
  try {
    const { name, version } = JSON.parse(String(execFileSync('tar', ['-xzOf', tarball, 'package/package.json'])))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: `${name}-install`, version, private: true }))
    npm(folder, 'install', '--package-lock-only', '--ignore-scripts', tarball)
    return npmSbom(folder, '--package-lock-only')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const npmSbom = (folder, ...args) =>
  JSON.parse(npm(folder, 'sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', ...args))

const npm = (cwd, ...args) =>
  String(execFileSync('npm', args, { cwd, maxBuffer: 100e6, stdio: ['ignore', 'pipe', 'ignore'] }))

const isFirst = (each, at, all) => all.findIndex(other => refOf(other) === refOf(each)) === at
const refOf = each => each['bom-ref'] ?? each.ref
