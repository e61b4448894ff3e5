import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { svcctl } from '../../src/cli/program.ts'
import { ROOT, textOf } from '../deploy/files.ts'

const program = svcctl()

const pages = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md') && !name.startsWith('decisions'))
    .map(name => `docs/${name}`),
]

/** The lines of a page that call svcctl: those of its blocks, and what stands in backticks. */
function callsOf(page: string): readonly string[] {
  const code = textOf(page).match(/^ *```[\s\S]*?^ *```|`[^`\n]+`/gm) ?? []
  const lines = code.flatMap(text => text.replace(/\\\n/g, ' ').replaceAll('`', '').split('\n'))
  return lines.flatMap(line =>
    line
      .split(/[|;&]|\$\(/)
      .flatMap(
        part => /^(?:\$ )?(?:\w+=\S+ )*(?:npx (?:--yes |-p \S+ )*)?(svcctl (?!─▶).+)$/.exec(part.trim())?.[1] ?? [],
      ),
  )
}

/** The words of a command line; what a comment says and where output goes is none of it. */
const wordsOf = (call: string): readonly string[] =>
  (call.replace(/\s+#.*$|\s+2?>.*$|\)+$/g, '').match(/"[^"]*"|'[^']*'|\S+/g) ?? []).slice(1)

/** What svcctl has against a call: a name or an option that it does not know. */
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

it.each(pages)('every command and option of svcctl that %s shows is one', page => {
  expect(callsOf(page).flatMap(faultsOf)).toEqual([])
})

it('a command or an option that svcctl does not have is found', () => {
  expect(faultsOf('svcctl usage --by model')).toEqual([])
  expect(faultsOf('svcctl usage --buy model')).toHaveLength(1)
  expect(faultsOf('svcctl uses')).toHaveLength(1)
  expect(pages.flatMap(callsOf).length).toBeGreaterThan(100)
})
