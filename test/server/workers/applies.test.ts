import { expect, it, onTestFinished } from 'vitest'
import { answer, startBackend } from '../../support/backend.ts'
import { startTree, type Tree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

interface Files {
  readonly revision: string
  readonly files: readonly { readonly file: string; readonly text: string }[]
}

const CONTEXT = { before: 32_000, applied: 16_000 }
const filesOf = async (tree: Tree, path: string) => (await tree.ask('GET', path)).body as Files

/** The files as clients see them, each on its own connection, so that all workers answer. */
async function contexts(tree: Tree): Promise<readonly number[]> {
  const ask = async () => {
    const response = await fetch(`${tree.url}/v1/models`, { headers: { connection: 'close' } })
    const { data } = (await response.json()) as { readonly data: readonly { readonly context_length: number }[] }
    return data[0]?.context_length ?? 0
  }
  return Promise.all(Array.from({ length: 8 }, ask))
}

it('files that an operator applies, and rolls back, are those of all workers once that is answered', async () => {
  const backend = await startBackend()
  onTestFinished(() => backend.close())
  backend.always(answer({ content: 'Hi' }))
  const tree = await startTree(
    2,
    yamlOf(backend.url, directory => `embedded:${directory}/store`),
  )
  onTestFinished(async () => void (await tree.end()))
  expect(new Set(await contexts(tree))).toEqual(new Set([CONTEXT.before]))
  const { revision, files } = await filesOf(tree, '/admin/config')
  const applied = files.map(({ file, text }) => ({ file, text: text.replace('context: 32k', 'context: 16k') }))

  const told = await tree.ask('POST', '/admin/apply', { previous: revision, files: applied })
  expect(told).toMatchObject({ status: 200, body: { generation: 2 } })
  expect(new Set(await contexts(tree))).toEqual(new Set([CONTEXT.applied]))

  const broken = files.map(({ file, text }) => ({ file, text: text.replace('context: 32k', 'context: -1') }))
  const { revision: second } = await filesOf(tree, '/admin/config')
  expect((await tree.ask('POST', '/admin/apply', { previous: second, files: broken })).status).toBe(409)
  expect(new Set(await contexts(tree))).toEqual(new Set([CONTEXT.applied]))

  const [first, back] = [await filesOf(tree, '/admin/revisions?number=1'), { previous: second, how: 'rollback' }]
  expect(await tree.ask('POST', '/admin/apply', { ...back, files: first.files })).toMatchObject({
    status: 200,
    body: { revision, generation: 3 },
  })
  expect(new Set(await contexts(tree))).toEqual(new Set([CONTEXT.before]))
  expect(tree.said.filter(line => line.includes('a worker'))).toEqual([])
}, 120_000)
