import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import type { PinnedPackage } from '../../src/cli/init/pinned-package.ts'
import { repositoryFiles } from '../../src/cli/init/repository-files.ts'
import { ROOT, textOf } from '../deploy/files.ts'

// A public registry gives a name to whoever asks first. So nothing that we generate, print or document has it choose the code that
// runs: `npx --no` runs what is installed, and an install names files.

const HASH = 'ab'.repeat(32)
const PINNED: readonly PinnedPackage[] = [
  { kind: 'image', image: `registry.example.com/svc-gateway@sha256:${HASH}` },
  { kind: 'url', url: 'https://releases.example.com/svc-gateway-0.2.0.tgz', sha256: HASH },
  { kind: 'file', path: 'tools/svc-gateway-0.2.0.tgz', sha256: HASH, bytes: new Uint8Array() },
]

/** Everything that people read or run: pages, programs with their messages, consoles, deployments, workflows, what tests expect to be printed. */
const SOURCES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter(file =>
    /^([^/]+\.(md|yaml|json)|(docs|src|console|demo|deploy|policies|scripts|bin|site|\.github|\.ci|schema)\/.*|test\/cli\/golden\/.*|test\/lanes\/summary\.ts)$/.test(
      file,
    ),
  )
  .filter(file => !/(^|\/)package-lock\.json$|\.(png|svg|ico|woff2?|wasm)$|\/deps\//.test(file))

const texts: readonly (readonly [name: string, text: string])[] = [
  ...SOURCES.map(file => [file, textOf(file)] as const),
  ...PINNED.flatMap(pinned =>
    Object.entries(repositoryFiles(pinned)).map(
      ([file, content]) => [`init --repo, ${pinned.kind}: ${file}`, String(content)] as const,
    ),
  ),
]

/** Only for this project's CI: the package `node` brings the oldest supported Node. */
const ALLOWED = [/^node@\$1$/]

const isOption = (word: string): boolean => word.startsWith('-')
const isPath = (word: string): boolean => /^(\.{1,2}\/|\/|~\/)/.test(word)
const OPTIONS_WITH_VALUE = ['--prefix', '--workspace', '--loglevel', '-w']

/** Why a command line runs, or installs, a package by its name. */
function faultsIn(text: string): readonly string[] {
  const faults: string[] = []
  // As a shell reads it, or as an array of arguments.
  const lines = text.replace(/\\\n/g, ' ').replace(/', '/g, ' ')
  for (const [whole, rest = ''] of lines.matchAll(/\bnpx'? +((?:(?![`\n;|&)#]).)*)/g)) {
    const words = rest
      .replaceAll(/["',:]/g, ' ')
      .trim()
      .split(/\s+/)
    const program = words.find(word => !isOption(word)) ?? ''
    if (words[0] !== '--no' && !isPath(program)) faults.push(whole.trim())
  }
  for (const [whole] of lines.matchAll(/\b(npm (exec|x|init|create)|pnpm dlx|yarn dlx|bunx|bun x|pipx|uvx) .*/g))
    faults.push(whole.trim())
  for (const [whole, rest = ''] of lines.matchAll(/\bnpm (?:install|i|add)\b((?:(?![`\n;|&)#]).)*)/g)) {
    const words = rest.replaceAll(/["']/g, ' ').trim().split(/\s+/).filter(Boolean)
    if (!/^(npm \w+)?\s+[-./~\w"$]/.test(whole) || !/\s/.test(rest.slice(0, 1))) continue
    const named = words.filter((word, at) => !isOption(word) && !OPTIONS_WITH_VALUE.includes(words[at - 1] ?? ''))
    const fetched = named.filter(word => !isPath(word) && !ALLOWED.some(allowed => allowed.test(word)))
    if (fetched.length > 0) faults.push(whole.trim())
  }
  for (const [whole] of lines.matchAll(/\bsvc-gateway(-demo)?@\d\S*/g)) faults.push(whole)
  return faults
}

it('nothing generated, printed or documented runs a package by a name in a public registry', () => {
  expect(texts.length).toBeGreaterThan(500)
  expect(texts.flatMap(([name, text]) => faultsIn(text).map(fault => `${name}: ${fault}`))).toEqual([])
})

it.each([
  'npx svcctl validate',
  'npx --yes -p svc-gateway@0.2.0 svcctl test',
  'npx --yes -p "$PACKAGE" svcctl test',
  "run('npx', 'vitepress', 'build')",
  'npm exec svcctl',
  'pnpm dlx svcctl',
  'npm install svc-gateway-demo@0.2.0',
  'npm install --global svc-gateway',
  'npm i -g svcctl',
])('`%s` is found', command => expect(faultsIn(command)).not.toEqual([]))

it.each([
  'npx --no svcctl validate',
  'npx ./svc-gateway-0.2.0.tgz init',
  'npm ci && npm start',
  'npm install --global --prefix ~/.local ./svc-gateway-0.2.0.tgz',
  'npm install --global --prefix .svcctl --ignore-scripts "./$PACKAGE"',
])('`%s` is not', command => expect(faultsIn(command)).toEqual([]))
