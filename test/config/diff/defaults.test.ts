import { expect, test } from 'vitest'
import { type Document, parseDocument } from 'yaml'
import { POOL_FIELDS } from '../../../src/config/pool-fields.ts'
import { SECTION_DEFAULTS, SECTION_FIELDS } from '../../../src/config/section-fields.ts'
import { changesOf, shipped, sideOf, told } from './edited.ts'

const ENV = { CLOUD_KEY: 'k'.repeat(43) }
const MAIN = 'config.example.yaml'

/** Sections without which a default cannot be written. */
const NEEDED: readonly (readonly [file: string, path: string, value: unknown])[] = [
  [MAIN, 'traces.endpoint', 'http://localhost:4318'],
  [MAIN, 'metrics.otlp.endpoint', 'http://localhost:4318'],
  [MAIN, 'responses.keep', '24h'],
  [MAIN, 'responses.key', `\${CLOUD_KEY}`],
  ['policies/pools.yaml', 'pools.cloud-core.queue.max', 200],
  ['policies/pools.yaml', 'pools.cloud-core.probe.path', '/health'],
]

/** Defaults that need files, a store or a backend of another kind or no queue; and one that caps clients once it is written. */
const APART =
  /^(server\.admin_tls|redis|ledger\.archive|customer_notices|auth|fetches|caches|probe$|queue_timeout|load|chat_model\.max_output|chat_model\.mirror)/

/** Where the defaults of lists and maps are written. */
const PLACES: Readonly<Record<string, string>> = {
  plan: 'plans.free',
  chat_model: 'models.svc-pro',
  mcp_tool: 'hosted_tools.docs_search',
}
const TOOL = { tool_timeout: 'timeout', max_calls: 'max_calls', max_result: 'max_result', usd_per_call: 'usd_per_call' }

/** The file, the path and the value of each default that the shipped files leave room for. */
function* defaults(): Generator<readonly [file: string, path: string, value: unknown]> {
  for (const [path, field] of Object.entries(SECTION_FIELDS))
    if ('default' in field && !APART.test(path)) yield [MAIN, path, field.default]
  for (const [path, field] of Object.entries(POOL_FIELDS))
    if ('default' in field && !APART.test(path))
      yield ['policies/pools.yaml', `pools.cloud-core.${path}`, field.default]
  for (const [path, value] of Object.entries(SECTION_DEFAULTS)) {
    const [kind = '', ...rest] = path.split('.')
    const section = PLACES[kind]
    if (section && !APART.test(path)) yield [fileOf(section), [section, ...rest].join('.'), value]
    const tool = TOOL[kind as keyof typeof TOOL]
    if (tool) yield ['policies/tools.yaml', `hosted_tools.convert_units.${tool}`, value]
  }
}

const fileOf = (section: string): string => `policies/${section.split('.')[0]?.replace('hosted_', '')}.yaml`

test('a default that is written out is no change, and neither is one that is left out again', () => {
  const documents = new Map<string, Document>(
    Object.entries(shipped).map(([name, text]) => [name, parseDocument(text)]),
  )
  const put = (file: string, path: string, value: unknown): boolean => {
    const document = documents.get(file)
    if (!document || document.hasIn(path.split('.'))) return false
    document.setIn(path.split('.'), value)
    return true
  }
  const side = () => sideOf(Object.fromEntries([...documents].map(([name, each]) => [name, String(each)])), ENV)
  for (const [file, path, value] of NEEDED) put(file, path, value)
  const without = side()
  const written = [...defaults()].filter(([file, path, value]) => put(file, path, value))
  const all = side()

  expect(told(changesOf(without, all))).toEqual([])
  expect(told(changesOf(all, without))).toEqual([])
  expect(written.length).toBeGreaterThan(50)
})
