import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileProgram } from '../cli/program.ts'
import { ROOT, textOf } from '../deploy/files.ts'
import { type Backend, startBackend } from '../support/backend.ts'
import { type Block, blocksIn, blocksOf, elsewhereOf, faultOfElsewhere, PAGES } from './page.ts'
import { Reader } from './reader.ts'

/** Pages that a reader does whole, in executed.test.ts. Each of their blocks `sh` runs there. */
const WHOLE = /^docs\/(tutorial|how-to\/.*|from-(litellm|portkey|bifrost))\.md$/

/**
 * Blocks that no test runs as they stand, by their page and how they begin, with the test that does the same and why it cannot
 * read them. Elsewhere a block names the test that takes it from the page, by `run=`; of a cluster `test/deploy/kubernetes` has what
 * helm renders, and what kubectl is asked.
 */
const ELSEWHERE: readonly (readonly [page: string, begin: string, test: string, why: string])[] = [
  [
    'docs/operations.md',
    'svcctl store migrate --live',
    'test/server/moving/moving.test.ts',
    'its lines are three ways to go, each from another store',
  ],
]

/** Blocks that run beside one gateway, by their page and how they begin, in order. `words` stand for examples of the page. */
interface Step {
  readonly page: string
  readonly begin: string
  readonly words?: readonly (readonly [from: string, to: string])[]
  /** Runs before it, to have what it speaks of. */
  readonly first?: string
}

/** Another gateway, which is stopped. */
const ANOTHER = 'ADMIN=127.0.0.1:9091 STATE_DIR=./other STORE=embedded:./other/store'

const AS_EXAMPLE: readonly Step[] = [
  { page: 'docs/getting-started.md', begin: 'cp config.example.yaml', words: [['CLOUD_KEY=…', 'CLOUD_KEY=k']] },
  { page: 'docs/getting-started.md', begin: 'KEY=$(npx' },
  { page: 'README.md', begin: 'export KEY=svc_…', words: [['svc_…', '$KEY']] },
  { page: 'docs/api.md', begin: 'export ANTHROPIC_BASE_URL', words: [['svc_…', '$KEY']] },
  {
    page: 'docs/accounts.md',
    begin: 'svcctl keys mint --account',
    words: [
      ['keys rotate', 'keys rotate --yes'],
      ['keys revoke', 'keys revoke --yes'],
      ['key_7Hq2…', "$(svcctl keys list --account ada@example.com --json | grep -o 'key_[A-Za-z0-9]*' | tail -1)"],
    ],
  },
  { page: 'docs/accounts.md', begin: 'curl localhost:8080/v1/keys/guest' },
  { page: 'docs/changing-policy.md', begin: '$ svcctl explain' },
  { page: 'docs/changing-policy.md', begin: '$ svcctl plan' },
  {
    page: 'docs/ledger.md',
    begin: '$ svcctl usage',
    first: 'svcctl keys mint --plan pro --account ada --if-missing',
  },
  { page: 'docs/ledger.md', begin: '$ svcctl invoice' },
  {
    page: 'docs/operations.md',
    begin: '$ svcctl requests list',
    words: [
      ['--pool cloud ', '--pool cloud-core '],
      ['req_01M7YRRT80H1AF1Q4JQ8S3TD8H', "$(svcctl requests list --json | grep -o 'req_[A-Z0-9]*' | head -1)"],
    ],
  },
  {
    page: 'docs/operations.md',
    begin: 'svcctl profile add',
    words: [
      [
        'https://gateway-admin.internal.example.com --token-file ~/.config/svcctl/prod.token',
        'http://127.0.0.1:9090 --token-file data/admin.token',
      ],
    ],
  },
  {
    page: 'docs/operations.md',
    begin: 'svcctl backup /backups',
    first: 'mkdir backups',
    words: [
      ['/backups/', 'backups/'],
      ['svcctl restore backups/svc-2026-11-23.backup  ', `${ANOTHER} svcctl restore backups/svc-2026-11-23.backup  `],
    ],
  },
]

const AS_README: readonly Step[] = [
  {
    page: 'README.md',
    begin: 'cp config.example.yaml',
    words: [
      ['CLOUD_KEY=…', 'CLOUD_KEY=k'],
      ['npx svcctl serve ', '# '],
    ],
  },
  { page: 'README.md', begin: 'npx svcctl validate  ', first: serveReadme(), words: [['apply ', 'apply --yes ']] },
]

/** Blocks of commands that no other test is said to run; a `console` shows what they print, too. */
const commandsIn = (page: string): readonly Block[] =>
  blocksOf(page).filter(block => ['sh', 'console'].includes(block.language) && !elsewhereOf(block))

const LANGUAGES = ['console', 'js', 'json', 'mermaid', 'python', 'regex', 'sh', 'sql', 'text', 'toml', 'ts', 'yaml']

