import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { outcomeOf } from '../../http/calls.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { main, type Operator, operatorOf, treeOf } from './fixture.ts'

let backend: Backend
let test: TestGateway
let operator: Operator
let outside: string

beforeAll(async () => {
  backend = await startBackend()
  test = await startTestGateway({ onprem: [backend] })
  operator = operatorOf(test)
  outside = mkdtempSync(join(tmpdir(), 'svc-outside-'))
  mkdirSync(join(outside, 'folder'))
  writeFileSync(join(outside, 'target.yaml'), 'aliases: {}\n')
  symlinkSync(join(outside, 'target.yaml'), join(test.dir, 'link.yaml'))
  symlinkSync(join(outside, 'nothing.yaml'), join(test.dir, 'dangling.yaml'))
  symlinkSync(join(outside, 'folder'), join(test.dir, 'folder'))
  symlinkSync(outside, join(test.dir, 'up'))
  symlinkSync('loop', join(test.dir, 'loop'))
  mkdirSync(join(test.dir, 'directory.yaml'))
  writeFileSync(join(test.dir, 'secret-key'), 'sk-live')
})

afterAll(async () => {
  await test.close()
  await backend.close()
  await removeFolder(outside)
})

const NAMES: readonly string[] = [
  '../evil.yaml',
  '../../../../../../../../tmp/evil.yaml',
  'sub/../../evil.yaml',
  'sub/../evil.yaml',
  './evil.yaml',
  '/tmp/evil.yaml',
  '//tmp/evil.yaml',
  '/etc/cron.d/evil',
  'sub//evil.yaml',
  'evil.yaml/',
  'evil.yaml/.',
  '..',
  '.',
  '',
  'evil\u0000.yaml',
  'evil.yaml\u0000',
  'evil\n.yaml',
  'evil\u001b[2J.yaml',
  '.hidden.yaml',
  '.git/hooks/post-checkout',
  'sub/.ssh/authorized_keys',
  '.config.yaml.apply',
  '.config.yaml.next',
  `${'x'.repeat(300)}.yaml`,
  `${'x/'.repeat(800)}evil.yaml`,
  'link.yaml',
  'dangling.yaml',
  'folder/evil.yaml',
  'folder/deeper/evil.yaml',
  'up/evil.yaml',
  'up/folder/evil.yaml',
  'loop',
  'loop/evil.yaml',
  'directory.yaml',
  'secret-key',
  'config.yaml/evil.yaml',
  'store/data.mdb',
  'store/evil.yaml',
  'revisions/000001.json',
  'revisions/evil.yaml',
  'decisions/evil.yaml',
  'config.yaml',
]

it.each(NAMES)('a file called %j is refused, and nothing is written anywhere', async name => {
  const before = [treeOf(test.dir), treeOf(outside), readFileSync(join(test.dir, 'store', 'data.mdb')).length]
  const { files, revision, number } = await operator.served()
  const yaml = `${files[0]?.text}include: [${JSON.stringify(name)}]\n`
  const told = await operator.apply([...main(yaml), { file: name, text: 'aliases: { evil: svc-core }\n' }])

  expect(outcomeOf(told)).toBe('409 APPLY_REFUSED')
  expect([treeOf(test.dir), treeOf(outside), readFileSync(join(test.dir, 'store', 'data.mdb')).length]).toEqual(before)
  expect(await operator.served()).toMatchObject({ revision, number })
})

it.each(['other.yaml', '../config.yaml', './config.yaml', 'CONFIG.YAML', '/config.yaml', 'sub/config.yaml', ''])(
  'a main file called %j is refused: this gateway has another one',
  async name => {
    const { files } = await operator.served()
    const before = treeOf(test.dir)

    expect(outcomeOf(await operator.apply([{ file: name, text: files[0]?.text ?? '' }]))).toBe('409 APPLY_REFUSED')
    expect(treeOf(test.dir)).toEqual(before)
  },
)
