import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Argument, type Command, Option } from 'commander'
import { describe, expect, it, test } from 'vitest'
import { registerCompletion } from '../../../src/cli/completion/completion.ts'
import { directoryOf } from '../../config/files.ts'
import { hasShell, shellFaults } from '../../support/terminal/shell.ts'
import { runCommand } from '../run-command.ts'

/** A program with something of everything that can be completed. */
function register(program: Command): void {
  program.enablePositionalOptions()
  const pools = program.command('pools').description("the pools: it's all there").option('--json', 'print JSON')
  pools.command('drain').description('drain one').argument('<pool>').option('-y, --yes', 'do not ask')
  program
    .command('usage')
    .description('what was used')
    .addOption(new Option('--by <group>', 'add up by').choices(['day', 'plan']))
    .addOption(new Option('-c, --config <file>', 'the configuration'))
    .option('--account <account>', 'of one')
  program.command('fmt').description('one style').argument('[file...]').option('--check', 'only look')
  program.command('paint').addArgument(new Argument('<colour>').choices(['red', 'green']))
  registerCompletion(program)
}

const scriptFor = async (shell: string) => (await runCommand(register, ['completion', shell])).stdout

/** bash's completions of the last word of a command line, in a directory with a file `some.yaml`. */
async function offered(line: string): Promise<readonly string[]> {
  const dir = directoryOf({ 'some.yaml': '' })
  writeFileSync(join(dir, 'completion'), await scriptFor('bash'))
  const words = line.split(' ').map(word => `'${word}'`)
  const ask = `source completion; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _svcctl; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { status, stdout, stderr } = spawnSync('bash', ['-c', ask], { cwd: dir, encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.split('\n').filter(Boolean)
}

test.each([
  ['svcctl ', ['pools', 'usage', 'fmt', 'paint', 'completion']],
  ['svcctl p', ['pools', 'paint']],
  ['svcctl pools ', ['drain']],
  ['svcctl pools --', ['--json', '--help']],
  ['svcctl pools drain --', ['--yes', '--help']],
  ['svcctl pools drain ', ['--yes', '--help']],
  ['svcctl usage --by ', ['day', 'plan']],
  ['svcctl usage --by d', ['day']],
  ['svcctl usage --by day --ac', ['--account']],
  ['svcctl usage --account pools --b', ['--by']],
  ['svcctl usage --account ', []],
  ['svcctl usage --config so', ['some.yaml']],
  ['svcctl usage -c so', ['some.yaml']],
  ['svcctl fmt so', ['some.yaml']],
  ['svcctl fmt --c', ['--check']],
  ['svcctl paint ', ['red', 'green']],
  ['svcctl completion z', ['zsh']],
])('bash completes `%s`', async (line, words) => {
  expect(await offered(line)).toEqual(words)
})

test.each(['bash', 'zsh', 'fish'])('the script for %s has every command, option and choice', async shell => {
  const script = await scriptFor(shell)

  const option = (name: string) => (shell === 'fish' ? `-l ${name}` : `--${name}`)
  for (const word of [
    'pools',
    'drain',
    'usage',
    'fmt',
    'paint',
    'red',
    'day',
    ...['json', 'by', 'check'].map(option),
  ]) {
    expect(script).toContain(word)
  }
})

describe.each(['bash', 'zsh', 'fish'])('%s', shell => {
  it.skipIf(!hasShell(shell))('finds nothing wrong in its script', async () => {
    expect(shellFaults(shell, await scriptFor(shell))).toBe('')
  })
})

test('a shell that is not there is wrong usage', async () => {
  await expect(scriptFor('powershell')).rejects.toMatchObject({ code: 'commander.invalidArgument' })
})
