import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { confirm, mayAsk } from '../../../src/cli/kit/terminal.ts'

const terminal = (isTTY: boolean) => ({
  input: Object.assign(new PassThrough(), { isTTY }),
  output: Object.assign(new PassThrough(), { isTTY }),
})

it.each(['y', 'Y', 'yes', ' yes '])('%j is a yes', async answer => {
  const { input, output } = terminal(true)
  input.end(`${answer}\n`)

  await confirm('Revoke it?', false, { input, output })

  expect(String(output.read())).toContain('Revoke it? [y/N] ')
})

it.each(['', 'n', 'yep', 'svc_7Hq2'])('%j is no yes', async answer => {
  const { input, output } = terminal(true)
  input.end(`${answer}\n`)

  await expect(confirm('Revoke it?', false, { input, output })).rejects.toMatchObject({
    message: 'Nothing was changed.',
    exitCode: 1,
  })
})

it('a terminal that is closed says no', async () => {
  const { input, output } = terminal(true)
  input.end()

  await expect(confirm('Revoke it?', undefined, { input, output })).rejects.toThrow('Nothing was changed.')
})

it('--yes is not asked', async () => {
  const { input, output } = terminal(false)

  mayAsk(true, { input, output })
  await confirm('Revoke it?', true, { input, output })

  expect(output.read()).toBeNull()
})

it('a question that nobody could answer is wrong usage', () => {
  expect(() => mayAsk(undefined, terminal(false))).toThrow('pass --yes')
  expect(() => mayAsk(undefined, { ...terminal(true), input: terminal(false).input })).toThrow('pass --yes')
  expect(() => mayAsk(undefined, terminal(true))).not.toThrow()
})
