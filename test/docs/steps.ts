import { parseDocument } from 'yaml'
import { type Block, blocksOf, elsewhereOf, PAGES } from './page.ts'

/** A block of commands that a reader runs, and what its reader has to do differently here. */
export interface Step {
  /** The first words of its commands, which are those of no other block in the pages, or in its page. */
  readonly begin: string
  /** Named only if several pages have a block with these words. */
  readonly page?: string
  /** Replaces examples of the page, such as ids, by those of this gateway. */
  readonly words?: readonly (readonly [from: string | RegExp, to: string])[]
  /** Commands that run before it, to create what it needs. */
  readonly first?: () => string
}

interface Place extends Block {
  readonly page: string
}

/** Pages that executed.test.ts or test/agents/developers.test.ts reads from the first block to the last, with all of their `sh` blocks. */
export const isReadWhole = (page: string): boolean =>
  /^docs\/(tutorial|how-to\/.*|from-(litellm|portkey|bifrost))\.md$/.test(page)

/** Blocks that no test can take from their page, with the test that runs the same commands and the reason. */
export const ELSEWHERE: readonly (Step & { readonly test: string; readonly reason: string })[] = []

/** Another gateway, which is stopped. */
const ANOTHER = 'ADMIN=127.0.0.1:9091 STATE_DIR=./other STORE=embedded:./other/store'

/** Blocks that run in order beside a gateway of config.example.yaml. */
export const BESIDE_EXAMPLE: readonly Step[] = [
  { page: 'docs/getting-started.md', begin: 'cp config.example.yaml', words: [['CLOUD_KEY=…', 'CLOUD_KEY=k']] },
  { begin: 'KEY=$(npx' },
  { begin: 'export KEY=svc_…', words: [['svc_…', '$KEY']] },
  { begin: 'export ANTHROPIC_BASE_URL', words: [['svc_…', '$KEY']] },
  { page: 'docs/invoices.md', begin: 'curl https', words: [[/https:\/\/llm\.example\.com/g, 'http://localhost:8080']] },
  {
    begin: 'svcctl keys mint --account',
    words: [
      ['keys rotate', 'keys rotate --yes'],
      ['keys revoke', 'keys revoke --yes'],
      [/\bkey_\w+…/g, "$(svcctl keys list --account ada@example.com --json | grep -o 'key_[A-Za-z0-9]*' | tail -1)"],
    ],
  },
  { begin: 'curl localhost:8080/v1/keys/guest' },
  { begin: '$ svcctl explain' },
  { begin: '$ svcctl plan' },
  { begin: '$ svcctl usage --by model', first: () => 'svcctl keys mint --plan pro --account ada --if-missing' },
  { begin: '$ svcctl usage --by hour' },
  { begin: '$ svcctl usage --by session' },
  { begin: '$ svcctl usage export --month' },
  {
    begin: 'svcctl accounts invite bob',
    first: () => 'svcctl keys mint --plan pro --account bob@example.com --if-missing',
  },
  { begin: '$ svcctl invoice' },
  {
    begin: '$ svcctl requests list',
    words: [
      [/--pool \S+/g, '--pool cloud-core'],
      [/\breq_\w+/g, "$(svcctl requests list --json | grep -o 'req_[A-Z0-9]*' | head -1)"],
    ],
  },
  {
    begin: 'svcctl profile add',
    words: [[/https:\S+ --token-file \S+/g, 'http://127.0.0.1:9090 --token-file data/admin.token']],
  },
  {
    begin: 'svcctl backup /backups',
    first: () => 'mkdir backups',
    words: [
      ['/backups/', 'backups/'],
      ['svcctl restore', `${ANOTHER} svcctl restore --key data/backup-key`],
    ],
  },
]

/** Blocks that run in order beside a gateway of the policy in README.md. */
export const BESIDE_README: readonly Step[] = [
  {
    page: 'README.md',
    begin: 'cp config.example.yaml',
    words: [
      ['CLOUD_KEY=…', 'CLOUD_KEY=k'],
      // The next step serves another configuration in its place.
      ['npx --no svcctl serve', '# npx --no svcctl serve'],
    ],
  },
  {
    page: 'README.md',
    begin: 'npx --no svcctl validate',
    first: serveReadme,
    words: [['svcctl apply', 'svcctl apply --yes']],
  },
]

/** The blocks of commands in the pages that name no test of their own by `run=`. */
export const COMMANDS: readonly Place[] = PAGES.flatMap(page =>
  blocksOf(page)
    .filter(block => ['sh', 'console'].includes(block.language) && !elsewhereOf(block))
    .map(block => ({ page, ...block })),
)

/** Whether the step runs this block. */
export const runs = ({ page, begin }: Step, block: Place): boolean =>
  block.text.startsWith(begin) && (page === undefined || page === block.page)

/** The one block that the step runs. */
export function blockOf(step: Step): Place {
  const [block, ...more] = COMMANDS.filter(each => runs(step, each))
  if (!block || more.length > 0)
    throw new Error(`${more.length + (block ? 1 : 0)} blocks of ${step.page ?? 'the pages'} begin with ${step.begin}`)
  return block
}

/** The commands that serve the policy in README.md with backends that answer, and add a test to it. */
function serveReadme(): string {
  const policy = blocksOf('README.md').find(({ text }) => text.startsWith('version: 1'))
  const document = parseDocument(policy?.text ?? '')
  document.setIn(['server', 'listen'], '$LISTEN')
  document.setIn(['server', 'admin'], '$ADMIN')
  for (const pool of Object.keys(document.toJS().pools))
    document.setIn(['pools', pool, 'replicas'], ['http://127.0.0.1:8000/v1'])
  const test = 'matrix: { plans: [free, pro], small: [ok, ok], large: [no, ok] }'
  return [
    `cat > config.yaml <<END\n${String(document).replaceAll('${', '\\${')}\nEND`,
    'rm -r policies && mkdir -p policies/tests',
    `echo '${test}' > policies/tests/a.test.yaml`,
    'svcctl serve',
  ].join('\n')
}