/** What is wrong with the language of a block: it has none, or it is called `text` and is not. */
function faultOfLanguage({ language, text }: Block): string | undefined {
  if (!LANGUAGES.includes(language)) return `\`${language}\` is none of ${LANGUAGES.join(', ')}`
  if (language !== 'text') return undefined
  if (COMMANDS.test(text)) return 'it looks like `sh`'
  return /^(# \S+\.ya?ml(\n|$)|[\w-]+:(\s|$))/.test(text) ? 'it looks like `yaml`' : undefined
}

const COMMANDS =
  /^(\$ )?(export |[A-Z]+=\S*)?(npx|npm|node|svcctl|curl|kubectl|helm|systemctl|docker|git|gh|cp|export|own|[A-Z]+=)\b(?! ─)/m

function blockOf({ page, begin }: Step): Block {
  const found = blocksOf(page).find(({ text }) => text.startsWith(begin))
  if (!found) throw new Error(`${page} has no block that begins with ${begin}`)
  return found
}

async function follow(reader: Reader, step: Step): Promise<void> {
  const { text, line } = blockOf(step)
  // Where a block shows what commands print, they are the lines with a prompt.
  const lines = text.split('\n').filter(each => !text.startsWith('$ ') || each.startsWith('$ '))
  const commands = lines.map(each => each.replace(/^\$ /, '')).join('\n')
  if (step.first) await reader.run(step.first)
  await reader.run(
    (step.words ?? []).reduce((all, [from, to]) => all.replaceAll(from, to), commands),
    `${step.page}:${line}`,
  )
}

const EXAMPLE = ['config.example.yaml', 'policies']

const program = compileProgram()

describe('a reader beside a gateway', () => {
  let backend: Backend
  let example: Reader
  let readme: Reader

  beforeAll(async () => {
    backend = await startBackend()
    const base = `http://127.0.0.1:${backend.port}/v1`
    const names = ['ONPREM_CORE_1', 'ONPREM_CORE_2', 'ONPREM_PRO', 'ONPREM_ULTRA', 'CLOUD']
    const machine = { main: program.main, ports: { 8000: backend.port } }
    example = await Reader.arrive({
      ...machine,
      files: EXAMPLE,
      env: {
        ...Object.fromEntries(names.map(name => [name, base])),
        ONPREM_CORE_2: base.replace('127.0.0.1', 'localhost'),
      },
    })
    readme = await Reader.arrive({ ...machine, files: EXAMPLE })
  })
  afterAll(async () => {
    await Promise.all([example.leave(), readme.leave()])
    await backend.close()
  })

  it.each(AS_EXAMPLE)('of the example: $page, $begin', step => follow(example, step))

  it.each(AS_README)('of the policy in the README: $begin', step => follow(readme, step))
})

/** Serves the policy that the README shows, with backends that answer. */
function serveReadme(): string {
  const policy = blocksOf('README.md').find(({ text }) => text.startsWith('version: 1'))?.text ?? ''
  const yaml = policy
    .replace(/"http[^"]*"(, "http[^"]*")?/g, '"http://127.0.0.1:8000/v1"')
    .replace('./data }', './data, listen: "$LISTEN", admin: "$ADMIN" }')
    .replaceAll('${', '\\${')
  const test = 'matrix: { plans: [free, pro], small: [ok, ok], large: [no, ok] }'
  return `cat > config.yaml <<END\n${yaml}\nEND\nrm -r policies\nmkdir -p policies/tests\ncat > policies/tests/a.test.yaml <<END\n${test}\nEND\nsvcctl serve`
}

it('each block of commands in the pages is run, or is listed with the reason why not', () => {
  const known = [...AS_EXAMPLE, ...AS_README].map(({ page, begin }) => [page, begin] as const)
  const all = [...known, ...ELSEWHERE]
  const left = PAGES.filter(page => !WHOLE.test(page))
    .flatMap(page => commandsIn(page).map(({ line, text }) => ({ page, line, text })))
    .filter(({ page, text }) => !all.some(([other, begin]) => other === page && text.startsWith(begin)))

  expect(left.map(({ page, line }) => `${page}:${line}`)).toEqual([])
  expect(all.filter(([page, begin]) => !textOf(page).includes(begin))).toEqual([])
  expect(ELSEWHERE.filter(([, , test]) => !existsSync(join(ROOT, test)))).toEqual([])
})

it('pages that are read whole have no command outside of a block that is run', () => {
  const left = PAGES.filter(page => WHOLE.test(page)).flatMap(page =>
    commandsIn(page)
      .filter(({ language }) => language !== 'sh')
      .map(({ line }) => `${page}:${line}`),
  )

  expect(left).toEqual([])
})

it.each(PAGES)('each block of %s says its language, so that commands and YAML are run and checked', page => {
  const faults = blocksOf(page).map(block => [block.line, faultOfLanguage(block)] as const)
  expect(faults.filter(([, fault]) => fault)).toEqual([])
})

it.each(PAGES)('each block of %s that another test runs names that test, which takes it from the page', page => {
  const named = blocksOf(page).flatMap(block => elsewhereOf(block) ?? [])
  expect(named.flatMap(test => faultOfElsewhere(test, page) ?? [])).toEqual([])
})

describe('what these tests look for', () => {
  it('is found within lists, too', () => {
    expect(blocksIn('1. One\n\n   ```sh exit=1\n   svcctl\n     --help\n   ```\n2. Two')).toEqual([
      { line: 4, language: 'sh', note: 'exit=1', text: 'svcctl\n  --help' },
    ])
  })

  it.each([
    ['', 'svcctl validate'],
    ['text', 'npx svcctl validate'],
    ['text', 'own $API/v1/keys/developer'],
    ['text', 'rules:\n  - a'],
    ['text', '# kustomization.yaml\nnamespace: a'],
  ])('is a block `%s` of %j', (language, text) => {
    expect(faultOfLanguage({ line: 1, note: '', language, text })).toBeDefined()
  })

  it.each(['test/install', 'test/install/install.test.ts', 'test/install/install.test.ts#no test of that name'])(
    'is a test that is not there: %s',
    test => expect(faultOfElsewhere(test, 'docs/tutorial.md')).toBeDefined(),
  )

  it('is a test that has nothing from the page', () => {
    const test = 'test/install/install.test.ts#installs svcctl, by the commands of docs/tutorial.md, without root'
    expect(faultOfElsewhere(test, 'docs/tutorial.md')).toBeUndefined()
    expect(faultOfElsewhere(test, 'docs/ledger.md')).toContain('takes no block from docs/ledger.md')
  })
})
