import { CommanderError } from 'commander'
import { describe, expect, it } from 'vitest'
import { inOrder, limitIn } from '../../src/cli/accounts/limits.ts'
import { allCommands, nameOf } from '../../src/cli/forgiving.ts'
import { svcctl } from '../../src/cli/program.ts'

const COMMANDS = allCommands(await svcctl()).filter(({ parent }) => parent !== null)
const names = COMMANDS.map(nameOf)
const optionsOf = (name: string) => COMMANDS.find(each => nameOf(each) === name)?.options.map(({ long }) => long) ?? []

/** The message of a wrong call on stderr. */
async function saidOf(args: readonly string[]): Promise<string> {
  const program = await svcctl(args)
  const said: string[] = []
  for (const command of allCommands(program)) {
    const { outputError } = command.configureOutput()
    command.exitOverride().configureOutput({
      outputError: text => outputError?.(text, words => said.push(words)),
      writeErr: text => said.push(text),
    })
  }
  expect(() => program.parse(args, { from: 'user' })).toThrow(CommanderError)
  return said.join('')
}

it('the help lists every command under a heading, and the headings in the order of a day of work', async () => {
  const program = await svcctl()
  const help = program.configureHelp({ helpWidth: 100 }).helpInformation()

  for (const { parent, helpGroup } of program.commands.map(each => ({
    parent: each.parent,
    helpGroup: each.helpGroup(),
  })))
    expect({ parent: parent?.name(), helpGroup }).toEqual({ parent: 'svcctl', helpGroup: expect.stringMatching(/:$/) })
  expect(help.match(/^[A-Z].*:$/gm)).toEqual(
    [
      'Options:',
      'Run a gateway:',
      'Write and change its configuration:',
      'Customers, their requests and money:',
      'Coding agents:',
      'Keep its data:',
      'Set up svcctl itself:',
      'Exit codes:',
    ].slice(0, -1),
  )
})

/** Options bounded by the files, the fleet or the machine, sums, and free texts. */
const BOUNDED = new Set([
  ...['svcctl models', 'svcctl pools', 'svcctl fleet', 'svcctl profile list', 'svcctl usage', 'svcctl usage export'],
  ...[
    'svcctl plan',
    'svcctl invoice',
    'svcctl validate',
    'svcctl test',
    'svcctl show',
    'svcctl prices check',
    'svcctl reconcile',
  ],
])

describe.each(names)('%s', name => {
  const args = name.split(' ').slice(1)

  it('answers an unknown option with its own help, and not with that of all commands', async () => {
    expect(await saidOf([...args, '--nonsense'])).toContain(`(${name} --help shows`)
  })

  it('takes --limit where it lists what grows with history or customers', () => {
    if (optionsOf(name).includes('--format') && !BOUNDED.has(name)) expect(optionsOf(name)).toContain('--limit')
  })

  it('takes --yes where it changes something', () => {
    if (optionsOf(name).includes('--as')) expect(optionsOf(name)).toContain('--yes')
  })
})

it.each(COMMANDS.filter(({ parent }) => parent?.parent === null).map(each => each.name()))(
  '`svcctl %s` registers its own command just as the whole command line does',
  async name => {
    const [alone] = (await svcctl([name])).commands.filter(each => each.name() === name)
    const [among] = COMMANDS.filter(each => nameOf(each) === `svcctl ${name}`)
    expect(alone?.helpInformation()).toBe(among?.helpInformation())
    expect(alone?.helpGroup()).toBe(among?.helpGroup())
  },
)

it.each([
  ['--version', []],
  ['validate -c config.yaml', ['validate']],
  ['-p eu pools drain', ['pools']],
  ['--profile=eu whoami', ['login', 'logout', 'whoami']],
])('`svcctl %s` registers only %j', async (line, registered) => {
  expect((await svcctl(line.split(' '))).commands.map(each => each.name())).toEqual(registered)
})

it.each(['', '--help', 'help validate', 'completion bash', 'validat', '--version validate', 'toString'])(
  '`svcctl %s` registers every command',
  async line => {
    const { commands } = await svcctl(line.split(' ').filter(Boolean))
    expect(commands.map(each => `svcctl ${each.name()}`).sort()).toEqual(
      names.filter(name => name.split(' ').length === 2).sort(),
    )
  },
)

it.each([
  ['bogus', false],
  ['validat', true],
  ['kesy', true],
  ['stat', false],
])('`svcctl %s` is answered with a guess only where it is a slip of the fingers', async (typed, isGuessed) => {
  expect((await saidOf([typed])).includes('Did you mean')).toBe(isGuessed)
})

it.each([
  ['500 usd a month', 'usd 500 per month'],
  ['500 usd per month', 'usd 500 per month'],
  ['$500/month', 'usd 500 per month'],
  ['usd $500 per month', 'usd 500 per month'],
  ['60 requests each minute', 'requests 60 per minute'],
  ['2M tokens per 30d of key', 'tokens 2M per 30d of key'],
  ['3 concurrent', 'concurrent 3'],
])('%j is the limit %j', async (said, meant) => {
  expect(inOrder(said)).toBe(meant)
  expect(await limitIn(said)).toEqual(await limitIn(meant))
})

it.each(['500', 'usd', 'all of it', '500 apples a month'])('%j is no limit, and the error shows one', async text => {
  await expect(limitIn(text)).rejects.toThrow(/is not a limit: .*\n {2}(Write|For example) .*usd 500 per month/s)
})
