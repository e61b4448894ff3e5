import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { svcctl } from '../../src/cli/program.ts'
import { ROOT, textOf } from '../deploy/files.ts'

const program = await svcctl()

const pagesIn = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md') && !/^decisions\/0/.test(name))
    .map(name => `${folder}/${name}`)

const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', ...pagesIn('docs'), ...pagesIn('src')]

/** The code of each page, fenced or in backticks: one command a line, without its comment. */
const code = new Map(
  pages.map(page => {
    const texts = textOf(page).match(/^ *```[\s\S]*?^ *```|`[^`\n]+`/gm) ?? []
    const lines = texts.flatMap(text => text.replace(/\\\n/g, ' ').replaceAll('`', '').split('\n'))
    return [page, lines.map(line => line.replace(/(?:^|\s+)#.*$/, ''))]
  }),
)
const codeOf = (page: string): readonly string[] => code.get(page) ?? []

/** The calls of svcctl in a page, without the prompt, variables or npx before them. */
const callsOf = (page: string): readonly string[] =>
  codeOf(page).flatMap(line =>
    line
      .split(/[|;&]|\$\(/)
      .flatMap(part => /^(?:\$ )?(?:\w+=\S+ )*(?:npx --no )?(svcctl (?!─▶).+)$/.exec(part.trim())?.[1] ?? []),
  )

/** The words behind the name of the program, without a redirection. */
const wordsOf = (call: string): readonly string[] =>
  (call.replace(/\s+2?>.*$|\)+$/g, '').match(/"[^"]*"|'[^']*'|\S+/g) ?? []).slice(1)

/** The names and options of a call that svcctl does not have. */
function faultsOf(call: string): readonly string[] {
  let command: Command = program
  const faults: string[] = []
  const words = wordsOf(call)
  for (const [index, word] of words.entries()) {
    if (optionOf(program, words[index - 1] ?? '')?.required) continue
    const sub = command.commands.find(each => each.name() === word)
    if (sub) command = sub
    else if (/^--?[a-z]/.test(word) && !isOption(command, word)) faults.push(`${call}: no ${word}`)
    else if (command === program && !word.startsWith('-') && /^[a-z]+$/.test(word)) faults.push(`${call}: no ${word}`)
  }
  return faults
}

const isOption = (command: Command, word: string): boolean =>
  ['-h', '--help'].includes(word) ||
  optionOf(command, word) !== undefined ||
  (command.parent !== null && isOption(command.parent, word))

function optionOf(command: Command, word: string) {
  const [name] = word.split('=')
  return command.options.find(({ long, short }) => name === long || name === short)
}

it.each(pages)('every command and option of svcctl that %s shows exists', page => {
  expect(callsOf(page).flatMap(faultsOf)).toEqual([])
})

it('the pages show more than a hundred calls of svcctl, and a wrong command or option in one is found', () => {
  expect(faultsOf('svcctl usage --by model')).toEqual([])
  expect(faultsOf('svcctl usage --buy model')).toHaveLength(1)
  expect(faultsOf('svcctl uses')).toHaveLength(1)
  expect(pages.flatMap(callsOf).length).toBeGreaterThan(100)
})

it('every command of svcctl that a page names exists, also where others run it, as docker and YAML do', () => {
  const commands = new Set(program.commands.map(command => command.name()))
  const named = pages.flatMap(page =>
    [
      ...codeOf(page)
        .join('\n')
        .matchAll(/(?<![\w./])svcctl ([a-z]+)\b/g),
    ].map(([, name = '']) => ({ page, name })),
  )
  expect(named.filter(({ name }) => !commands.has(name))).toEqual([])
})

it('every script that a page runs with npm exists in package.json', () => {
  const { scripts } = JSON.parse(textOf('package.json'))
  const named = pages.flatMap(page =>
    [
      ...codeOf(page)
        .join('\n')
        .matchAll(/\bnpm run ([a-z][\w-]*(?::[\w-]+)*)(?![\w:<…-])/g),
    ].map(([, script = '']) => ({ page, script })),
  )
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter(({ script }) => !(script in scripts))).toEqual([])
})
