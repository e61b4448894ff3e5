import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { registerInit } from '../../src/cli/init.ts'
import { format } from '../../src/config/format.ts'
import { load } from '../../src/config/load.ts'
import { directoryOf } from '../config/files.ts'
import { runCommand } from './run-command.ts'

const FILES = ['config.yaml', 'policies/plans.yaml', 'policies/models.yaml', 'policies/pools.yaml']

test('a new configuration is valid without a warning, in the style, and knows its schema', async () => {
  const dir = join(directoryOf({}), 'new')

  const { code, stdout } = await runCommand(registerInit, ['init', dir])

  expect({ code, stdout }).toEqual({ code: 0, stdout: FILES.map(file => `${dir}/${file}\n`).join('') })
  const result = load('config.yaml', {}, dir)
  expect(result.ok ? result.loaded.warnings : result.problems).toEqual([])
  for (const file of FILES) {
    const text = readFileSync(join(dir, file), 'utf8')
    expect(format({ file, path: file, text }, () => {})).toBe(text)
    const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text) ?? []
    expect(JSON.parse(readFileSync(resolve(dir, dirname(file), schema), 'utf8'))).toHaveProperty('$schema')
  }
})

test('brand, backend and model are those that were asked for', async () => {
  const dir = directoryOf({})

  await runCommand(registerInit, [
    'init',
    dir,
    '--brand',
    'acme',
    '--backend',
    'https://b.example/v1',
    '--model',
    'org/m:1',
  ])

  const result = load('config.yaml', {}, dir)
  if (!result.ok) throw new Error('the new configuration has a problem')
  const { config, settings } = result.loaded
  expect(settings.brand).toBe('acme')
  expect([...config.models.keys(), config.defaultModel.name]).toEqual(['acme-core', 'acme-auto'])
  expect(config.pools.get('main')).toMatchObject({ replicas: ['https://b.example/v1'], model: 'org/m:1' })
})

test('the next three commands are told on stderr', async () => {
  const { stderr } = await runCommand(registerInit, ['init', directoryOf({})])

  expect(stderr.match(/svcctl (?:validate|serve|keys mint)/g)).toEqual([
    'svcctl validate',
    'svcctl serve',
    'svcctl keys mint',
  ])
})

test('where one of the files is there nothing is written, and it exits 1', async () => {
  const dir = directoryOf({ 'policies/plans.yaml': 'mine' })

  const { code, stdout, stderr } = await runCommand(registerInit, ['init', dir])

  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toBe(`✗ ${dir}/policies/plans.yaml is there already: nothing was written\n`)
  expect(readdirSync(dir, { recursive: true }).sort()).toEqual(['policies', 'policies/plans.yaml'])
})

test.each([
  ['--brand', 'Acme Corp'],
  ['--backend', 'localhost:8000'],
  ['--backend', 'https://user:word@b/v1'],
  ['--model', 'a b'],
])('%s %s is wrong usage', async (...option) => {
  const dir = directoryOf({})

  expect((await runCommand(registerInit, ['init', dir, ...option])).code).toBe(2)
  expect(readdirSync(dir)).toEqual([])
})
