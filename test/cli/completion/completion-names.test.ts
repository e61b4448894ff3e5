import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { configOf, namesIn } from '../../../src/cli/completion/completed-names.ts'
import { exampleConfig } from '../../adapters/decisions/made.ts'
import { directoryOf, small } from '../../config/files.ts'
import { root } from '../../simulate/example.ts'
import { childEnv } from '../../support/child-env.ts'
import { hasShell } from '../../support/terminal/shell.ts'
import { compileProgram, type Program } from '../program.ts'

let program: Program
let script: string
beforeAll(async () => {
  program = compileProgram()
  script = (await program.run(['completion', 'bash'])).stdout
}, 60_000)
afterAll(() => program.end())

const POOLS = 'pools:\n  far: { site: cloud, replicas: [http://10.0.0.12:8000/v1], model: large-chat }\n'
const FILES = {
  'config.yaml': `include: [policies/*.yaml]\n${small}`,
  'policies/more.yaml': `aliases: { auto: small }\n${POOLS}`,
  'other file.yaml': small.replaceAll('near', 'elsewhere').replaceAll('free', 'gratis'),
  'broken.yaml': 'plans: { free: [',
}

/** A real bash's completions of the last word of a command line. */
function offered(
  line: readonly string[],
  { files = FILES, env = {} }: { readonly files?: Record<string, string>; readonly env?: Record<string, string> } = {},
): readonly string[] {
  const dir = directoryOf(files)
  const bin = directoryOf({
    completion: script,
    svcctl: `#!/bin/sh\nexec '${process.execPath}' '${program.main}' "$@"\n`,
  })
  chmodSync(join(bin, 'svcctl'), 0o755)
  writeFileSync(
    join(bin, 'ask'),
    `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svcctl; printf '%s\\n' "\${COMPREPLY[@]}"`,
  )
  const { status, stdout, stderr } = spawnSync('bash', [join(bin, 'ask'), join(bin, 'completion'), 'svcctl', ...line], {
    cwd: dir,
    env: childEnv({ PATH: `${bin}:${process.env.PATH}`, ...env }),
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(existsSync(join(dir, 'hacked'))).toBe(false)
  return stdout.split('\n').filter(Boolean)
}

describe('bash', () => {
  test.each<[string, readonly string[]]>([
    ['explain --plan ', ['free']],
    ['explain --model ', ['small', 'auto']],
    ['explain --model au', ['auto']],
    ['explain --model small --down ', ['near', 'far']],
    ['pools drain ', ['near', 'far']],
    ['pools drain f', ['far']],
    ['pools undrain --json n', ['near']],
    ['pools compare ', ['near', 'far']],
    ['pools compare near ', ['near', 'far']],
    ['pools compare near f', ['far']],
    ['accounts set-plan ada ', ['free']],
    ['accounts set-plan f', []],
  ])('completes `svcctl %s` by the names of the configuration and its includes', (line, words) => {
    expect(offered(line.split(' '))).toEqual(words)
  })

  it('asks the configuration that the command line names, then SVCCTL_CONFIG, then config.yaml', () => {
    const env = { SVCCTL_CONFIG: 'other file.yaml' }

    expect(offered(['explain', '-c', "'other file.yaml'", '--plan', ''])).toEqual(['gratis'])
    expect(offered(['explain', '--config', '=', 'other\\ file.yaml', '--plan', ''])).toEqual(['gratis'])
    expect(offered(['explain', '--plan', ''], { env })).toEqual(['gratis'])
    expect(offered(['explain', '-c', 'config.yaml', '--plan', ''], { env })).toEqual(['free'])
  })

  it('offers options, and names no more, behind the last argument', () => {
    const found = offered(['pools', 'drain', 'near', ''])

    expect(found).toContain('--help')
    expect(found).not.toContain('near')
  })

  it('completes fields from the schema', () => {
    expect(offered(['doc', 'plans.rp'])).toEqual(['plans.rpm'])
    expect(offered(['doc', 'lim'], { files: {} })).toContain('limits')
  })

  it.each([
    ['there is none', {}],
    ['it is broken', { 'config.yaml': FILES['broken.yaml'] }],
    ['it is no map', { 'config.yaml': '- plans' }],
    ['it has sections that are no maps', { 'config.yaml': 'plans: [a]\nmodels: 7\npools:\n' }],
  ])('offers no name, and says nothing, where %s', (_, files) => {
    expect(offered(['explain', '--plan', ''], { files })).toEqual([])
    expect(offered(['explain', '--model', ''], { files })).toEqual([])
  })

  it('offers the names of what can be read where an included file is broken', () => {
    const files = { ...FILES, 'policies/worse.yaml': FILES['broken.yaml'] }

    expect(offered(['pools', 'drain', ''], { files })).toEqual(['near', 'far'])
  })

  it('runs nothing that a file or a command line has in it, and offers only what is a name', () => {
    const evil = [
      '$(touch hacked)',
      '`touch hacked`',
      '; touch hacked',
      '"$(touch hacked)"',
      "'; touch hacked; '",
      '-rf',
      '*',
    ]
    const files = {
      ...FILES,
      'config.yaml': small.replace('  near:', `${evil.map(name => `  ${JSON.stringify(name)}: {}\n`).join('')}  near:`),
    }

    expect(offered(['pools', 'drain', ''], { files })).toEqual(['near'])
    for (const word of evil) {
      offered(['pools', 'drain', word], { files })
      offered(['explain', '-c', word, '--plan', ''], { files })
    }
  })
})

it('the names of a configuration are those that loading it finds', () => {
  const config = exampleConfig()
  const names = (kind: Parameters<typeof namesIn>[1]) => [...namesIn('config.example.yaml', kind, root)].sort()

  expect(names('plans')).toEqual([...config.plans.keys()].sort())
  expect(names('pools')).toEqual([...config.pools.keys()].sort())
  expect(names('models')).toEqual([...config.models.keys(), ...config.aliases.keys()].sort())
})

test.each<[readonly string[], string | undefined]>([
  [['explain'], undefined],
  [['-c', 'a.yaml'], 'a.yaml'],
  [['-ca.yaml'], 'a.yaml'],
  [['--config=a.yaml'], 'a.yaml'],
  [['-c', 'a.yaml', '--config', 'b.yaml'], 'b.yaml'],
  [['-c', '"a b".yaml'], 'a b.yaml'],
  [['-c', "a\\'b"], "a'b"],
  [['-c', `${'\\'.repeat(2)}a`], '\\a'],
  [['-c'], undefined],
])('of the words %j the configuration is %j', (words, file) => {
  expect(configOf(words)).toBe(file)
})

test.each(['zsh', 'fish'])('%s asks for the names of plans, models, pools and fields', async shell => {
  const { stdout } = await program.run(['completion', shell])

  for (const kind of ['plans', 'models', 'pools', 'fields']) expect(stdout).toContain(`_svcctl_names ${kind}`)
})

describe.skipIf(!hasShell('fish'))('fish', () => {
  it('offers the names of the configuration', async () => {
    const { stdout } = await program.run(['completion', 'fish'])
    const lines = `${stdout}\ncomplete -C 'svcctl explain --plan '\ncomplete -C 'svcctl pools drain '\n`
    const cwd = directoryOf(FILES)
    const bin = join(cwd, 'svcctl')
    writeFileSync(bin, `#!/bin/sh\nexec ${process.execPath} ${program.main} "$@"\n`)
    chmodSync(bin, 0o700)
    writeFileSync(join(cwd, 'ask.fish'), lines)
    const told = spawnSync('fish', ['ask.fish'], {
      cwd,
      encoding: 'utf8',
      env: { PATH: `${cwd}:${process.env.PATH ?? ''}`, HOME: cwd },
    })

    expect(told.stdout.split('\n').map(line => line.split('\t')[0])).toEqual(
      expect.arrayContaining(['free', 'near', 'far']),
    )
  })
})
