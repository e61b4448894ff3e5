import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { registerImport } from '../../../src/cli/import/import.ts'
import { registerValidate } from '../../../src/cli/validate/validate.ts'
import { format } from '../../../src/config/format/format.ts'
import { directoryOf, type Files } from '../../config/files.ts'
import { runCommand } from '../run-command.ts'

/** Imports what another gateway has in a file, with other files beside it. `DIR` in an option is their directory. */
export async function importedFrom(
  gateway: string,
  source: Source,
  options: readonly string[] = [],
  files: Files = {},
) {
  const dir = directoryOf({ [source.file]: source.text, ...files })
  const args = ['import', gateway, join(dir, source.file), ...options.map(each => each.replace('DIR', dir))]
  const ran = await runCommand(registerImport, args, { cwd: dir })
  return { ...ran, dir, yaml: ran.stdout === '' ? {} : parse(ran.stdout) }
}

export interface Source {
  readonly file: string
  readonly text: string
}

/** Checks every import: its output is valid and formatted, has no secret, and reports everything that it leaves out. */
export function itIsWhole(gateway: string, source: Source, options: readonly string[] = []): void {
  it('what is written is valid, in the style, and has no key in it', async () => {
    const { code, stdout, stderr, dir } = await importedFrom(gateway, source, [...options, '--out', 'DIR/config.yaml'])

    expect({ code, stdout, stderr: stderr.match(/^.*not valid.*$/m) }).toEqual({ code: 0, stdout: '', stderr: null })
    const text = readFileSync(join(dir, 'config.yaml'), 'utf8')
    expect(format({ file: 'config.yaml', path: 'config.yaml', text }, () => {})).toBe(text)
    expect(`${text}${stderr}`).not.toMatch(/secret-of|sk-1234/)
    const validated = await runCommand(registerValidate, ['validate', '--allow-missing-env'], { cwd: dir })
    expect(validated).toMatchObject({ code: 0, stdout: expect.stringContaining('is valid') })
  })

  it('every setting that was not imported is told on stderr and in a comment', async () => {
    const { stdout, stderr } = await importedFrom(gateway, source, options)

    const told = [...stderr.matchAll(/^▲ (.*)$/gm)].map(([, text]) => text)
    expect([...stdout.matchAll(/# Not imported: (.*)$/gm)].map(([, text]) => text).sort()).toEqual(told.sort())
    expect(stderr).toContain(`${told.length} setting${told.length === 1 ? '' : 's'} not imported`)
  })
}

export const variable = (name: string) => `$\{${name}}`
