// `npm run docs`: builds the site of docs/ and serves it. `--build` only builds it, into site/.vitepress/dist.
// Its packages are those of site/, installed at the first run: no page of the site needs the network afterwards.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { build: { type: 'boolean' }, port: { type: 'string', default: '8070' } } })
const root = dirname(fileURLToPath(new URL('.', import.meta.url)))
const site = join(root, 'site')
const run = (command, ...args) => execFileSync(command, args, { cwd: site, stdio: 'inherit' })

if (!existsSync(join(site, 'node_modules', 'vitepress'))) run('npm', 'ci', '--no-audit', '--no-fund')

// Vite finds packages from where a page lies, which is below site/ for copies alone.
rmSync(join(site, 'pages'), { recursive: true, force: true })
for (const page of pages()) cpSync(join(root, page), join(site, 'pages', page), { recursive: true })
cpSync(join(root, 'console/static/icon.svg'), join(site, 'pages/public/icon.svg'))

run('npx', '--no', 'vitepress', 'build')
if (!values.build) run('npx', '--no', 'vitepress', 'preview', '--port', values.port)

/** The pages of the repository, and docs/ with all it has. */
function pages() {
  const readmes = ['src', 'console', 'importers'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true })
      .filter(name => name.endsWith('README.md') && !name.includes('node_modules'))
      .map(name => join(folder, name)),
  )
  return ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs', ...readmes]
}
