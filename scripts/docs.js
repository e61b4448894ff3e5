// `npm run docs`: builds the site of docs/ and serves it. `--build` only builds it, into site/.vitepress/dist. Its packages
// are those of site/, installed at the first run; afterwards no page needs the network.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { build: { type: 'boolean' }, port: { type: 'string', default: '8070' } } })
const root = dirname(fileURLToPath(new URL('.', import.meta.url)))
const site = join(root, 'site')
const run = (command, ...args) => execFileSync(command, args, { cwd: site, stdio: 'inherit' })

if (!existsSync(join(site, 'node_modules', 'vitepress'))) run('npm', 'ci', '--no-audit', '--no-fund')

// Vite resolves packages from a page's own folder, which is below site/ only for copies.
rmSync(join(site, 'pages'), { recursive: true, force: true })
for (const page of pages()) cpSync(join(root, page), join(site, 'pages', page), { recursive: true })
// The site opens with what the product is; the table of all pages moves to its own page.
renameSync(join(site, 'pages/docs/index.md'), join(site, 'pages/docs/contents.md'))
writeFileSync(join(site, 'pages/docs/index.md'), home())
cpSync(join(root, 'console/static/icon.svg'), join(site, 'pages/public/icon.svg'))

run('npx', '--no', 'vitepress', 'build')
if (!values.build) run('npx', '--no', 'vitepress', 'preview', '--port', values.port)

/** The home page, with screenshots of the console if the last run of its tests left any in CI_ARTIFACTS. */
function home() {
  const text = readFileSync(join(site, 'home.md'), 'utf8')
  const pictures = ['light', 'dark'].map(scheme => [
    scheme,
    join(process.env.CI_ARTIFACTS ?? '', `console-start-${scheme}-1280.png`),
  ])
  if (!process.env.CI_ARTIFACTS || !pictures.every(([, path]) => existsSync(path))) return text
  for (const [scheme, path] of pictures) cpSync(path, join(site, 'pages/public', `console-${scheme}.png`))
  const image = '{ light: /console-light.png, dark: /console-dark.png, alt: "Live, the start page of operators" }'
  return text.replace('hero:\n', `hero:\n  image: ${image}\n`)
}

/** Copies the pages of the repository and all of docs/. */
function pages() {
  const readmes = ['src', 'console', 'importers'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true })
      .filter(name => name.endsWith('README.md') && !name.includes('node_modules'))
      .map(name => join(folder, name)),
  )
  return ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs', ...readmes]
}
