import { readdirSync, readFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { configDir } from '../../src/operator/session-file.ts'

const root = join(import.meta.dirname, '..')

it('a test has a home directory, temporary files and a configuration folder inside the sandbox of its lane', () => {
  const sandbox = /^.*\/svc-lane-[^/]+/.exec(tmpdir())?.[0]

  expect(sandbox).toBeDefined()
  for (const folder of [homedir(), configDir()]) expect(folder.startsWith(`${sandbox}/`), folder).toBe(true)
})

it('no setting of the person who runs the tests reaches a test', () => {
  const names = Object.keys(process.env).filter(name => /^(SVC|SVCCTL|XDG|GIT)_|^npm_(?!config_registry$)/i.test(name))

  expect(names).toEqual([])
})

it('every process that a test starts with an environment of its own gets a home directory', () => {
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !/node_modules|\.venv/.test(name))
    .map(name => ({ name, text: readFileSync(join(root, name), 'utf8') }))
  // An object that takes PATH from this process, and neither sets HOME nor takes all of `process.env`.
  const homeless = sources.flatMap(({ name, text }) =>
    [...text.matchAll(/(\w*)\(?\{[^{}]*\bPATH: [^,}]*process\.env(?:[^{}]|\{[^{}]*\})*\}/g)]
      .filter(([literal, call]) => call !== 'childEnv' && !/\bHOME\b|\.\.\.process\.env/.test(literal))
      .map(([literal]) => `${name}: ${literal.slice(0, 120)}`),
  )

  expect(homeless).toEqual([])
})
