import { writeFileSync } from 'node:fs'
import { basename, parse as parsePath } from 'node:path'
import type { Beside, Imported, Left } from 'svc-gateway-import'
import { convertBifrost, convertLitellm, convertPortkey, ImportRefused } from 'svc-gateway-import'
import { parse } from 'yaml'
import { counted, renderText } from '../../config/format/problem-text.ts'
import { load } from '../../config/load.ts'
import { textDisk } from '../../config/read/disk.ts'
import { readBounded } from '../../server/bounded-file.ts'
import { CommandFailed } from '../../server/failure.ts'
import { lookOf } from '../../server/log/terminal-text.ts'
import { oneLine } from '../../wire/printable.ts'
import { writeOut } from '../kit/terminal.ts'
import type { ImportOptions } from './import.ts'
import { writtenYaml } from './written.ts'

/** Prints or writes the configuration that another gateway's becomes. Rejects with CommandFailed. */
export async function importFrom(
  gateway: keyof typeof GATEWAYS,
  file: string,
  { out, keys, names = [] }: ImportOptions,
): Promise<void> {
  const { title } = GATEWAYS[gateway]
  const beside = { names, title: parsePath(file).name, ...(keys !== undefined && { keys: keys.map(readYaml) }) }
  const imported = converted(gateway, readYaml(file), beside)
  if (imported.models === 0) throw new CommandFailed(`✗ ${file} has no model to import\n${leftText(imported.left)}`)
  const text = writtenYaml(imported, `From ${oneLine(basename(file))} of ${title}, by svcctl import.`)
  const [cwd, disk] = [process.cwd(), textDisk([{ file: 'config.yaml', text }], process.cwd())]
  const loaded = load(`${cwd}/config.yaml`, standInsFor(imported), cwd, disk)
  if (out === undefined) await writeOut([text])
  else write(out, text)
  process.stderr.write(`${leftText(imported.left)}${summary(imported)}\n`)
  if (loaded.ok) return
  const lacks = imported.data.default_model === undefined
  throw new CommandFailed(
    `✗ the converted configuration ${lacks ? 'also needs a chat model, and default_model with its name' : 'is not valid yet'}\n\n${renderText(loaded.problems, loaded.sources, lookOf(process.stderr)).trimEnd()}`,
  )
}

function converted(gateway: keyof typeof GATEWAYS, source: unknown, beside: Beside): Imported {
  try {
    return GATEWAYS[gateway].convert(source, beside)
  } catch (error) {
    throw error instanceof ImportRefused ? new CommandFailed(`✗ ${error.message}`) : error
  }
}

/** Values that fit where a variable stands: none is set yet, and what else is wrong must not go under in that. */
const standInsFor = ({ variables, addresses }: Imported): Record<string, string> =>
  Object.fromEntries(variables.map(name => [name, addresses.has(name) ? 'https://unset.invalid' : `unset-${name}`]))

/** The gateways whose configurations can be imported. */
const GATEWAYS = {
  litellm: { title: 'LiteLLM', convert: convertLitellm },
  portkey: { title: 'Portkey', convert: convertPortkey },
  bifrost: { title: 'Bifrost', convert: convertBifrost },
} satisfies Record<string, { title: string; convert: (source: unknown, beside: Beside) => Imported }>

function readYaml(file: string): unknown {
  const text = textIn(file)
  try {
    return parse(text, { merge: true, logLevel: 'error' })
  } catch {
    // The parser's text quotes the file, which may hold keys.
    throw new CommandFailed(`✗ ${file} is not ${file.endsWith('.json') ? 'JSON' : 'YAML'}`)
  }
}

/** The most bytes of a file: parsed, it takes a hundred times the memory of its text. */
const MOST_BYTES = 16_000_000

function textIn(file: string): string {
  try {
    return readBounded(file, MOST_BYTES)
  } catch (error) {
    throw new CommandFailed(`✗ ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' })
  } catch (error) {
    throw new CommandFailed(`✗ ${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const leftText = (left: readonly Left[]): string =>
  left.map(({ path, why }) => `▲ ${oneLine(`${path}: ${why}`)}\n`).join('')

function summary({ models, pools, plans, left, variables, listed, unpriced }: Imported): string {
  const parts = [counted(models, 'model'), counted(pools, 'pool'), counted(plans, 'plan')].join(', ')
  const prices = [
    ...(listed > 0
      ? [`${counted(listed, 'price')} from a catalogue, not from your file: review ${listed > 1 ? 'them' : 'it'}`]
      : []),
    ...(unpriced > 0 ? [`${counted(unpriced, 'model')} without a price: free until you write one`] : []),
  ]
  const exports = variables.length > 0 ? `\nExport before it serves: ${variables.join(' ')}` : ''
  return `${parts}; ${counted(left.length, 'setting')} not imported${prices.map(line => `\n${line}`).join('')}${exports}`
}
