import { expect, test } from 'vitest'
import { registerDoc } from '../../../src/cli/doc/doc.ts'
import { configFile } from '../../../src/config/check/check.ts'
import { docsOf, type FieldDoc } from '../../../src/config/docs/doc.ts'
import { fields } from '../../../src/config/model/schema.ts'
import { runCommand } from '../run-command.ts'

const doc = (...args: string[]) => runCommand(registerDoc, ['doc', ...args])

test.each([
  ['doc-plans.rpm.txt', ['plans.rpm']],
  ['doc-plans.rpm.json.txt', ['plans.rpm', '--json']],
  ['doc-models.context.txt', ['models.context']],
  ['doc-limits.txt', ['limits']],
  ['doc.txt', []],
])('%s is what svcctl prints', async (file, args) => {
  const { code, stdout, stderr } = await doc(...args)

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  await expect(stdout).toMatchFileSnapshot(`../golden/${file}`)
})

test.each(['plans.*.rpm', 'plans.pro.rpm', 'plans.<name>.rpm', 'plans.my.plan.rpm'])('%s is plans.rpm', async asked => {
  expect((await doc(asked)).stdout).toBe((await doc('plans.rpm')).stdout)
})

test.each([
  ['plans.pro', 'plans'],
  ['plans.*', 'plans'],
  ['routes[0].use', 'routes.use'],
  ['routes[]', 'routes'],
  ['routes.when.any.not.mentions', 'routes.when.mentions'],
])('%s is %s', async (asked, same) => {
  expect((await doc(asked)).stdout).toBe((await doc(same)).stdout)
})

test.each([
  ['plans.rpn', 'did you mean `plans.rpm`?'],
  ['plans.pro.rpmm', 'did you mean `plans.pro.rpm`?'],
  ['limit', 'did you mean `limits`?'],
  ['rpm', 'did you mean `plans.rpm`?'],
  ['pools.rpm', 'did you mean `plans.rpm`?'],
  ['server.colour', 'known here: listen, public_url,'],
])('%s is no field, exits 1, and says what was meant', async (asked, hint) => {
  const { code, stdout, stderr } = await doc(asked)

  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(`✗ unknown field \`${asked}\`: `)
  expect(stderr).toContain(hint)
})

test('of a field that kinds have alike there is one text, of one they have otherwise there are several', () => {
  const kinds = (asked: string) => [docsOf(asked)].flat().map(each => ('unknown' in each ? [] : each.kinds))

  expect(kinds('models.serve')).toEqual([['chat', 'embedding', 'image', 'passthrough']])
  expect(kinds('models.context')).toEqual([['chat'], ['embedding']])
  expect(kinds('hosted_tools.timeout')).toEqual([['mcp', 'http', 'builtin']])
  expect(kinds('plans.rpm')).toEqual([[]])
})

/** All that is said of a field. */
function said(asked: string): readonly FieldDoc[] {
  const docs = docsOf(asked)
  if ('unknown' in docs) throw new Error(`${asked} is no field`)
  return docs
}

const paths = [...new Set(fields.map(({ path }) => path))]

test.each(paths)('%s is found by its own path, with a type and a description', path => {
  for (const each of said(path)) {
    expect(each).toMatchObject({
      field: path,
      type: expect.stringMatching(/\w/),
      description: expect.stringMatching(/\w.*\.$/),
    })
    expect(each.type).not.toContain('undefined')
  }
})

test.each(paths)('the example of %s is one that a file may hold', path => {
  for (const { example } of said(path)) {
    expect(JSON.stringify(example, (_, value) => value ?? 'nothing')).not.toContain('"nothing"')
    // That the file lacks its other fields is no fault of the example.
    const faults = configFile.errorsIn(example).filter(({ keyword }) => keyword !== 'required')
    expect(faults.map(({ instancePath, keyword }) => `${instancePath} ${keyword}`)).toEqual([])
  }
})
