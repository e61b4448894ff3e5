import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isMap, parseDocument, type YAMLMap } from 'yaml'
import { registerTest } from '../../src/cli/test/test.ts'
import { load } from '../../src/config/load.ts'
import { runCommand } from '../cli/run-command.ts'
import { ROOT, textOf } from '../deploy/files.ts'
import { selfSigned } from '../support/certificate.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { merge } from './merge.ts'
import { blocksOf, elsewhereOf, PAGES } from './page.ts'

/** A complete configuration, into which a page's part is merged: the example with the shipped policies, whose names the pages use. */
function readShipped() {
  const names = readdirSync(join(ROOT, 'policies')).filter(name => name.endsWith('.yaml'))
  const document = parseDocument(withDefaults(textOf('config.example.yaml')))
  document.delete('include')
  for (const name of names)
    merge(mappingOf(document), mappingOf(parseDocument(withDefaults(textOf(`policies/${name}`)))))
  merge(mappingOf(document), mappingOf(parseDocument(BESIDE)))
  return document
}

/** Pools that pages name and leave to the reader, and a setting that gateways on one store need. */
const BESIDE = `
guests: { secret: "\${GUEST_SECRET}" }
pools:
  voice: { site: cloud, model: whisper, replicas: ["http://127.0.0.1:1/v1"] }
  cloud-live: { site: cloud, model: live, replicas: ["http://127.0.0.1:2/v1"] }
`

const { cert, key } = selfSigned()
/** The content of a secret file that a page names, by the ending of its name. */
const secretOf = (file: string) => (file.endsWith('.key') ? key : file.endsWith('.pem') ? cert : 'x')
const variableOf = (name: string) => (name.endsWith('_KEY') ? Buffer.alloc(32, 'x').toString('base64') : 'x'.repeat(40))

const withDefaults = (text: string) => text.replace(/\$\{\w+:-([^}]*)\}/g, '$1')

function mappingOf({ contents, errors }: ReturnType<typeof parseDocument>): YAMLMap {
  expect(errors).toEqual([])
  if (!isMap(contents)) throw new Error('not a mapping')
  return contents
}

const shipped = readShipped()

const isOfTests = (text: string) => /^(given|matrix|cases):/m.test(text)
/** A complete file: test/deploy/documents.test.ts loads the one in README.md. */
const isComplete = (text: string) => text.startsWith('version: 1')

// executed.test.ts runs a gateway with the YAML of the tutorial and the how-to pages.
const all = PAGES.filter(page => page !== 'docs/tutorial.md' && !page.startsWith('docs/how-to/'))
  .flatMap(page => blocksOf(page).map(block => ({ place: `${page}:${block.line}`, ...block })))
  .filter(block => block.language === 'yaml' && !elsewhereOf(block))
const shown = all.filter(({ text }) => !isOfTests(text) && !isComplete(text))

it.each(shown.map(({ place, text }) => [place, text] as const))(
  'the YAML at %s is valid as a part of the shipped configuration',
  (_, text) => {
    const folder = temporaryFolder('docs')
    const whole = shipped.clone()
    merge(mappingOf(whole), mappingOf(parseDocument(text)))
    const file = whole.toString()
    writeFileSync(join(folder, 'config.yaml'), file)
    const variables = Array.from(file.matchAll(/\$\{(\w+)/g), ([, name = '']) => [name, variableOf(name)])
    for (const [, secret = ''] of text.matchAll(/file:([\w.-]+)/g))
      writeFileSync(join(folder, secret), secretOf(secret))

    const result = load('config.yaml', Object.fromEntries(variables), folder)

    expect(
      result.ok ? [] : result.problems.map(({ message, line }) => `${file.split('\n')[line - 1]}: ${message}`),
    ).toEqual([])
  },
)

/** Policy tests, each with the part of a configuration that the page shows just before, if any. */
const tested = all.flatMap(({ place, text }, index) => {
  if (!isOfTests(text)) return []
  const [page] = place.split(':')
  const before = all[index - 1]
  if (!before?.place.startsWith(`${page}:`) || isOfTests(before.text)) return [[place, text, ''] as const]
  return [[place, text, before.text] as const]
})

it.each(tested)(
  'the policy tests at %s pass with the shipped policies, and with the part that is shown before',
  async (_, text, part) => {
    const folder = temporaryFolder('docs')
    const whole = shipped.clone()
    if (part !== '') merge(mappingOf(whole), mappingOf(parseDocument(part)))
    writeFileSync(join(folder, 'config.yaml'), whole.toString())
    writeFileSync(join(folder, 'shown.test.yaml'), text)

    const ran = await runCommand(registerTest, ['test', '-c', 'config.yaml', 'shown.test.yaml'], { cwd: folder })

    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/[1-9]\d* passed, 0 failed/) })
  },
)

it('more than 15 blocks of YAML and at least one of policy tests are checked', () => {
  expect(shown.length).toBeGreaterThan(15)
  expect(all.filter(({ text }) => isOfTests(text)).length).toBeGreaterThan(0)
})
